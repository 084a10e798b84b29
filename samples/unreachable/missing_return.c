/* Falling off the end of a function whose value is wanted; reported at its closing brace. */
#include <stdint.h>
#include <stdlib.h>

static const int keys[3] = {10, 20, 30};

int sign_bad(int x) {
    if (x > 0)
        return 1;
    else if (x < 0)
        return -1;
}  // expect: alarm unreachable  // replay: confirmed-under-assumptions (shows only where it is used)

int sign_ok(int x) {
    if (x > 0)
        return 1;
    else if (x < 0)
        return -1;
    return 0;
}

int index_of_bad(int key) {
    for (int i = 0; i < 3; i++)
        if (keys[i] == key)
            return i;
}  // expect: alarm unreachable  // replay: confirmed-under-assumptions (shows only where it is used)

int index_of_ok(int key) {
    for (int i = 0; i < 3; i++)
        if (keys[i] == key)
            return i;
    return -1;
}

enum mode { OFF, SLOW, FAST };

/* Every enumerator has its case, but an enum holds other integers too. */
int duty_bad(enum mode mode) {
    switch (mode) {
    case OFF:
        return 0;
    case SLOW:
        return 30;
    case FAST:
        return 100;
    }
}  // expect: alarm unreachable  // replay: confirmed-under-assumptions (shows only where it is used)

int duty_ok(enum mode mode) {
    switch (mode) {
    case OFF:
        return 0;
    case SLOW:
        return 30;
    case FAST:
        return 100;
    }
    abort();
}

int quadrant_ok(uint8_t angle) {
    switch (angle >> 6) {
    case 0:
        return 1;
    case 1:
        return 2;
    case 2:
        return 3;
    case 3:
        return 4;
    }
}  // expect: proved unreachable
