/* What free() must not be given. */
#include <stddef.h>
#include <stdlib.h>

struct device {
    char *name;
    int open;
};

int both_paths_bad(int code) {
    char *buffer = malloc(16);
    if (buffer == NULL)
        return -1;
    if (code < 0)
        free(buffer);
    free(buffer);  // expect: alarm invalid-free
    return 0;
}

int both_paths_ok(int code) {
    char *buffer = malloc(16);
    if (buffer == NULL)
        return -1;
    if (code < 0) {
        free(buffer);
        return -1;
    }
    free(buffer);
    return 0;
}

/* The name is optional, and then the array on the stack. */
int default_name_bad(int wanted) {
    char fallback[8] = "none";
    char *name = wanted ? malloc(8) : fallback;
    if (name == NULL)
        return -1;
    free(name);  // expect: alarm invalid-free
    return 0;
}

int default_name_ok(int wanted) {
    char fallback[8] = "none";
    char *name = wanted ? malloc(8) : fallback;
    if (name == NULL)
        return -1;
    if (name != fallback)
        free(name);
    return 0;
}

/* The pointer has moved. */
int skip_spaces_bad(void) {
    char *text = calloc(8, 1);
    if (text == NULL)
        return -1;
    text++;
    free(text);  // expect: alarm invalid-free
    return 0;
}

int skip_spaces_ok(void) {
    char *text = calloc(8, 1);
    if (text == NULL)
        return -1;
    char *at = text;
    at++;
    free(text);
    return 0;
}

static struct device current;

void close_twice_bad(void) {
    free(&current);  // expect: alarm invalid-free
}

void close_ok(struct device *device) {
    if (device == NULL || !device->open)
        return;
    free(device->name);
    device->name = NULL;
    device->open = 0;
}
