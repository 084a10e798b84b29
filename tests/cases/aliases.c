// options: --alias may
/* Pointers from outside that may be the same. */
#include <assert.h>
#include <stddef.h>

struct account {
    int balance;
    struct account *next;
};

void transfer(struct account *from, struct account *to) {
    if (!from || !to)
        return;
    from->balance = 1;
    to->balance = 2;
    assert(from->balance == 1);  // expect: alarm assertion
}

void transfer_apart(struct account *from, struct account *to) {
    if (!from || !to || from == to)
        return;
    from->balance = 1;
    to->balance = 2;
    assert(from->balance == 1);  // expect: proved assertion
}

int of_other_type(int *n, char *text) {
    if (!n || !text)
        return 0;
    *n = 1;
    text[0] = 'a';
    assert(*n == 1);  // expect: proved assertion
    return *n;
}

void ring(struct account *a) {
    if (!a || !a->next)
        return;
    a->balance = 1;
    a->next->balance = 2;
    assert(a->balance == 1);  // expect: alarm assertion
}

void no_null(struct account *a, struct account *b) {
    if (!a)
        return;
    assert(a != b || b != NULL);  // expect: proved assertion
}
