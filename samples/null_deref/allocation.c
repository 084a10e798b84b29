/* malloc and calloc return NULL when memory is short. */
#include <stdint.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct node *node_new_bad(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;  // expect: alarm null-deref
    node->next = NULL;
    return node;
}

struct node *node_new_ok(int value) {
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        return NULL;
    node->value = value;  // expect: proved null-deref
    node->next = NULL;
    return node;
}

uint32_t *window_new_bad(uint32_t first) {
    uint32_t *window = calloc(4, sizeof *window);
    window[0] = first;  // expect: alarm null-deref
    return window;
}

uint32_t *window_new_ok(uint32_t first) {
    uint32_t *window = calloc(4, sizeof *window);
    if (window != NULL)
        window[0] = first;  // expect: proved null-deref; proved out-of-bounds
    return window;
}

/* The first result is checked, the second is not. */
int pair_sum_bad(void) {
    short *a = malloc(sizeof *a);
    short *b = malloc(sizeof *b);
    if (a == NULL) {
        free(b);
        return 0;
    }
    *a = 1;
    *b = 2;  // expect: alarm null-deref
    int sum = *a + *b;
    free(a);
    free(b);
    return sum;
}

int pair_sum_ok(void) {
    short *a = malloc(sizeof *a);
    short *b = malloc(sizeof *b);
    int sum = 0;
    if (a != NULL && b != NULL) {
        *a = 1;
        *b = 2;  // expect: proved null-deref
        sum = *a + *b;
    }
    free(a);
    free(b);
    return sum;
}
