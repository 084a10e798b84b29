// A wrapper is inlined beyond the depth: what it calls changes only what it is given.
#include <stddef.h>

extern void *(*allocate)(size_t);

struct reader {
    int index, most;
    char *block;
};

static void *get(size_t size) {
    return allocate != NULL ? allocate(size) : NULL;
}

static int grow(struct reader *r) {
    char *block = get(8);
    if (block == NULL)
        return -1;
    r->block = block; // expect: alarm null-deref
    return 0;
}

int next(struct reader *r) {
    if (r == NULL || r->index >= r->most || grow(r) != 0)
        return -1;
    r->index++; // expect: proved signed-overflow
    return 0;
}
