/* Rotations and fields: the complement of a shift by 0 is a shift by 32. */
#include <stdint.h>

uint32_t rotate_left_bad(uint32_t x, unsigned count) {
    count %= 32;
    return (x << count) | (x >> (32 - count));  // expect: alarm shift-range
}

uint32_t rotate_left_ok(uint32_t x, unsigned count) {
    return (x << (count & 31)) | (x >> (-count & 31));  // expect: proved shift-range
}

uint32_t field_bad(uint32_t reg, int low, int width) {
    return (reg >> low) & ((1u << width) - 1u);  // expect: alarm shift-range
}

uint32_t field_ok(uint32_t reg, int low, int width) {
    if (low < 0 || low > 31 || width < 1 || width > 31)
        return 0;
    return (reg >> low) & ((1u << width) - 1u);  // expect: proved shift-range
}

int32_t sign_extend_bad(uint32_t value, unsigned bits) {
    unsigned spare = 32 - bits;
    return (int32_t)(value << spare) >> spare;  // expect: alarm shift-range
}

int32_t sign_extend_ok(uint32_t value, unsigned bits) {
    if (bits == 0 || bits > 32)
        return 0;
    unsigned spare = 32 - bits;
    return (int32_t)(value << spare) >> spare;  // expect: proved shift-range
}
