/* <stdio.h>: how long formatted text gets, what formatted input writes. */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* "-2147483648" and its terminator are twelve bytes. */
int number_bad(int n) {
    char text[11];
    return sprintf(text, "%d", n);  // expect: alarm out-of-bounds
}

int number_ok(int n) {
    char text[12];
    return sprintf(text, "%d", n);  // expect: proved out-of-bounds
}

int small_number_ok(int n) {
    char text[4];
    if (n < 0 || n > 999)
        return 0;
    return sprintf(text, "%d", n);  // expect: proved out-of-bounds
}

int padded_bad(unsigned char n) {
    char text[8];
    return sprintf(text, "%08x", n);  // expect: alarm out-of-bounds
}

int padded_ok(unsigned char n) {
    char text[9];
    return sprintf(text, "%08x", n);  // expect: proved out-of-bounds
}

int greeting_bad(const char *name) {
    char text[16];
    if (name == NULL)
        return 0;
    return sprintf(text, "Hello %s", name);  // expect: alarm out-of-bounds
}

int greeting_ok(const char *name) {
    char text[16];
    if (name == NULL || strlen(name) > 9)
        return 0;
    return sprintf(text, "Hello %s", name);  // expect: proved out-of-bounds
}

/* snprintf cuts off what does not fit, and returns how long it would have been. */
size_t cut_off_ok(const char *name) {
    char text[16];
    if (name == NULL)
        return 0;
    snprintf(text, sizeof text, "Hello %s", name);  // expect: proved out-of-bounds
    return strlen(text);  // expect: proved out-of-bounds; proved uninit-read
}

char cut_off_length_bad(const char *name) {
    char text[16];
    if (name == NULL)
        return 0;
    int length = snprintf(text, sizeof text, "%s", name);
    return text[length];  // expect: alarm out-of-bounds
}

void wrong_room_bad(int n) {
    char text[8];
    snprintf(text, 16, "%d", n);  // expect: alarm out-of-bounds
}

void text_ok(void) {
    char text[8];
    int length = snprintf(text, sizeof text, "a%s%c", "bc", 'd');
    assert(length == 4 && strcmp(text, "abcd") == 0);  // expect: proved assertion
}

/* A text must not be formatted into itself. */
void appended_bad(int n) {
    char text[32] = "total";
    sprintf(text, "%s %d", text, n);  // expect: alarm out-of-bounds  // replay: confirmed-under-assumptions (other memory lies there)
}

void printed_bad(const char *name) {
    printf("%s\n", name);  // expect: alarm null-deref  // replay: not-reproduced (returned without failing)
}

void printed_ok(const char *name) {
    printf("%s\n", name != NULL ? name : "nobody");  // expect: proved null-deref
}

/* The buffer needs one byte more than the width. */
int word_bad(void) {
    char word[8];
    if (scanf("%8s", word) != 1)  // expect: alarm out-of-bounds  // replay: confirmed-under-assumptions (not called for real)
        return 0;
    return word[0];
}

size_t word_ok(void) {
    char word[8];
    if (scanf("%7s", word) != 1)  // expect: proved out-of-bounds
        return 0;
    return strlen(word);  // expect: proved out-of-bounds
}

/* Only one of the two numbers may be there. */
int pair_bad(const char *text) {
    int x, y;
    if (text == NULL || sscanf(text, "%d %d", &x, &y) < 1)
        return 0;
    return x == y;  // expect: alarm uninit-read  // replay: confirmed-under-assumptions (seen by interpreting the code)
}

int pair_ok(const char *text) {
    int x, y;
    if (text == NULL || sscanf(text, "%d %d", &x, &y) != 2)
        return 0;
    return x == y;  // expect: proved uninit-read
}

/* The argument is where to store the number. */
int null_target_bad(int *to) {
    return scanf("%d", to);  // expect: alarm null-deref  // replay: confirmed-under-assumptions (not called for real)
}
