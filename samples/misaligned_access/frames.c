// options: --checks default,misaligned-access
/* Numbers read out of a frame of bytes: some processors trap where the address is odd. */
#include <stdint.h>
#include <string.h>

uint32_t length_of_bad(const unsigned char *frame) {
    if (frame == NULL)
        return 0;
    return *(const uint32_t *)frame;  // expect: alarm misaligned-access; alarm out-of-bounds
}

struct frame {
    unsigned char kind, bytes[4];
};

uint32_t length_of_ok(const struct frame *frame) {
    uint32_t length = 0;
    if (frame != NULL)
        memcpy(&length, frame->bytes, sizeof length);
    return length;
}

static uint32_t words[8];

uint32_t shifted_bad(void) {
    const unsigned char *bytes = (const unsigned char *)words;
    return *(const uint32_t *)(bytes + 2);  // expect: alarm misaligned-access
}

uint32_t shifted_ok(unsigned i) {
    const unsigned char *bytes = (const unsigned char *)words;
    if (i >= 8)
        return 0;
    return *(const uint32_t *)(bytes + 4 * i);  // expect: proved misaligned-access
}

void store_bad(uint16_t *registers, int wide) {
    if (registers != NULL)
        *(uint32_t *)(registers + (wide ? 1 : 0)) = 0;  // expect: alarm misaligned-access; alarm out-of-bounds
}

void store_ok(uint32_t *registers) {
    if (registers != NULL)
        *(uint16_t *)registers = 0;  // expect: proved misaligned-access
}

/* The members of a packed struct are read byte by byte where that must be. */
struct __attribute__((packed)) header {
    uint8_t kind;
    uint32_t length;
};

uint32_t packed_ok(const struct header *h) {
    return h == NULL ? 0 : h->length;
}

uint32_t through_pointer_bad(struct header *h) {
    if (h == NULL)
        return 0;
    unsigned char *bytes = (unsigned char *)h;
    uint32_t *length = (uint32_t *)(bytes + 1);
    return *length;  // expect: alarm misaligned-access
}
