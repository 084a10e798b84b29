/* <string.h>: comparisons, searches, words. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

/* There may be no '='. */
char value_bad(const char *setting) {
    if (setting == NULL)
        return 0;
    const char *equals = strchr(setting, '=');
    return equals[1];  // expect: alarm null-deref
}

char value_ok(void) {
    const char *equals = strchr("key=v", '=');
    return equals[1];  // expect: proved null-deref; proved out-of-bounds
}

char extension_bad(void) {
    const char *dot = strrchr("Makefile", '.');
    return *dot;  // expect: alarm null-deref
}

char extension_ok(void) {
    const char *dot = strrchr("a.b.c", '.');
    return dot[1];  // expect: proved null-deref
}

void compared_ok(void) {
    const char *a = "abc", *b = "abd";
    assert(strcmp(a, a) == 0);  // expect: proved assertion
    assert(strcmp(a, b) < 0);  // expect: proved assertion
    assert(strncmp(a, b, 2) == 0);  // expect: proved assertion
    assert(memcmp(a, b, 3) < 0);  // expect: proved assertion
}

/* Only the sign of the result is known. */
void sign_bad(void) {
    const char *a = "a", *b = "b";
    assert(strcmp(b, a) == 1);  // expect: alarm assertion  // replay: not-reproduced (returned without failing)
}

/* All bytes must be there, even if the first ones differ. */
int magic_bad(const unsigned char *file) {
    return file != NULL && memcmp(file, "\x7f" "ELF", 4) == 0;  // expect: alarm out-of-bounds
}

int magic_ok(void) {
    unsigned char file[4] = {0x7f, 'E', 'L', 'F'};
    return memcmp(file, "\x7f" "ELF", sizeof file) == 0;  // expect: proved out-of-bounds
}

int unset_bad(void) {
    char word[4];
    return strcmp(word, "yes");  // expect: alarm uninit-read
}

int unterminated_bad(void) {
    char word[3] = {'y', 'e', 's'};
    return strcmp(word, "yes");  // expect: alarm out-of-bounds
}

int found_ok(void) {
    const char *place = strstr("a needle", "nee");
    assert(place != NULL && place[0] == 'n');  // expect: proved assertion
    return memchr("xyz", 'y', 3) != NULL;
}

int spans_ok(void) {
    assert(strspn("123abc", "0123456789") == 3);  // expect: proved assertion
    assert(strcspn("key=v", "=") == 3);  // expect: proved assertion
    return 0;
}

/* After the last word there is none. */
char second_word_bad(void) {
    char line[] = "word";
    strtok(line, " ");
    return *strtok(NULL, " ");  // expect: alarm null-deref
}

char second_word_ok(void) {
    char line[] = "a b";
    char *rest = NULL;
    strtok_r(line, " ", &rest);
    char *word = strtok_r(NULL, " ", &rest);
    return *word;  // expect: proved null-deref
}

/* strtok writes into its argument. */
char constant_bad(void) {
    char *word = strtok("a b", " ");  // expect: alarm out-of-bounds
    return word != NULL ? *word : 0;
}
