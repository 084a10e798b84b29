// options: --contracts inferred --depth 1
/* The bug that DC2 found in libupnp (Fig. 6 of its paper), reduced. The description is made in two steps, and the
 * second one fails without an error code: the caller goes on with a path that nobody has set. The two functions
 * that make the document are beyond the depth; that they can give success and NULL is all that matters. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = -101 };

struct node {
    struct node *first, *next;
    char *text;
};

int append_child_ok(struct node *parent, struct node *child) {
    if (parent == NULL || child == NULL)
        return INVALID_ARGUMENT;
    child->next = NULL;
    if (parent->first == NULL) {
        parent->first = child;
    } else {
        struct node *last = parent->first;
        while (last->next != NULL)
            last = last->next;
        last->next = child;
    }
    return SUCCESS;
}

struct node *create_text_ok(const char *text) {
    struct node *made = malloc(sizeof *made);
    if (made == NULL)
        return NULL;
    made->first = made->next = NULL;
    made->text = malloc(strlen(text) + 1); // expect: assumes text != \null
    if (made->text == NULL) {
        free(made);
        return NULL;
    }
    strcpy(made->text, text);
    return made;
}

static char root_path[] = "/";

static int describe_ok(struct node *root, struct node *element, const char *url, char **path) {
    struct node *text;
    int error = append_child_ok(root, element);
    if (error != SUCCESS)
        goto failed;
    text = create_text_ok(url); // expect: assumes url != \null
    if (text == NULL)
        goto failed;
    error = append_child_ok(element, text);
    if (error != SUCCESS)
        goto failed;
    *path = root_path; // expect: assumes path != \null
failed:
    return error;
}

static int alias_ok(const char *path, char *first) {
    if (path == NULL)
        return INVALID_ARGUMENT;
    *first = *path; // expect: assumes path == \null || first != \null
    return SUCCESS;
}

int configure_bad(struct node *root, struct node *element, const char *url) {
    char first;
    char *path;
    int error = describe_ok(root, element, url, &path); // expect: assumes url != \null
    if (error != SUCCESS)
        return error;
    return alias_ok(path, &first); // expect: alarm uninit-read
}
