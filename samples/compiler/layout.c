/* Padding and bit-fields: bytes are read that the programmer never wrote and never looks at. */
#include <stdint.h>

struct padded {
    char tag;
    int32_t value;
};

struct flags {
    unsigned ready : 1;
    unsigned mode : 3;
    unsigned rest : 4;
};

struct padded padded_return_ok(int32_t value) {
    struct padded p;
    p.tag = 'p';
    p.value = value;
    return p;
}

int32_t padded_use_ok(int32_t value) {
    struct padded p = padded_return_ok(value);
    return p.value;
}

struct flags bit_field_write_ok(unsigned mode) {
    struct flags f;
    f.ready = 1;
    f.mode = mode & 7u;
    f.rest = 0;
    return f;
}

unsigned bit_field_read_ok(void) {
    struct flags f;
    f.ready = 1;
    f.mode = 5;
    return f.mode;
}

struct padded padded_copy_ok(const struct padded *from) {
    struct padded to = {0};
    if (from)
        to = *from;
    return to;
}
