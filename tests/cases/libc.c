/* The models of the C library, where they are about the engine: lengths without loops, tables, blocks. */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned short **__ctype_b_loc(void);

/* -- lengths */

/* A string of any length is not cut off. */
char *duplicate(const char *from) {
    if (from == NULL)
        return NULL;
    size_t length = strlen(from);
    char *to = malloc(length + 1);
    if (to != NULL)
        to[length] = '\0';  // expect: proved out-of-bounds
    return to;
}

char last(const char *s) {
    if (s == NULL || *s == '\0')
        return 0;
    return s[strlen(s) - 1];  // expect: proved out-of-bounds
}

int in_the_middle(unsigned start) {
    const char *text = "0123456789";
    if (start > 10)
        return 0;
    assert(strlen(text + start) == 10 - start);  // expect: proved assertion
    return 0;
}

int with_precision(const char *s, int most) {
    char text[8];
    if (s == NULL || most < 0 || most > 7)
        return 0;
    return sprintf(text, "%.*s", most, s);  // expect: proved out-of-bounds
}

int unlimited_precision(const char *s, int most) {
    char text[8];
    if (s == NULL || most > 7)
        return 0;
    return sprintf(text, "%.*s", most, s);  // expect: alarm out-of-bounds
}

int not_terminated_but_limited(void) {
    char tag[4] = {'R', 'I', 'F', 'F'};
    return printf("%.4s", tag);  // expect: proved out-of-bounds
}

size_t word_of_a_line(const char *line) {
    char word[8];
    if (line == NULL || strlen(line) > 7 || sscanf(line, "%s", word) != 1)  // expect: proved out-of-bounds
        return 0;
    return strlen(word);
}

int number_and_rest(void) {
    int number, used;
    char kind;
    if (sscanf("1k", "%d%c%n", &number, &kind, &used) != 2)
        return 0;
    return number == kind;  // expect: proved uninit-read
}

/* -- blocks */

int variable_copy(unsigned n) {
    char to[16], from[16] = "hello";
    if (n > 16 || n < 1)
        return 0;
    memcpy(to, from, n);  // expect: proved out-of-bounds
    assert(to[0] == 'h');  // expect: proved assertion
    return 0;
}

int variable_copy_of_words(unsigned n) {
    int to[4] = {0}, from[4] = {1, 2, 3, 4};
    if (n > 4)
        return 0;
    memcpy(to, from, n * sizeof *to);  // expect: proved out-of-bounds
    assert(to[3] == (n == 4 ? 4 : 0));  // expect: proved assertion
    return 0;
}

int variable_fill(unsigned n, unsigned at) {
    char bytes[16] = {0};
    if (n > 16 || at > 15 || n + at > 16)
        return 0;
    memset(bytes + at, 7, n);  // expect: proved out-of-bounds
    assert(n == 0 || bytes[at] == 7);  // expect: proved assertion
    assert(at == 0 || bytes[at - 1] == 0);  // expect: proved assertion
    return 0;
}

int part_not_filled(unsigned n) {
    char bytes[16];
    if (n > 16)
        return 0;
    memset(bytes, 7, n);
    return bytes[2] == 7;  // expect: alarm uninit-read
}

/* A copy onto itself is what struct assignment may be. */
struct pair {
    int values[10];
};

void assigned(struct pair *all, unsigned i, unsigned j) {
    if (all != NULL && i == 0 && j == 0)
        all[i] = all[j];  // expect: proved out-of-bounds
}

/* -- reallocation */

int *grown(int *old, size_t n) {
    if (old == NULL || n < 1 || n > 100)
        return NULL;
    int first = old[0];
    int *more = realloc(old, n * sizeof *more);
    if (more == NULL)
        return NULL;
    assert(more[0] == first);  // expect: proved assertion
    return more;
}

int from_nothing(void) {
    int *p = realloc(NULL, sizeof *p);
    if (p == NULL)
        return 0;
    int unset = *p == 0;  // expect: alarm uninit-read
    free(p);
    return unset;
}

/* -- tables */

int table(int c) {
    if (c < -128 || c > 255)
        return 0;
    assert(((*__ctype_b_loc())['a'] & 0x400) != 0);  // expect: proved assertion
    return (*__ctype_b_loc())[c] & 0x400;  // expect: proved out-of-bounds
}

int table_too_short(int c) {
    return (*__ctype_b_loc())[c] & 0x400;  // expect: alarm out-of-bounds
}

void fill_text(char *p);

/* What an unseen function wrote is text as well. */
size_t length_of_filled(char *s) {
    if (!s)
        return 0;
    fill_text(s);
    return strlen(s);  // expect: proved out-of-bounds
}

int counted_characters(void) {
    int n;
    printf("abc%n", &n);
    return n;
}

/* No bytes may be anywhere. */
void copy_nothing(char *to, const char *from, unsigned n) {
    if (n == 0)
        memcpy(to, from, n);
    memcpy(to, from, 0);
    memcpy(to, from, n);  // expect: alarm null-deref; alarm out-of-bounds
}
