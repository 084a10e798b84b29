/* Divisors that come from a register or from arithmetic that wraps to zero. */
#include <stddef.h>
#include <stdint.h>

struct timer {
    uint16_t prescaler;
    uint16_t period;
};

/* 16 * 0x10000000 is 0 in 32 bits. */
uint32_t baud_divisor_bad(uint32_t clock_hz, uint32_t baud) {
    if (baud == 0)
        return 0;
    uint32_t step = baud * 16u;
    return clock_hz / step;  // expect: alarm div-by-zero
}

uint32_t baud_divisor_ok(uint32_t clock_hz, uint32_t baud) {
    if (baud == 0 || baud > 1000000u)
        return 0;
    uint32_t step = baud * 16u;
    return clock_hz / step;  // expect: proved div-by-zero
}

uint32_t timer_hz_bad(const struct timer *timer) {
    if (timer == NULL)
        return 0;
    uint32_t ticks = 8000000u / (timer->prescaler + 1u);  // expect: proved div-by-zero
    return ticks / timer->period;  // expect: alarm div-by-zero
}

uint32_t timer_hz_ok(const struct timer *timer) {
    if (timer == NULL || timer->period == 0)
        return 0;
    uint32_t ticks = 8000000u / (timer->prescaler + 1u);
    return ticks / timer->period;  // expect: proved div-by-zero
}
