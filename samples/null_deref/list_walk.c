/* Walking off the end of a list. */
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int nth_bad(unsigned n) {
    struct node tail = {2, NULL};
    struct node head = {1, &tail};
    struct node *at = &head;
    while (n > 0) {
        at = at->next;  // expect: alarm null-deref
        n--;
    }
    return at->value;  // expect: alarm null-deref
}

int nth_ok(unsigned n) {
    struct node tail = {2, NULL};
    struct node head = {1, &tail};
    struct node *at = &head;
    while (n > 0 && at != NULL) {
        at = at->next;
        n--;
    }
    return at != NULL ? at->value : -1;
}

int third_bad(void) {
    struct node tail = {2, NULL};
    struct node head = {1, &tail};
    return head.next->next->value;  // expect: alarm null-deref
}

int second_ok(void) {
    struct node tail = {2, NULL};
    struct node head = {1, &tail};
    return head.next->value;  // expect: proved null-deref
}
