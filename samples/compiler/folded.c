/* Constant expressions that the front end evaluates to poison or to a wrapped number. */
#include <limits.h>

int constant_division_bad(void) {
    return 1 / 0;  // expect: alarm div-by-zero  // replay: not-tried (the compiler found it)
}

int constant_remainder_bad(void) {
    return 1 % 0;  // expect: alarm div-by-zero  // replay: not-tried (the compiler found it)
}

int constant_shift_bad(void) {
    return 1 << 40;  // expect: alarm shift-range  // replay: not-tried (the compiler found it)
}

int constant_sum_bad(void) {
    return INT_MAX + 1;  // expect: alarm signed-overflow  // replay: not-tried (the compiler found it)
}

int constant_product_ok(void) {
    return 46340 * 46340;
}

/* Not evaluated when c is 0, and c != 0 is the only way to the error. */
int guarded_constant_bad(int c) {
    if (c)
        return 1 / 0;  // expect: alarm div-by-zero  // replay: not-tried (the compiler found it)
    return 0;
}

unsigned unsigned_constant_ok(void) {
    return UINT_MAX + 1u;
}
