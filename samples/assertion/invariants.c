/* Invariants of small algorithms. */
#include <assert.h>
#include <stdint.h>

extern void reach_error(void);

/* The last exchange is missing. */
int median_bad(int a, int b, int c) {
    int t;
    if (a > b) {
        t = a;
        a = b;
        b = t;
    }
    if (b > c) {
        t = b;
        b = c;
        c = t;
    }
    assert(a <= b && b <= c);  // expect: alarm assertion
    return b;
}

int median_ok(int a, int b, int c) {
    int t;
    if (a > b) {
        t = a;
        a = b;
        b = t;
    }
    if (b > c) {
        t = b;
        b = c;
        c = t;
    }
    if (a > b) {
        t = a;
        a = b;
        b = t;
    }
    assert(a <= b && b <= c);  // expect: proved assertion
    return b;
}

/* Zero passes the usual test for a power of two. */
uint32_t ring_mask_bad(uint32_t size) {
    if ((size & (size - 1u)) != 0)
        return 0;
    assert(size > 0);  // expect: alarm assertion
    return size - 1u;
}

uint32_t ring_mask_ok(uint32_t size) {
    if (size == 0 || (size & (size - 1u)) != 0)
        return 0;
    assert(((size - 1u) & size) == 0 && size > size - 1u);  // expect: proved assertion
    return size - 1u;
}

void parity_bad(uint32_t x) {
    if ((x & 1u) && x % 3u == 0)
        reach_error();  // expect: alarm assertion
}

void parity_ok(uint32_t x) {
    if ((x & 1u) && x % 2u == 0)
        reach_error();  // expect: proved assertion
}

uint32_t exchange_ok(uint32_t a, uint32_t b) {
    uint32_t x = a, y = b;
    x ^= y;
    y ^= x;
    x ^= y;
    assert(x == b && y == a);  // expect: proved assertion
    return x;
}

unsigned next_slot_ok(unsigned head) {
    unsigned next = (head + 1u) % 8u;
    assert(next != head && next < 8u);  // expect: proved assertion
    return next;
}
