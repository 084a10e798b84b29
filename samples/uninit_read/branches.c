/* Set on some paths only. */
#include <stdint.h>

int direction_bad(int speed) {
    int direction;
    if (speed > 0)
        direction = 1;
    else if (speed < 0)
        direction = -1;
    return direction;  // expect: alarm uninit-read
}

int direction_ok(int speed) {
    int direction = 0;
    if (speed > 0)
        direction = 1;
    else if (speed < 0)
        direction = -1;
    return direction;
}

/* No default, and the state came from a register. */
uint32_t dwell_ms_bad(int state) {
    uint32_t dwell;
    switch (state) {
    case 0:
        dwell = 10;
        break;
    case 1:
        dwell = 250;
        break;
    }
    return dwell * 2u;  // expect: alarm uninit-read
}

uint32_t dwell_ms_ok(int state) {
    uint32_t dwell;
    switch (state) {
    case 0:
        dwell = 10;
        break;
    case 1:
        dwell = 250;
        break;
    default:
        dwell = 1000;
        break;
    }
    return dwell * 2u;
}

/* The early exit skips the assignment. */
int configure_bad(int channel) {
    int result;
    if (channel < 0)
        goto out;
    result = 0;
out:
    return result;  // expect: alarm uninit-read
}

int configure_ok(int channel) {
    int result = -1;
    if (channel < 0)
        goto out;
    result = 0;
out:
    return result;
}

/* The right operand is evaluated only if the left one holds: so is the use. */
int threshold_ok(int enabled, int level) {
    int limit;
    if (enabled && (limit = 40) < level)
        return limit;
    return 0;
}
