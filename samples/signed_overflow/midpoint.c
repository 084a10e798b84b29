/* The binary search bug of two decades: the middle of two large indices. */
#include <limits.h>

int midpoint_bad(int low, int high) {
    if (low < 0 || high < low)
        return -1;
    return (low + high) / 2;  // expect: alarm signed-overflow
}

int midpoint_ok(int low, int high) {
    if (low < 0 || high < low)
        return -1;
    return low + (high - low) / 2;  // expect: proved signed-overflow
}

/* Testing for overflow after it has happened. */
int add_clamped_bad(int a, int b) {
    if (b < 0)
        return a;
    int sum = a + b;  // expect: alarm signed-overflow
    if (sum < a)
        return INT_MAX;
    return sum;
}

int add_clamped_ok(int a, int b) {
    if (b < 0)
        return a;
    if (a > INT_MAX - b)
        return INT_MAX;
    return a + b;  // expect: proved signed-overflow
}

int next_sequence_bad(int sequence) {
    return sequence + 1;  // expect: alarm signed-overflow
}

int next_sequence_ok(int sequence) {
    return sequence == INT_MAX ? 0 : sequence + 1;  // expect: proved signed-overflow
}
