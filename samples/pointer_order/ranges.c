// options: --checks default,pointer-order
/* Only pointers into one object have an order and a distance. */
#include <stddef.h>

static char low[16], high[16];

int before_bad(void) {
    return low + 1 < high + 2;  // expect: alarm pointer-order  // replay: confirmed-under-assumptions (seen by interpreting the code)
}

int before_ok(int i, int j) {
    if (i < 0 || i > 16 || j < 0 || j > 16)
        return 0;
    return low + i < low + j;  // expect: proved pointer-order
}

ptrdiff_t distance_bad(int i) {
    return &high[i & 15] - low;  // expect: alarm pointer-order  // replay: confirmed-under-assumptions (seen by interpreting the code)
}

ptrdiff_t distance_ok(void) {
    char *end = high;
    while (end < high + 16)  // expect: proved pointer-order
        end++;
    return end - high;  // expect: proved pointer-order
}

/* Whether a pointer is inside a buffer cannot be asked in this way. */
int inside_bad(const char *p) {
    return p >= low && p < low + 16;  // expect: alarm pointer-order  // replay: confirmed-under-assumptions (seen by interpreting the code)
}

int inside_ok(const char *p) {
    for (int i = 0; i < 16; i++)
        if (p == low + i)
            return 1;
    return 0;
}

size_t span_bad(const char *begin, const char *end) {
    return (size_t)(end - begin);  // expect: alarm pointer-order  // replay: confirmed-under-assumptions (seen by interpreting the code)
}

size_t span_ok(const char *text) {
    const char *end = text;
    if (text == NULL)
        return 0;
    while (*end != 0)
        end++;
    return (size_t)(end - text);  // expect: proved pointer-order
}
