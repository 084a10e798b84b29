/* The wrong size was asked for. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Counts elements, allocates bytes. */
int *quad_new_bad(void) {
    int *quad = malloc(4);
    if (quad == NULL)
        return NULL;
    quad[3] = 7;  // expect: alarm out-of-bounds
    return quad;
}

int *quad_new_ok(void) {
    int *quad = malloc(4 * sizeof *quad);
    if (quad == NULL)
        return NULL;
    quad[3] = 7;  // expect: proved out-of-bounds
    return quad;
}

struct message {
    uint32_t id;
    uint32_t payload[4];
};

/* sizeof of the pointer, not of what it points to. */
struct message *message_new_bad(void) {
    struct message *m = malloc(sizeof(m));
    if (m == NULL)
        return NULL;
    m->id = 1;
    m->payload[3] = 0;  // expect: alarm out-of-bounds
    return m;
}

struct message *message_new_ok(void) {
    struct message *m = malloc(sizeof(*m));
    if (m == NULL)
        return NULL;
    m->id = 1;
    m->payload[3] = 0;  // expect: proved out-of-bounds
    return m;
}

char *terminated_bad(size_t n) {
    char *text = malloc(n);
    if (text == NULL)
        return NULL;
    text[n] = '\0';  // expect: alarm out-of-bounds
    return text;
}

/* n + 1 is 0 for n = SIZE_MAX. */
char *terminated_wrap_bad(size_t n) {
    char *text = malloc(n + 1);
    if (text == NULL)
        return NULL;
    text[n] = '\0';  // expect: alarm out-of-bounds
    return text;
}

char *terminated_ok(size_t n) {
    if (n >= 4096)
        return NULL;
    char *text = malloc(n + 1);
    if (text == NULL)
        return NULL;
    text[n] = '\0';  // expect: proved out-of-bounds
    return text;
}

/* strlen does not count the terminator that is copied too. */
char *greeting_bad(void) {
    static const char ready[] = "READY";
    char *copy = malloc(strlen(ready));
    if (copy == NULL)
        return NULL;
    memcpy(copy, ready, sizeof ready);  // expect: alarm out-of-bounds
    return copy;
}

char *greeting_ok(void) {
    static const char ready[] = "READY";
    char *copy = malloc(sizeof ready);
    if (copy == NULL)
        return NULL;
    memcpy(copy, ready, sizeof ready);  // expect: proved out-of-bounds
    return copy;
}
