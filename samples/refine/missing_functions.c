/* Alarms that rest on what a function without source gives: its contract is to blame, for all of them. */
#include <stddef.h>
#include <stdlib.h>

struct entry {
    int key, value;
};

struct entry *find(int key);
int next_index(void);

static int values[10];

int value_of_bad(int key) {
    return find(key)->value;  // expect: alarm null-deref // refine: find ensures \result != \null // replay: confirmed-under-assumptions (find returns)
}

int sum_of_bad(int n) {
    int total = 0;
    for (int i = 0; i < n; i++)
        total ^= find(i)->value;  // expect: alarm null-deref // refine: find ensures \result != \null // replay: confirmed-under-assumptions (find returns)
    return total;
}

int current_bad(void) {
    return values[next_index()];  // expect: alarm out-of-bounds // refine: next_index ensures 0 <= \result < 10 // replay: confirmed-under-assumptions (next_index returns)
}

/* The C library's functions have their contracts already. */
int *made_bad(void) {
    int *p = malloc(sizeof *p);
    *p = 1;  // expect: alarm null-deref // refine: none (malloc)
    return p;
}
