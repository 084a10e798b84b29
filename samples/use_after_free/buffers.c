/* Memory that is used when it is no longer there. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct message {
    int length;
    struct message *next;
};

/* The classic: the loop's step reads what its body has freed. */
void drop_all_bad(struct message *list) {
    for (struct message *m = list; m != NULL; m = m->next)  // expect: alarm use-after-free
        free(m);
}

void drop_all_ok(struct message *list) {
    while (list != NULL) {
        struct message *next = list->next;
        free(list);
        list = next;
    }
}

int length_after_free_bad(struct message *m) {
    if (m == NULL)
        return 0;
    free(m);
    return m->length;  // expect: alarm use-after-free
}

int length_after_free_ok(struct message *m) {
    if (m == NULL)
        return 0;
    int length = m->length;
    free(m);
    return length;
}

/* Freed on the error path, used on the common one. */
int process_bad(int code) {
    int *work = malloc(4 * sizeof *work);
    if (work == NULL)
        return -1;
    work[0] = code;
    if (code < 0)
        free(work);
    int first = work[0];  // expect: alarm use-after-free
    if (code >= 0)
        free(work);
    return first;
}

int process_ok(int code) {
    int *work = malloc(4 * sizeof *work);
    if (work == NULL)
        return -1;
    work[0] = code;
    int first = work[0];
    free(work);
    return first;
}
