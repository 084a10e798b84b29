/* A door controller: the safety property is an assert after the step. */
#include <assert.h>

enum door { CLOSED, OPENING, OPEN, CLOSING };

/* An obstacle seen while the door closes is handled only if the button is pressed too. */
enum door step_bad(enum door door, int button, int obstacle) {
    enum door next = door;
    switch (door) {
    case CLOSED:
        if (button)
            next = OPENING;
        break;
    case OPENING:
        next = OPEN;
        break;
    case OPEN:
        if (button)
            next = CLOSING;
        break;
    case CLOSING:
        next = obstacle && button ? OPENING : CLOSED;
        break;
    default:
        next = OPENING;
        break;
    }
    assert(!(door == CLOSING && obstacle) || next == OPENING);  // expect: alarm assertion
    return next;
}

enum door step_ok(enum door door, int button, int obstacle) {
    enum door next = door;
    switch (door) {
    case CLOSED:
        if (button)
            next = OPENING;
        break;
    case OPENING:
        next = OPEN;
        break;
    case OPEN:
        if (button)
            next = CLOSING;
        break;
    case CLOSING:
        next = obstacle ? OPENING : CLOSED;
        break;
    default:
        next = OPENING;
        break;
    }
    assert(!(door == CLOSING && obstacle) || next == OPENING);  // expect: proved assertion
    return next;
}

/* Counts the set bits of a nibble, but looks at three of them. */
int nibble_weight_bad(unsigned nibble) {
    int weight = 0;
    for (int bit = 0; bit < 3; bit++)
        if (nibble & (1u << bit))
            weight++;
    if ((nibble & 15u) == 15u)
        assert(weight == 4);  // expect: alarm assertion
    return weight;
}

int nibble_weight_ok(unsigned nibble) {
    int weight = 0;
    for (int bit = 0; bit < 4; bit++)
        if (nibble & (1u << bit))
            weight++;
    if ((nibble & 15u) == 15u)
        assert(weight == 4);  // expect: proved assertion
    return weight;
}
