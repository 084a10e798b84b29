// options: --depth 0
// Calls that may change everything, one after the other: what they leave is made when it is looked at.
#include <stddef.h>

struct node {
    struct node *left, *right, *up, *other;
    int value;
};

void stir(struct node *n) {
    if (n != NULL && n->left != NULL) {
        n->left->value = 1;
        n->left = n->right;
    }
}

int many_calls(struct node *n, int a) {
    if (n == NULL)
        return 0;
    stir(n);
    if (a & 1)
        stir(n->left);
    stir(n);
    if (a & 2)
        stir(n->right);
    stir(n);
    if (a & 4)
        stir(n->up);
    stir(n);
    stir(n);
    stir(n);
    return n->value; // expect: proved null-deref
}

int value_lost(struct node *n) {
    if (n == NULL)
        return 0;
    n->value = 1;
    stir(n);
    return 10 / n->value; // expect: alarm div-by-zero
}

int value_kept(struct node *n, int a) {
    if (n == NULL)
        return 0;
    if (a)
        stir(n);
    n->value = 1;
    if (a > 3)
        n->left = NULL;
    return 10 / n->value; // expect: proved div-by-zero
}

int lost_on_one_way(struct node *n, int a) {
    if (n == NULL)
        return 0;
    n->value = 1;
    if (a)
        stir(n);
    return 10 / n->value; // expect: alarm div-by-zero
}

int in_a_loop(struct node *n, int a) {
    if (n == NULL)
        return 0;
    n->value = 1;
    for (int i = 0; i < a; i++)
        stir(n);
    return 10 / n->value; // expect: alarm div-by-zero
}

int in_a_loop_others(struct node *n, int a) {
    int kept = 7;
    if (n == NULL)
        return 0;
    for (int i = 0; i < a; i++)
        stir(n);
    return 10 / kept; // expect: proved div-by-zero
}
