/* Rates and means whose divisor is a count that may still be zero. */
#include <stdint.h>

uint32_t mean_latency_bad(uint32_t total_us, uint32_t samples) {
    return total_us / samples;  // expect: alarm div-by-zero
}

uint32_t mean_latency_ok(uint32_t total_us, uint32_t samples) {
    if (samples == 0)
        return 0;
    return total_us / samples;  // expect: proved div-by-zero
}

/* `done <= total` looks like a range check, but lets 0 of 0 through. */
int percent_done_bad(uint16_t done, uint16_t total) {
    if (done > total)
        return 100;
    return done * 100 / total;  // expect: alarm div-by-zero
}

int percent_done_ok(uint16_t done, uint16_t total) {
    if (total == 0 || done > total)
        return 100;
    return done * 100 / total;  // expect: proved div-by-zero; proved signed-overflow
}

int slope_bad(int16_t x0, int16_t y0, int16_t x1, int16_t y1) {
    int dx = x1 - x0;
    int dy = y1 - y0;
    return dy / dx;  // expect: alarm div-by-zero
}

int slope_ok(int16_t x0, int16_t y0, int16_t x1, int16_t y1) {
    if (x1 == x0)
        return 0;
    int dx = x1 - x0;
    int dy = y1 - y0;
    return dy / dx;  // expect: proved div-by-zero
}
