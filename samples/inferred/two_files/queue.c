/* What is inferred of these functions is for their callers, in users.c, to keep. */
#include "queue.h"

int oldest_ok(const struct queue *q) {
    return q->count == 0 ? -1 : q->slots[0]; // expect: assumes q != \null; assumes q->count == 0 || q->slots != \null
}

int average_ok(const int *values, int n) {
    return (values[0] / 2 + values[n - 1] / 2) / n; // expect: assumes \valid_read(&values[n - 1])
}
