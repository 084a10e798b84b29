/* __builtin_unreachable is a promise: what if it is wrong? */
#include <stdint.h>

unsigned lane_bad(int packet) {
    switch (packet % 3) {
    case 0:
        return 10;
    case 1:
        return 20;
    case 2:
        return 30;
    default:
        __builtin_unreachable();  // expect: alarm unreachable
    }
}

unsigned lane_ok(unsigned packet) {
    switch (packet % 3) {
    case 0:
        return 10;
    case 1:
        return 20;
    case 2:
        return 30;
    default:
        __builtin_unreachable();  // expect: proved unreachable
    }
}

enum state { IDLE, ARMED, FIRED };

enum state next_state_bad(enum state state, int trigger) {
    if (state == IDLE)
        return trigger ? ARMED : IDLE;
    if (state == ARMED)
        return trigger ? FIRED : ARMED;
    if (state == FIRED && !trigger)
        return IDLE;
    __builtin_unreachable();  // expect: alarm unreachable
}

enum state next_state_ok(enum state state, int trigger) {
    if (state == IDLE)
        return trigger ? ARMED : IDLE;
    if (state == ARMED)
        return trigger ? FIRED : ARMED;
    if (state != IDLE && state != ARMED)
        return trigger ? FIRED : IDLE;
    __builtin_unreachable();  // expect: proved unreachable
}

unsigned highest_bit_bad(uint8_t flags) {
    for (unsigned bit = 0; bit < 4; bit++)
        if (flags & (8u >> bit))
            return 3 - bit;
    __builtin_unreachable();  // expect: alarm unreachable
}

unsigned highest_bit_ok(uint8_t flags) {
    flags |= 1u;
    for (unsigned bit = 0; bit < 4; bit++)
        if (flags & (8u >> bit))
            return 3 - bit;
    __builtin_unreachable();  // expect: proved unreachable
}

unsigned nibble_digits_ok(uint8_t byte) {
    unsigned high = byte >> 4;
    if (high > 15)
        __builtin_unreachable();  // expect: proved unreachable
    return high;
}
