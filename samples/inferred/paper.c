// options: --contracts inferred
/* The examples of the paper on scope-bounded verification (DC2), with the preconditions that it gives. */
#include <stddef.h>

/* Example 4.1: `q` is checked, so nothing is demanded of it but what is read behind it. */
int f1_ok(int *p, int c) {
    int *q = p;
    if (q != NULL)
        return q[4]; // expect: assumes p == \null || \valid_read(p + 4)
    return c;
}

/* Example 4.2: on one path `q` is `p`, on the other `r`: the join says nothing, and what is left is an alarm. */
int f2_bad(int *p, int *r, int c) {
    int *q;
    if (*r > c) // expect: assumes r != \null
        q = p;
    else
        q = r;
    return *q; // expect: alarm null-deref
}

/* The size of what is allocated, from pointer arithmetic. */
void f3_ok(int *t1, int k) {
    int *t2;
    t2 = t1 + k;
    *t2 = 7; // expect: assumes \valid(&t1[k])
}
