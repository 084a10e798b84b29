/* Callers of queue.c: each of them keeps what is inferred there, or breaks it. */
#include "queue.h"

int average_of_three_ok(void) {
    int values[3] = {1, 2, 3};
    return average_ok(values, 3);
}

int average_of_none_bad(int any) {
    int values[3] = {1, 2, 3};
    return average_ok(values, any ? 3 : 0); // expect: alarm out-of-bounds
}

int oldest_of_two_ok(void) {
    int slots[2] = {7, 8};
    struct queue q = {slots, 2};
    return oldest_ok(&q);
}

int oldest_of_nothing_bad(void) {
    struct queue q = {NULL, 2};
    return oldest_ok(&q); // expect: alarm null-deref
}
