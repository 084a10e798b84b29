/* What is undefined, until when, and what is not. */
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

struct flags {
    unsigned ready : 1, mode : 3, rest : 4;
};

struct mixed {
    char tag;
    int value;
};

int dangling(void) {
    int *p;
    {
        int x = 3;
        p = &x;
    }
    return *p;  // expect: alarm use-after-free
}

int freed(void) {
    int *p = malloc(sizeof *p);
    if (p == NULL)
        return 0;
    *p = 1;
    free(p);
    return *p;  // expect: alarm use-after-free
}

int each_scope_anew(int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int x;
        if (i == n)
            x = 1;
        if (i == n)
            sum += x;
    }
    return sum;
}

int only_first_time(void) {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == 0)
            x = 1;
        sum += x;  // expect: alarm uninit-read
    }
    return sum;
}

unsigned bits_of_flags(unsigned mode) {
    struct flags f;
    f.mode = mode & 7u;
    assert(f.mode == (mode & 7u));  // expect: proved assertion
    return f.ready;                 // expect: alarm uninit-read
}

struct mixed copied(char tag) {
    struct mixed m;
    m.tag = tag;
    struct mixed n = m;
    return n;
}

int half_written(int c) {
    struct mixed m;
    m.tag = 1;
    if (c)
        m.value = 2;
    struct mixed n = m;
    return n.value;  // expect: alarm uninit-read
}

int wraps(unsigned a, unsigned b) {
    unsigned c = a + b;
    assert(c >= a || c < b);  // expect: proved assertion
    return (int)(uint8_t)c;
}

int narrow(signed char a, signed char b) {
    signed char c = (signed char)(a * b);  // expect: proved signed-overflow
    return c;
}

int divides(int a, int b) {
    if (b == 0)
        return 0;
    return a / b;  // expect: proved div-by-zero; alarm signed-overflow
}

int remainder_of_least(int a) {
    return a % -1;  // expect: alarm signed-overflow
}

int shifts(int x, unsigned n) {
    if (n > 31)
        return 0;
    return x >> n;  // expect: proved shift-range
}

int order(int *p) {
    int x = *p;  // expect: alarm null-deref
    if (p == NULL)
        return 0;
    return x;
}

int asserted(int x) {
    assert(x > 10);     // expect: alarm assertion
    assert(x > 5);      // expect: proved assertion
    return 100 / x;     // expect: proved div-by-zero
}
