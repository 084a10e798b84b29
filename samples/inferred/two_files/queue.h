/* Samples in `slots`, of which `count` are in use. */
#include <stddef.h>

struct queue {
    int *slots;
    size_t count;
};

int oldest_ok(const struct queue *q);
int average_ok(const int *values, int n);
