// options: --contracts inferred
/* A field that says how much another one points to: `buflen` bytes at `buf`. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct message {
    unsigned char *buf;
    size_t buflen;
};

struct message *new_message_ok(size_t length) {
    struct message *made = malloc(sizeof *made);
    if (made == NULL)
        return NULL;
    made->buf = calloc(length, 1);
    if (made->buf == NULL) {
        free(made);
        return NULL;
    }
    made->buflen = length;
    return made;
}

unsigned checksum_ok(const struct message *m) {
    unsigned sum = 0;
    for (size_t i = 0; i < m->buflen; i++) // expect: assumes m != \null
        sum += m->buf[i]; // expect: assumes \valid_read(m->buf + (0 .. m->buflen - 1))
    return sum;
}

int byte_at_ok(const struct message *m, size_t i) {
    if (i >= m->buflen) // expect: assumes m != \null
        return -1;
    return m->buf[i]; // expect: assumes \valid_read(m->buf + (0 .. m->buflen - 1))
}

int set_byte_ok(struct message *m, size_t i, unsigned char value) {
    if (i >= m->buflen) // expect: assumes m != \null
        return -1;
    m->buf[i] = value; // expect: assumes \valid(m->buf + (0 .. m->buflen - 1))
    return 0;
}

/* One byte more, as of a text with its terminator: that is what its callers have to give, and one does not. */
int byte_or_end_ok(const struct message *m, size_t i) {
    if (i > m->buflen) // expect: assumes m != \null
        return -1;
    return m->buf[i]; // expect: assumes \valid_read(m->buf + (0 .. m->buflen))
}

int end_bad(void) {
    unsigned char bytes[4] = {1, 2, 3, 4};
    struct message m = {bytes, 4};
    return byte_or_end_ok(&m, 4); // expect: alarm out-of-bounds
}

int end_ok(void) {
    unsigned char bytes[5] = {1, 2, 3, 4, 0};
    struct message m = {bytes, 4};
    return byte_or_end_ok(&m, 4);
}

/* The field says more than there is. */
unsigned overstated_bad(void) {
    unsigned char bytes[4] = {1, 2, 3, 4};
    struct message m = {bytes, 5};
    return checksum_ok(&m); // expect: alarm out-of-bounds
}

unsigned stated_ok(void) {
    unsigned char bytes[4] = {1, 2, 3, 4};
    struct message m = {bytes, 4};
    return checksum_ok(&m);
}

int made_and_read_ok(void) {
    struct message *m = new_message_ok(8);
    if (m == NULL)
        return -1;
    int found = byte_at_ok(m, 3);
    free(m->buf);
    free(m);
    return found;
}

int grown_bad(void) {
    struct message *m = new_message_ok(8);
    if (m == NULL)
        return -1;
    m->buflen = 16;
    int found = byte_at_ok(m, 8); // expect: alarm out-of-bounds
    free(m->buf);
    free(m);
    return found;
}
