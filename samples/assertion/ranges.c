/* Asserted ranges that hold only under a condition nobody checked. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int clamp_bad(int value, int low, int high) {
    if (value < low)
        value = low;
    if (value > high)
        value = high;
    assert(value >= low);  // expect: alarm assertion
    return value;
}

int clamp_ok(int value, int low, int high) {
    if (low > high)
        return low;
    if (value < low)
        value = low;
    if (value > high)
        value = high;
    assert(value >= low && value <= high);  // expect: proved assertion
    return value;
}

/* Rounding up wraps near the top. */
uint32_t align_up_bad(uint32_t address) {
    uint32_t aligned = (address + 15u) & ~15u;
    assert(aligned >= address);  // expect: alarm assertion
    return aligned;
}

uint32_t align_up_ok(uint32_t address) {
    if (address > 0xFFFF0000u)
        return 0;
    uint32_t aligned = (address + 15u) & ~15u;
    assert(aligned >= address && aligned % 16u == 0);  // expect: proved assertion
    return aligned;
}

uint8_t to_bcd_bad(uint8_t value) {
    if (value > 100)
        return 0;
    unsigned bcd = (value / 10u) << 4 | value % 10u;
    assert(bcd <= 0x99);  // expect: alarm assertion
    return (uint8_t)bcd;
}

uint8_t to_bcd_ok(uint8_t value) {
    if (value > 99)
        return 0;
    unsigned bcd = (value / 10u) << 4 | value % 10u;
    assert(bcd <= 0x99);  // expect: proved assertion
    return (uint8_t)bcd;
}

uint8_t mix_bad(uint8_t a, uint8_t b) {
    uint8_t sum = (uint8_t)(a + b);
    assert(sum >= a);  // expect: alarm assertion
    return sum;
}

uint8_t mix_ok(uint8_t a, uint8_t b) {
    int sum = a + b;
    if (sum > 255)
        sum = 255;
    assert(sum >= a && sum <= 255);  // expect: proved assertion
    return (uint8_t)sum;
}

int checked_count_ok(int count) {
    if (count < 1)
        abort();
    assert(count > 0);  // expect: proved assertion
    return count;
}
