// options: --depth 2
// Arguments that match `...`, in registers and on the stack.
#include <assert.h>
#include <stdarg.h>

static int sum(int n, ...) {
    va_list ap;
    int s = 0;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        s += va_arg(ap, int);  // expect: alarm signed-overflow
    va_end(ap);
    return s;
}

void enough(void) {
    assert(sum(3, 1, 2, 3) == 6);                            // expect: proved assertion
    assert(sum(8, 1, 2, 3, 4, 5, 6, 7, 8) == 36);            // expect: proved assertion
    assert(sum(8, 1, 2, 3, 4, 5, 6, 7, 8) == 35);            // expect: alarm assertion
}

static double mixed(const char *kinds, ...) {
    va_list ap, again;
    double total = 0;
    va_start(ap, kinds);
    va_copy(again, ap);
    total += va_arg(ap, int);
    total += va_arg(ap, double);
    total += va_arg(ap, int);
    total += va_arg(again, int);
    va_end(again);
    va_end(ap);
    return total;
}

void registers(void) {
    assert(mixed("", 1, 0.5, 2) == 4.5);  // expect: proved assertion
    assert(mixed("", 2, 0.5, 2) == 4.5);  // expect: alarm assertion
}

struct triple {
    long a, b, c;
};

static long third(int n, ...) {
    va_list ap;
    va_start(ap, n);
    struct triple t = va_arg(ap, struct triple);
    long after = va_arg(ap, long);
    va_end(ap);
    return t.c ^ after;
}

void by_value(void) {
    struct triple t = {1, 2, 3};
    assert(third(0, t, 4L) == 7);  // expect: proved assertion
}

static const char *last(int n, ...) {
    const char *p = 0;
    va_list ap;
    va_start(ap, n);
    while (n-- > 0)  // expect: alarm signed-overflow
        p = va_arg(ap, const char *);
    va_end(ap);
    return p;
}

void pointers(void) {
    assert(last(2, "a", "bc")[1] == 'c');  // expect: proved assertion
    assert(last(0) == 0);                  // expect: proved assertion
}

int of_caller(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int d = va_arg(ap, int);
    va_end(ap);
    return 10 / d;  // expect: alarm div-by-zero
}

static int next(va_list *ap) {
    return va_arg(*ap, int);  // expect: alarm null-deref
}

int by_pointer(int n, ...) {
    va_list ap;
    va_start(ap, n);
    int a = next(&ap), b = next(&ap);
    va_end(ap);
    return a == b;
}

int of_list(va_list ap) {
    int a = va_arg(ap, int);
    double d = va_arg(ap, double);
    return a / (d != d ? 1 : 2);  // expect: proved div-by-zero
}
