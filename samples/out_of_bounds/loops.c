/* The end of a loop is one too far, or comes from the data. */
#include <stddef.h>
#include <stdint.h>

struct packet {
    uint8_t length;
    uint8_t data[4];
};

struct command {
    char text[4];
};

int clear_bad(void) {
    int slot[4];
    for (int i = 0; i <= 4; i++)
        slot[i] = 0;  // expect: alarm out-of-bounds
    return slot[0];
}

int clear_ok(void) {
    int slot[4];
    for (int i = 0; i < 4; i++)
        slot[i] = 0;  // expect: proved out-of-bounds
    return slot[0];
}

/* The length field was written by the sender. */
unsigned checksum_bad(const struct packet *p) {
    if (p == NULL)
        return 0;
    unsigned sum = 0;
    for (unsigned i = 0; i < p->length; i++)
        sum += p->data[i];  // expect: alarm out-of-bounds
    return sum;
}

unsigned checksum_ok(const struct packet *p) {
    if (p == NULL || p->length > sizeof p->data)
        return 0;
    unsigned sum = 0;
    for (unsigned i = 0; i < p->length; i++)
        sum += p->data[i];  // expect: proved out-of-bounds
    return sum;
}

/* Nobody promised a terminator. */
unsigned command_length_bad(const struct command *c) {
    if (c == NULL)
        return 0;
    unsigned n = 0;
    while (c->text[n] != '\0')  // expect: alarm out-of-bounds
        n++;
    return n;
}

unsigned command_length_ok(const struct command *c) {
    if (c == NULL)
        return 0;
    unsigned n = 0;
    while (n < sizeof c->text && c->text[n] != '\0')  // expect: proved out-of-bounds
        n++;
    return n;
}
