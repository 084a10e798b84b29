/* Locals whose block was left. */
#include <stddef.h>

int inner_block_bad(int x) {
    int *p = NULL;
    if (x > 0) {
        int local = x;
        p = &local;
    }
    return p != NULL ? *p : 0;  // expect: alarm use-after-free
}

int inner_block_ok(int x) {
    int *p = NULL;
    int local = x;
    if (x > 0)
        p = &local;
    return p != NULL ? *p : 0;
}

static int *address_bad(int x) {
    int kept[2] = {x, 0};
    int *p = kept;
    return p;  // expect: alarm use-after-free  // replay: confirmed-under-assumptions (shows only where it is used)
}

int dangling_result_bad(int x) {
    return *address_bad(x);  // expect: alarm use-after-free
}

/* Each round of the loop has its own array. */
int last_round_bad(void) {
    int *p = NULL;
    for (int i = 0; i < 2; i++) {
        int a[2] = {i, i};
        if (i == 0)
            p = a;
        else
            return *p;  // expect: alarm use-after-free  // replay: confirmed-under-assumptions (other memory lies there)
    }
    return 0;
}

int same_round_ok(void) {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int a[2] = {i, i};
        int *p = a;
        sum += *p;
    }
    return sum;
}
