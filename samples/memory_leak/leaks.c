/* Memory that nobody can free any more. */
#include <stddef.h>
#include <stdlib.h>

struct item {
    int value;
    struct item *next;
};

static struct item *items;

int early_return_bad(int n) {
    int *work = malloc(sizeof *work);  // expect: alarm memory-leak
    if (work == NULL)
        return -1;
    if (n < 0)
        return -2;
    *work = n;
    free(work);
    return 0;
}

int early_return_ok(int n) {
    if (n < 0)
        return -2;
    int *work = malloc(sizeof *work);
    if (work == NULL)
        return -1;
    *work = n;
    free(work);
    return 0;
}

/* The second allocation fails and the first one is forgotten. */
int two_buffers_bad(void) {
    char *a = malloc(8);  // expect: alarm memory-leak
    char *b = malloc(8);
    if (a == NULL || b == NULL) {
        free(b);
        return -1;
    }
    free(b);
    free(a);
    return 0;
}

int two_buffers_ok(void) {
    char *a = malloc(8);
    char *b = malloc(8);
    int result = a == NULL || b == NULL ? -1 : 0;
    free(b);
    free(a);
    return result;
}

/* The old block goes when the pointer to it does. */
void overwritten_bad(void) {
    int *p = malloc(sizeof *p);  // expect: alarm memory-leak
    p = malloc(sizeof *p);
    free(p);
}

/* Handed on: into a list, or to the caller. */
int kept_ok(int value) {
    struct item *item = malloc(sizeof *item);
    if (item == NULL)
        return -1;
    item->value = value;
    item->next = items;
    items = item;
    return 0;
}

struct item *pair_ok(int value) {
    struct item *first = malloc(sizeof *first);
    if (first == NULL)
        return NULL;
    first->value = value;
    first->next = malloc(sizeof *first);
    return first;
}

/* Only the head of the pair is freed. */
void drop_pair_bad(int value) {
    struct item *first = malloc(sizeof *first);
    if (first == NULL)
        return;
    first->value = value;
    first->next = malloc(sizeof *first);  // expect: alarm memory-leak
    free(first);
}

void drop_pair_ok(int value) {
    struct item *first = malloc(sizeof *first);
    if (first == NULL)
        return;
    first->value = value;
    first->next = malloc(sizeof *first);
    free(first->next);
    free(first);
}
