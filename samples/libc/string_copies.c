/* <string.h>: copies that do not fit, that overlap, that go to constants, that leave out the terminator. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* "tiercel" takes eight bytes. */
char name_bad(void) {
    char name[7];
    strcpy(name, "tiercel");  // expect: alarm out-of-bounds
    return name[0];
}

char name_ok(void) {
    char name[8];
    strcpy(name, "tiercel");  // expect: proved out-of-bounds
    return name[6];
}

char from_parameter_bad(const char *from) {
    char name[8];
    if (from == NULL)
        return 0;
    strcpy(name, from);  // expect: alarm out-of-bounds
    return name[0];
}

char from_parameter_ok(const char *from) {
    char name[8];
    if (from == NULL || strlen(from) >= sizeof name)
        return 0;
    strcpy(name, from);  // expect: proved out-of-bounds
    return name[0];
}

void null_source_bad(char *to, const char *from) {
    if (to == NULL)
        return;
    strcpy(to, from);  // expect: alarm null-deref; alarm out-of-bounds
}

/* Moves the text to the left over itself: memmove may, strcpy may not. */
void skip_first_bad(void) {
    char text[8] = "+value";
    strcpy(text, text + 1);  // expect: alarm out-of-bounds
}

void skip_first_ok(void) {
    char text[8] = "+value";
    memmove(text, text + 1, strlen(text));  // expect: proved out-of-bounds
}

void blocks_bad(void) {
    int rows[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    memcpy(rows + 1, rows, 4 * sizeof *rows);  // expect: alarm out-of-bounds
}

void blocks_ok(void) {
    int rows[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    memcpy(rows + 4, rows, 4 * sizeof *rows);  // expect: proved out-of-bounds
}

/* String constants must not be written. */
void constant_bad(void) {
    char *greeting = "Hello";
    greeting[0] = 'h';  // expect: alarm out-of-bounds
}

void append_to_constant_bad(void) {
    char *greeting = "Hello";
    strcat(greeting, "!");  // expect: alarm out-of-bounds
}

void append_ok(void) {
    char greeting[16] = "Hello";
    strcat(greeting, ", world");  // expect: proved out-of-bounds
}

void append_bad(void) {
    char greeting[12] = "Hello";
    strcat(greeting, ", world");  // expect: alarm out-of-bounds
}

/* strncpy does not write a terminator when the source is too long. */
size_t not_terminated_bad(void) {
    char key[4];
    strncpy(key, "long key", sizeof key);
    return strlen(key);  // expect: alarm out-of-bounds
}

size_t terminated_ok(void) {
    char key[4];
    strncpy(key, "long key", sizeof key - 1);
    key[sizeof key - 1] = '\0';
    return strlen(key);  // expect: proved out-of-bounds
}

/* The rest that strncat may append leaves no room for its terminator. */
void limited_append_bad(const char *from) {
    char line[8] = "> ";
    if (from != NULL)
        strncat(line, from, sizeof line - strlen(line));  // expect: alarm out-of-bounds
}

void limited_append_ok(const char *from) {
    char line[8] = "> ";
    if (from != NULL)
        strncat(line, from, sizeof line - strlen(line) - 1);  // expect: proved out-of-bounds
}

char duplicate_bad(void) {
    char *copy = strdup("text");
    char first = copy[0];  // expect: alarm null-deref
    free(copy);
    return first;
}

char duplicate_leak_bad(void) {
    char *copy = strdup("text");  // expect: alarm memory-leak
    return copy != NULL ? copy[3] : 0;
}

char duplicate_ok(void) {
    char *copy = strdup("text");
    if (copy == NULL)
        return 0;
    char last = copy[4];  // expect: proved out-of-bounds
    free(copy);
    return last;
}
