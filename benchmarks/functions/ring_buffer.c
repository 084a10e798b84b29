/* A byte queue between an interrupt handler and the main loop. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_SIZE 16u /* a power of two */

struct ring {
    uint8_t data[RING_SIZE];
    uint16_t head; /* next byte to write; runs freely, masked when used */
    uint16_t tail; /* next byte to read */
    uint32_t written;
    uint32_t dropped;
    uint16_t high_water;
    bool overrun;
};

struct block {
    uint8_t bytes[8];
    uint8_t count;
};

enum ring_policy { RING_KEEP_OLD, RING_KEEP_NEW, RING_ALL_OR_NOTHING };

/* Appends a block, as the policy says if there is no room for all of it. Returns how many bytes were stored. */
size_t ring_write(struct ring *ring, const struct block *block, enum ring_policy policy) {
    if (ring == NULL || block == NULL)
        return 0;
    size_t count = block->count;
    if (count > sizeof block->bytes)
        count = sizeof block->bytes;
    uint16_t used = (uint16_t)(ring->head - ring->tail);
    if (used > RING_SIZE) { /* corrupted by a stray write: start again */
        ring->head = 0;
        ring->tail = 0;
        used = 0;
        ring->overrun = true;
    }
    size_t room = RING_SIZE - used;
    size_t skipped = 0;
    if (count > room) {
        ring->overrun = true;
        switch (policy) {
        case RING_KEEP_OLD:
            skipped = count - room;
            count = room;
            break;
        case RING_KEEP_NEW:
            skipped = count - room;
            ring->tail = (uint16_t)(ring->tail + skipped);
            used = (uint16_t)(used - skipped);
            break;
        case RING_ALL_OR_NOTHING:
        default:
            ring->dropped += (uint32_t)count;
            return 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        uint16_t slot = (uint16_t)(ring->head + i) & (RING_SIZE - 1u);
        ring->data[slot] = block->bytes[i];
    }
    ring->head = (uint16_t)(ring->head + count);
    ring->written += (uint32_t)count;
    ring->dropped += (uint32_t)skipped;
    used = (uint16_t)(used + count);
    if (used > ring->high_water)
        ring->high_water = used;
    return count;
}
