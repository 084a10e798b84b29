/* INT_MIN has no positive counterpart. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

int magnitude_bad(int x) {
    return x < 0 ? -x : x;  // expect: alarm signed-overflow
}

unsigned magnitude_ok(int x) {
    return x < 0 ? 0u - (unsigned)x : (unsigned)x;
}

int jitter_bad(int error) {
    return abs(error);  // expect: alarm signed-overflow
}

int jitter_ok(int16_t error) {
    return abs(error);
}

int quotient_bad(int a, int b) {
    if (b == 0)
        return 0;
    return a / b;  // expect: alarm signed-overflow
}

int quotient_ok(int a, int b) {
    if (b == 0 || (a == INT_MIN && b == -1))
        return 0;
    return a / b;  // expect: proved signed-overflow; proved div-by-zero
}

int remainder_bad(int a, int b) {
    if (b == 0)
        return 0;
    return a % b;  // expect: alarm signed-overflow
}

int remainder_ok(int a, int b) {
    if (b == 0 || b == -1)
        return 0;
    return a % b;  // expect: proved signed-overflow; proved div-by-zero
}
