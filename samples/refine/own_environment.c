/* Type 1: an alarm that rests on what callers give. What `tiercel refine` suggests stands behind `refine:`. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buffer {
    char *data;
    size_t used, room;
};

struct ring {
    int *slots;
    unsigned size, head;
};

struct node {
    struct node *next;
    int value;
};

static const int table[16] = {1, 2, 3};
int limit;

int first_bad(const int *a) {
    return a[0];  // expect: alarm null-deref // refine: requires a != \null
}

int after_a_test_bad(const int *p, int n) {
    if (n > 3)
        return *p;  // expect: alarm null-deref // refine: requires p != \null
    return 0;
}

/* The guard is kept: without a node there is nothing to follow. */
int next_value_bad(const struct node *n) {
    if (n == NULL)
        return 0;
    return n->next->value;  // expect: alarm null-deref // refine: requires n == \null || n->next != \null
}

int element_bad(const int *a, int i) {
    if (a == NULL)
        return 0;
    return a[i];  // expect: alarm out-of-bounds // refine: requires a == \null || \valid_read(a + i)
}

int sum_bad(const int *a, int n) {
    int total = 0;
    if (a == NULL)
        return 0;
    for (int i = 0; i < n; i++)
        total ^= a[i];  // expect: alarm out-of-bounds // refine: requires a == \null || \valid_read(a + (0 .. n - 1))
    return total;
}

void fill_bad(int *a, int n, int value) {
    if (a == NULL)
        return;
    for (int i = 0; i <= n; i++)
        a[i] = value;  // expect: alarm out-of-bounds // refine: requires a == \null || \valid(a + (0 .. n))
}

int get_bad(const struct ring *r, unsigned i) {
    if (r == NULL || r->slots == NULL || r->size == 0)
        return 0;
    return r->slots[(r->head + i) % r->size];  // expect: alarm out-of-bounds // refine: requires r == \null || r->slots == \null || \valid_read(r->slots + (0 .. r->size - 1))
}

void push_bad(struct buffer *b, char c) {
    if (b == NULL || b->data == NULL || b->used >= b->room)
        return;
    b->data[b->used] = c;  // expect: alarm out-of-bounds // refine: requires b == \null || b->data == \null || \valid(b->data + (0 .. b->room - 1))
    b->used++;
}

void copied_bad(const char *from, size_t n) {
    char to[100];
    if (from != NULL && n < 100)
        memcpy(to, from, n);  // expect: alarm out-of-bounds // refine: requires from == \null || \valid_read(from + (0 .. n - 1))
}

int cell_bad(int matrix[4][4], int row, int column) {
    if (matrix == NULL || row != 0)
        return 0;
    return matrix[row][column];  // expect: alarm out-of-bounds // refine: requires 0 <= column < 4
}

int looked_up_bad(int key) {
    return table[key];  // expect: alarm out-of-bounds // refine: requires 0 <= key < 16
}

int mean_bad(int total, int n) {
    return total == -1 ? 0 : total / n;  // expect: alarm div-by-zero; alarm signed-overflow
}

unsigned share_bad(unsigned total, unsigned parts) {
    return total / parts;  // expect: alarm div-by-zero // refine: requires parts > 0
}

int scaled_bad(int x) {
    return x > 0 ? x / limit : 0;  // expect: alarm div-by-zero // refine: requires limit != 0
}

int successor_bad(int x) {
    return x + 1;  // expect: alarm signed-overflow // refine: requires x <= 2147483646
}

int added_bad(int x, int y) {
    return x + y;  // expect: alarm signed-overflow // refine: requires -2147483648 <= x + y <= 2147483647
}

unsigned shifted_bad(unsigned x, unsigned bits) {
    return x << (32 - bits);  // expect: alarm shift-range // refine: requires 1 <= bits <= 32
}

int uninitialised_bad(int n) {
    int x;
    if (n > 10)
        x = 3;
    return x + 1;  // expect: alarm uninit-read // refine: requires n > 10
}

uint32_t two_digits_bad(uint32_t value) {
    uint32_t coded = value / 10 << 4 | value % 10;
    assert(coded <= 0x99);  // expect: alarm assertion // refine: requires value <= 99
    return coded;
}

uint32_t aligned_bad(uint32_t address) {
    uint32_t up = (address + 15u) & ~15u;
    assert(up >= address);  // expect: alarm assertion // refine: requires address <= 4294967280
    return up;
}

/* Nothing that callers give is to blame. */
int always_bad(void) {
    int *p = NULL;
    return *p;  // expect: alarm null-deref // refine: none (no contract can exclude it)
}

int threshold_bad(double x) {
    return 3 / (x > 2.0 ? 0 : 1);  // expect: alarm div-by-zero // refine: none (a floating-point value)
}
