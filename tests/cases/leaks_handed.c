// options: --depth 1
// Blocks that a function which is not looked into may keep or free.
#include <stdlib.h>

struct list {
    struct list *next;
    int *block;
};

void keep(int *block);
void unrelated(int *other);

int given(void) {
    int *p = malloc(4); // expect: proved memory-leak
    if (p == NULL)
        return 0;
    keep(p);
    return 1;
}

int not_given(int *other) {
    int *p = malloc(4); // expect: alarm memory-leak
    if (p == NULL)
        return 0;
    *p = 1;
    unrelated(other);
    return 1;
}

void drop(struct list *l) {
    for (; l != NULL; l = l->next)
        free(l->block);
}

void drop_all(struct list *l) {
    drop(l);
}

int by_callee(void) {
    struct list l = {NULL, malloc(4)}; // expect: proved memory-leak
    if (l.block == NULL)
        return 0;
    drop_all(&l);
    return 1;
}

void keep_text(char *text);

void given_sometimes(int c) {
    char *p = malloc(3); // expect: alarm memory-leak
    if (c)
        keep_text(p);
}

struct box {
    char *p;
};

void put(struct box *b);

void boxed_sometimes(int c) {
    char *p = malloc(3); // expect: alarm memory-leak
    struct box b = {0};
    if (c)
        b.p = p;
    put(&b);
}

void boxed(void) {
    struct box b = {malloc(3)}; // expect: proved memory-leak
    put(&b);
}
