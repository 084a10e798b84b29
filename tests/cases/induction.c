// options: --unwind 4
/* Wrong after more iterations than are unrolled: generalising a loop must not hide it. */
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

/* What one iteration reads is no limit for the others. */
void own_input_in_each(void) {
    int i = 0;
    while (__VERIFIER_nondet_int()) {
        int x = __VERIFIER_nondet_int();
        if (i < x)
            i++;
        else
            assert(i <= 20 || x >= i - 1);  // expect: bounded assertion
    }
}

void inner_loop(void) {
    unsigned g = 7;
    int i = 0;
    do {
        i++;
        int n = 0;
        do {
            g--;
        } while (++n < 2);
    } while (__VERIFIER_nondet_int());
    assert(g != 4294967273u);  // expect: bounded assertion
}

void becomes_undefined(void) {
    int i = 0, x = 0;
    int *px = &x;
    while (__VERIFIER_nondet_int()) {
        int y;
        int *py = &y;
        if (i > 20 || (i == 0 && __VERIFIER_nondet_int())) {
            if (*px)
                i = 21;
        }
        *px = *py;
        i++;
    }
}

struct node {
    struct node *next;
    int value;
};

static int counts[4];

/* Behind a pointer that generalising loses. */
int counted(void) {
    int k = __VERIFIER_nondet_int() & 3;
    counts[k] = 0;
    struct node *head = malloc(sizeof *head);  // expect: alarm memory-leak
    if (head == NULL)
        return 0;
    head->next = NULL;
    head->value = k;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (n == NULL)
            return 0;
        n->next = head;
        n->value = k;
        head = n;
        counts[k]++;
    }
    assert(counts[head->value] <= 20);  // expect: bounded assertion
    return 0;
}

void array_in_loop(unsigned n) {
    int a[64] = {0};
    for (unsigned i = 0; i < n && i < 64; i++)
        a[i] = i == 30;
    assert(a[30] == 0);  // expect: bounded assertion
}

void pointer_in_loop(unsigned n) {
    char text[64] = {0};
    char *p = text;
    for (unsigned i = 0; i < n && i < 64; i++)
        *p++ = 'x';          // expect: proved out-of-bounds
    assert(text[40] == 0);  // expect: bounded assertion
}

int freed_in_loop(unsigned n) {
    int *p = malloc(sizeof *p);  // expect: alarm memory-leak
    if (p == NULL)
        return 0;
    *p = 1;
    for (unsigned i = 0; i < n; i++)
        if (i == 2)
            free(p);
    return *p;  // expect: alarm use-after-free
}

/* The inner loop's input is still about when the outer one is generalised. */
void left_over(void) {
    unsigned sink = 0;
    while (__VERIFIER_nondet_int()) {
        unsigned x, i = 0;
        while (1) {
            x = (unsigned)__VERIFIER_nondet_int();
            if (x == 777)
                break;
            if (i < x)
                i++;
            else
                assert(i <= 20 || x >= i - 1);  // expect: bounded assertion
        }
        sink ^= x * 3 + i;
    }
}
