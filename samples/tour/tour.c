/* A first look at Tiercel: one function for each kind of answer. */
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct log {
    uint32_t stamp[4];
    uint8_t used;
};

/* Proved: for every input, the result lies within the limits. */
int clamp_ok(int value, int low, int high) {
    if (low > high)
        return low;
    int result = value < low ? low : value > high ? high : value;
    assert(result >= low && result <= high);  // expect: proved assertion
    return result;
}

/* Alarm: correct for every array that was ever tested, wrong for two large indices. */
int midpoint_bad(int low, int high) {
    if (low < 0 || high < low)
        return -1;
    return (low + high) / 2;  // expect: alarm signed-overflow
}

/* Proved: the same without the overflow. */
int midpoint_ok(int low, int high) {
    if (low < 0 || high < low)
        return -1;
    int middle = low + (high - low) / 2;  // expect: proved signed-overflow
    assert(low <= middle && middle <= high);  // expect: proved assertion
    return middle;
}

/* Alarm: walk through the trace to see which log has no oldest entry. */
uint32_t oldest_bad(const struct log *log) {
    if (log == NULL || log->used > 4)
        return 0;
    int best = -1;
    for (int i = 0; i < log->used; i++) {
        if (log->stamp[i] == 0)
            continue;
        if (best < 0 || log->stamp[i] < log->stamp[best])
            best = i;
    }
    return log->stamp[best];  // expect: alarm out-of-bounds
}

/* Alarm: a timer that was never started has a period of zero. */
uint32_t ticks_per_period_bad(uint32_t clock_hz, uint16_t period_ms) {
    uint32_t ticks_per_ms = clock_hz / 1000u;
    return ticks_per_ms / period_ms;  // expect: alarm div-by-zero
}

/* Bounded: true, but a proof needs more than simple induction. */
unsigned population_ok(uint32_t bits) {
    unsigned count = 0;
    while (bits != 0) {
        bits &= bits - 1u;
        count++;
    }
    assert(count <= 32u);  // expect: bounded assertion
    return count;
}

/* Unknown: 80-bit floating point is not modelled, and Tiercel says so. */
int volts_ok(uint16_t raw) {
    long double volts = raw * 3.3L / 65536.0L;
    assert(volts < 3.3L);  // expect: unknown assertion (long double)
    return (int)volts;
}
