/* Accesses that disagree with an object's type: the layout is learned, nothing is missed or made up. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int first, second;
};

struct named {
    char name[8];
    int id;
};

struct nested {
    short tag;
    struct pair pairs[3];
    void *link;
};

/* The second member through a pointer to the first. */
int neighbour(int i) {
    struct pair p = {1, 2};
    int *q = &p.first;
    if (i < 0 || i > 1)
        return 0;
    q[i] = 7;
    assert(p.second == 7 || p.first == 7);  // expect: proved assertion
    assert(p.second == 2);                  // expect: alarm assertion
    return 0;
}

/* Bytes of a whole struct, beyond its first member but inside the object. */
int all_bytes(unsigned i) {
    struct named n;
    memset(&n, 0, sizeof n);
    char *bytes = (char *)&n;
    if (i < sizeof n)
        bytes[i] = 1;  // expect: proved out-of-bounds
    assert(n.id == 0);  // expect: alarm assertion
    return n.id;
}

int little_endian(uint32_t x) {
    unsigned char *bytes = (unsigned char *)&x;
    assert(bytes[0] == (x & 255u));  // expect: proved assertion
    assert(bytes[3] == x >> 24);     // expect: proved assertion
    assert(bytes[1] == bytes[2]);    // expect: alarm assertion
    return 0;
}

union word {
    float number;
    uint32_t bits;
    uint16_t halves[2];
};

int punned(void) {
    union word w;
    w.number = 1.0f;
    assert(w.bits == 0x3f800000u);                         // expect: proved assertion
    assert(w.halves[1] == 0x3f80 && w.halves[0] == 0);     // expect: proved assertion
    return 0;
}

int copied_pointers(int x) {
    struct nested a = {0}, b;
    a.link = &x;
    a.pairs[2].second = x;
    memcpy(&b, &a, sizeof a);
    assert(*(int *)b.link == b.pairs[2].second);  // expect: proved assertion
    assert(b.pairs[1].first == 0);                // expect: proved assertion
    assert(b.pairs[2].second == 0);               // expect: alarm assertion
    return 0;
}

int through_integer(int x) {
    uintptr_t address = (uintptr_t)&x;
    int *back = (int *)address;
    *back = 5;
    assert(x == 5);                       // expect: proved assertion
    assert((address & 3u) == 0);          // expect: proved assertion
    return 0;
}

int symbolic_rows(unsigned i, unsigned j) {
    int m[3][4] = {{0}};
    if (i >= 3 || j >= 4)
        return 0;
    m[i][j] = 1;           // expect: proved out-of-bounds
    assert(m[i][j] == 1);  // expect: proved assertion
    assert(m[0][0] == 0);  // expect: alarm assertion
    return m[i][j];
}

int heap_record(unsigned n) {
    if (n < 2 || n > 1000)
        return 0;
    struct pair *p = malloc(n * sizeof *p);
    if (p == NULL)
        return 0;
    p[1].second = 3;
    p[0].second = 4;
    int result = p[1].second;  // expect: proved out-of-bounds
    assert(result == 3);       // expect: proved assertion
    p[n].first = 1;            // expect: alarm out-of-bounds
    free(p);
    return result;
}

int swapped(struct pair *p) {
    if (p == NULL)
        return 0;
    int old = p->first;
    p->first = p->second;
    p->second = old;
    assert(p->second == old);  // expect: proved assertion
    assert(p->first == old);   // expect: alarm assertion
    return 0;
}

int subtraction(int i, int j) {
    int a[10];
    if (i < 0 || i > 9 || j < 0 || j > 9)
        return 0;
    int *p = &a[i], *q = &a[j];
    assert(p - q == i - j);       // expect: proved assertion
    assert((p < q) == (i < j));   // expect: proved assertion
    return 0;
}

struct node {
    int value;
    struct node *next;
};

int lazily(struct node *list) {
    if (list == NULL || list->next == NULL || list->next->next == NULL)
        return 0;
    list->next->value = 1;
    list->next->next->value = 2;
    assert(list->next->value == 1);  // expect: proved assertion
    return list->next->next->next->value;  // expect: alarm null-deref
}

struct line {
    unsigned char bytes[4];
    unsigned char received;
};

/* A layout that gets coarser between two encodings. */
int beyond_member(const struct line *line) {
    int sum = 0;
    if (line == NULL)
        return 0;
    for (unsigned i = 0; i < line->received && i < 6; i++)
        sum += line->bytes[i];  // expect: alarm out-of-bounds
    return sum;
}
