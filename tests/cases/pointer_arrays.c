// Arrays of pointers from outside, and functions of which no type is known.
#include <stddef.h>

struct entry {
    struct entry *next;
    int value;
};

struct table {
    struct entry **entries;
    unsigned long mask;
};

int first(char **words) {
    if (words == NULL || words[0] == NULL)
        return 0;
    return words[0][0]; // expect: proved null-deref; proved out-of-bounds
}

int not_tested(char **words, int n) {
    if (words == NULL || n < 0)
        return 0;
    return *words[n]; // expect: alarm out-of-bounds; alarm null-deref
}

int bucket(const struct table *t, unsigned long hash) {
    if (t == NULL || t->entries == NULL)
        return 0;
    struct entry *e = t->entries[hash & t->mask]; // expect: alarm out-of-bounds
    return e != NULL ? e->value : 0; // expect: proved null-deref; proved out-of-bounds
}

int same_element(struct entry **all, unsigned long i, unsigned long j) {
    if (all == NULL || all[i] == NULL || all[j] == NULL) // expect: alarm out-of-bounds
        return 0;
    all[i]->value = 1;
    all[j]->value = 0;
    return 10 / all[i]->value; // expect: alarm div-by-zero
}

int other_element(struct entry **all, unsigned long i, unsigned long j) {
    if (all == NULL || all[i] == NULL || all[j] == NULL || i == j) // expect: alarm out-of-bounds
        return 0;
    all[i]->value = 1;
    all[j]->value = 0;
    return 10 / all[i]->value; // expect: proved div-by-zero
}

int stored_element(struct entry **all, struct entry *mine, unsigned long i) {
    if (all == NULL || mine == NULL)
        return 0;
    mine->value = 3;
    all[i] = mine; // expect: alarm out-of-bounds
    return 10 / all[i]->value; // expect: proved null-deref; proved div-by-zero
}

int sum(struct entry **all, int n) {
    int found = 0;
    if (all == NULL)
        return 0;
    for (int i = 0; i < n; i++) {
        if (all[i] == NULL) // expect: alarm out-of-bounds
            break;
        found |= all[i]->value; // expect: proved null-deref
    }
    return found;
}

extern struct {
    void *(*get)(size_t);
    void (*put)(void *);
} allocator;

int through_global(void) {
    char *block = allocator.get(8); // expect: alarm null-deref
    if (block != NULL)
        allocator.put(block); // expect: alarm null-deref
    return 0;
}

int through_void(void *f, int a) {
    if (f == NULL)
        return 0;
    return 10 / ((int (*)(int))f)(a); // expect: alarm div-by-zero
}

int no_function(int *f) {
    if (f == NULL)
        return 0;
    return ((int (*)(void))f)(); // its status is unknown: an int is no function
}
