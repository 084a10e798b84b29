// options: --unwind 4 --checks assertion
/* One memory, seen through several types. The model `split` is wrong about all but the first two. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pair { int g; int f; };
struct head { int g; };
struct node { int value; struct node *next; };
struct other { int value; struct other *next; short tag; };

int fields_ok(struct pair *x, struct pair *y) {
    x->f = 1;
    y->f = 2;
    assert(x->f == 1);  // expect: proved assertion
    return x->g;
}

int fields_bad(struct pair *x) {
    x->f = 1;
    assert(x->g == 1);  // expect: alarm assertion
    return x->g;
}

static void increment(int *a) { (*a)++; }

/* Rule 1: the address of a field is taken. */
void reference_ok(void) {
    struct pair *x = malloc(sizeof *x);
    if (!x)
        return;
    x->f = 1;
    increment(&x->f);
    assert(x->f == 2);  // expect: proved assertion
    free(x);
}

static void increment_head(struct head *a) { a->g = a->g + 1; }

/* Rule 2: one struct begins like another. */
void subtype_ok(void) {
    struct pair *x = malloc(sizeof *x);
    if (!x)
        return;
    x->g = 0;
    increment_head((struct head *)x);
    assert(x->g == 1);  // expect: proved assertion
    free(x);
}

void subtype_bad(void) {
    struct pair *x = malloc(sizeof *x);
    if (!x)
        return;
    x->g = 0;
    increment_head((struct head *)x);
    assert(x->g == 0);  // expect: alarm assertion
    free(x);
}

/* A pointer is the same one under both types. */
int list_ok(struct node *list) {
    struct other *same = (struct other *)list;
    if (!list || !list->next)
        return 0;
    same->value = 7;
    same->next->value = 9;
    assert(list->value == 7 && list->next->value == 9);  // expect: proved assertion
    return list->value;
}

union word { unsigned whole; unsigned char part[4]; };

unsigned bytes_ok(unsigned value) {
    union word w;
    w.whole = value;
    w.part[1] = 0;
    assert((w.whole & 0xff00u) == 0);                     // expect: proved assertion
    assert((w.whole & 0xff) == (value & 0xff));           // expect: proved assertion
    return w.whole;
}

void copy_ok(struct pair *to, int a, int b) {
    struct pair local = {a, b};
    int words[2];
    *to = local;
    memcpy(words, to, sizeof words);
    assert(words[0] == a && words[1] == b && to->f == b);  // expect: proved assertion
}

/* Two bytes further on, every element is cut. */
int shifted_bad(const short *table) {
    int words[2] = {0x00020001, 0x00040003};
    int seen;
    memcpy(&seen, (char *)words + 2, sizeof seen);
    assert(seen == 0x00030002);  // expect: proved assertion
    assert(seen == 0x00020001);  // expect: alarm assertion
    return seen;
}

void cleared_ok(int i) {
    struct pair pairs[4];
    memset(pairs, 0, sizeof pairs);
    if (i < 0 || i >= 4)
        return;
    pairs[2].f = 5;
    assert(pairs[i].f == (i == 2 ? 5 : 0));  // expect: proved assertion
    memset(pairs, 255, sizeof pairs);
    assert(pairs[i].f == -1);  // expect: proved assertion
}

/* A loop that is generalised keeps what it does not write. */
int kept_ok(struct pair *x, int n) {
    x->g = 3;
    for (int i = 0; i < n; i++)
        x->f = i;
    assert(x->g == 3);
    return x->g;
}
