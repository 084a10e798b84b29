/* Attributes, static tables, addresses of locals, globals that point to themselves. */
#include <alloca.h>
#include <assert.h>
#include <stdlib.h>

int *first_global, *second_global;

int through_the_first(void) { return first_global ? *first_global : 0; }
int through_the_second(void) { return second_global ? *second_global : 0; }

typedef int (*operation)(int, int);

static int both(int a, int b) { return a & b; }
static int either(int a, int b) { return a | b; }

static operation table[2] = {both, either};

int through_a_static_table(unsigned i, int a) {
    if (i > 1)
        return 0;
    int r = table[i](a, 0);
    assert(r == 0 || r == a);  // expect: proved assertion
    return r;
}

static operation settable[2] = {both, either};

void set_operation(operation f) { settable[1] = f; }

int through_a_settable_table(unsigned i, int a) {
    if (i > 1)
        return 0;
    return settable[i](a, 0);  // expect: alarm null-deref
}

static int limits[4] = {1, 2, 3, 4};
static int counters[4] = {1, 2, 3, 4};

int limit(unsigned i) {
    assert(limits[i & 3] > 0);  // expect: proved assertion
    return 100 / limits[i & 3];  // expect: proved div-by-zero
}

int *counter(unsigned i) { return &counters[i & 3]; }

int per_counter(unsigned i) {
    return 100 / counters[i & 3];  // expect: alarm div-by-zero
}

__attribute__((nonnull)) int read_it(const int *p) {
    return *p;  // expect: proved null-deref
}

int passes_null(const int *p) {
    return read_it(p);  // expect: alarm null-deref
}

int passes_no_null(const int *p) {
    return p ? read_it(p) : 0;  // expect: proved null-deref
}

int *address_of_local(void) {
    int x = 3;
    int *p = &x;
    return p;  // expect: alarm use-after-free
}

int *address_of_static(void) {
    static int x = 3;
    return &x;
}

int *one_of_them(int *given, int c) {
    int own = 1;
    return c ? given : &own;  // expect: alarm use-after-free
}

struct ring {
    struct ring *next, *last;
};
static struct ring ring = {&ring, &ring};

int starts_as_a_ring(void) {
    return ring.next->last == &ring;  // expect: alarm null-deref
}

#undef alloca
int by_alloca(unsigned n) {
    if (n < 4 || n > 64)
        return 0;
    char *p = (alloca)(n);
    p[n] = 1;  // expect: alarm out-of-bounds
    return 0;
}

struct pool {
    char *blocks[3];
};

void kept_in_array(struct pool *pool, unsigned i) {
    if (!pool || i > 2)
        return;
    pool->blocks[i] = malloc(8);  // expect: proved memory-leak
}

void lost_from_array(unsigned i) {
    char *blocks[3] = {0};
    if (i > 2)
        return;
    blocks[i] = malloc(8);  // expect: alarm memory-leak
}

int ended_array(unsigned char k) {
    int *p;
    {
        int n = k + 1;
        int a[n];
        a[0] = 1;
        p = a;
    }
    {
        int m = k + 1;
        int c[m];
        c[0] = 7;
    }
    return *p;  // expect: alarm use-after-free
}

int array_in_loop(unsigned n) {
    int sum = 0;
    for (unsigned i = 1; i < n && i < 4; i++) {
        int a[i];
        a[i - 1] = 1;
        sum ^= a[i - 1];
    }
    return sum;
}

#include <stdint.h>

int chosen_offset(int c) {
    int a[2] = {1, 2};
    uintptr_t w = (uintptr_t)a;
    w += c ? 4 : 0;
    return *(int *)w;  // expect: proved null-deref; proved out-of-bounds
}

char left[16], right[16];

void neighbours(void) {
    char *p = left + 16, *q = right;
    assert(p != q);  // expect: alarm assertion
    assert(p - 1 != q);  // expect: proved assertion
}

void neighbours_as_numbers(void) {
    assert((uintptr_t)(left + 16) != (uintptr_t)right);  // expect: alarm assertion
    assert((uintptr_t)left != (uintptr_t)right);         // expect: proved assertion
}

void keep(char *p);
struct list {
    char *last;
};
void add(struct list *l, char *p);

void handed_out(void) {
    char *p = malloc(3);  // expect: proved memory-leak
    keep(p);
}

void handed_out_too(struct list *l) {
    char *p = malloc(3);  // expect: proved memory-leak
    add(l, p);
}

void not_handed_out(void) {
    char *p = malloc(3);  // expect: alarm memory-leak
    keep(NULL);
}
