/* Copies and fills of variable length initialise only a part. */
#include <stdlib.h>
#include <string.h>

struct pair {
    int a, b;
};

int copied(const struct pair *from, unsigned k, unsigned n) {
    if (!from || n > 100 || n < 10 || k > 1)
        return 0;
    struct pair *p = malloc(n * sizeof *p);
    if (!p)
        return 0;
    memcpy(p, from, k * sizeof *p);
    int r = p[7].b > 3;  // expect: unknown uninit-read (variable length)
    free(p);
    return r;
}

int filled(unsigned k, unsigned n) {
    if (n > 100 || n < 10 || k > 5)
        return 0;
    struct pair *p = malloc(n * sizeof *p);
    if (!p)
        return 0;
    memset(p, 0, k * sizeof *p);
    int r = p[7].b > 3;  // expect: unknown uninit-read (variable length)
    free(p);
    return r;
}

int all_set_before(unsigned k) {
    struct pair p[40];
    if (k > 40)
        return 0;
    memset(p, 0, sizeof p);
    memset(p, 1, k * sizeof *p);
    return p[7].b > 3;
}
