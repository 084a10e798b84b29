/* Indices that are negative, one past the end, or wrapped. */
#include <stddef.h>
#include <stdint.h>

static const int gain[6] = {1, 2, 4, 8, 16, 32};
static int bucket[8];
static uint8_t glyph[4][8];

int gain_at_bad(int i) {
    if (i >= 6)
        return 0;
    return gain[i];  // expect: alarm out-of-bounds
}

int gain_at_ok(int i) {
    if (i < 0 || i >= 6)
        return 0;
    return gain[i];  // expect: proved out-of-bounds
}

/* Here the comparison with a size_t happens to help: a negative i becomes huge. */
int gain_guarded_ok(int i) {
    if (i < sizeof gain / sizeof gain[0])
        return gain[i];  // expect: proved out-of-bounds
    return 0;
}

/* 0 - 1 is SIZE_MAX. */
int last_gain_bad(size_t used) {
    if (used > 6)
        return 0;
    return gain[used - 1];  // expect: alarm out-of-bounds
}

int last_gain_ok(size_t used) {
    if (used == 0 || used > 6)
        return 0;
    return gain[used - 1];  // expect: proved out-of-bounds
}

/* The remainder of a negative number is negative. */
int lookup_bad(int key) {
    return bucket[key % 8];  // expect: alarm out-of-bounds
}

int lookup_ok(int key) {
    return bucket[(unsigned)key % 8];  // expect: proved out-of-bounds
}

int one_past_end_bad(void) {
    const int *end = gain + 6;
    return *end;  // expect: alarm out-of-bounds
}

int one_past_end_ok(void) {
    const int *end = gain + 6;
    return end[-1];  // expect: proved out-of-bounds
}

uint8_t glyph_row_bad(unsigned row, unsigned column) {
    if (row > 4 || column >= 8)
        return 0;
    return glyph[row][column];  // expect: alarm out-of-bounds
}

uint8_t glyph_row_ok(unsigned row, unsigned column) {
    if (row >= 4 || column >= 8)
        return 0;
    return glyph[row][column];  // expect: proved out-of-bounds
}

/* Nothing says how long the caller's array is. */
int element_bad(const int *values, size_t i) {
    if (values == NULL)
        return 0;
    return values[i];  // expect: alarm out-of-bounds
}

int element_ok(const int *values) {
    if (values == NULL)
        return 0;
    return values[0];  // expect: proved out-of-bounds
}
