/* What an optimising compiler deletes, moves or replaces before anyone could look at it. */
#include <assert.h>
#include <stddef.h>

static int g;

/* zig's -O1 defines NDEBUG. */
int assert_kept_bad(int x) {
    assert(x != 7);  // expect: alarm assertion
    return x;
}

/* Not emitted unless asked for: nobody calls it. */
static int unused_static_bad(int d) {
    return 100 / d;  // expect: alarm div-by-zero
}

/* A store to an array that is never read. */
void dead_store_bad(void) {
    int a[4];
    a[4] = 1;  // expect: alarm out-of-bounds
}

/* Becomes "c is true". */
void null_or_global_bad(int c) {
    int *p = 0;
    if (c)
        p = &g;
    *p = 1;  // expect: alarm null-deref
}

/* The quotient is not used. */
void unused_quotient_bad(int d) {
    int q = 7 / d;  // expect: alarm div-by-zero
    (void)q;
}

/* The test is folded to false: signed overflow cannot happen, says the compiler. */
int overflow_test_bad(int x) {
    if (x + 1 < x)  // expect: alarm signed-overflow
        return 0;
    return 1;
}

/* The check is deleted because the pointer has been used. */
int late_null_check_bad(const int *p) {
    int value = *p;  // expect: alarm null-deref
    if (p == NULL)
        return 0;
    return value;
}

/* A phi of 3 and an undefined value is 3. */
int one_branch_bad(int c) {
    int y;
    if (c)
        y = 3;
    return y;  // expect: alarm uninit-read
}
