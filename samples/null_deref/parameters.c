/* Pointers that the caller gave us. */
#include <stddef.h>
#include <stdint.h>

struct span {
    uint32_t length;
    uint32_t crc;
};

int first_bad(const int *p) {
    return *p;  // expect: alarm null-deref
}

int first_ok(const int *p) {
    if (p == NULL)
        return 0;
    return *p;  // expect: proved null-deref
}

/* The check comes after the use (and compilers then delete it). */
uint32_t length_bad(const struct span *span) {
    uint32_t length = span->length;  // expect: alarm null-deref
    if (span == NULL)
        return 0;
    return length;
}

uint32_t length_ok(const struct span *span) {
    uint32_t length = 0;
    if (span != NULL)
        length = span->length;  // expect: proved null-deref
    return length;
}

/* `&&` was meant to be `||`. */
uint32_t crc_bad(const struct span *span, uint32_t seed) {
    if (span == NULL && seed == 0)
        return 0;
    return span->crc ^ seed;  // expect: alarm null-deref
}

uint32_t crc_ok(const struct span *span, uint32_t seed) {
    if (span == NULL || seed == 0)
        return 0;
    return span->crc ^ seed;  // expect: proved null-deref
}

int parse_digit_bad(char c, int *out) {
    if (c < '0' || c > '9')
        return -1;
    *out = c - '0';  // expect: alarm null-deref
    return 0;
}

int parse_digit_ok(char c, int *out) {
    if (out == NULL || c < '0' || c > '9')
        return -1;
    *out = c - '0';  // expect: proved null-deref
    return 0;
}
