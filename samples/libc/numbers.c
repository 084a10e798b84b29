/* <stdlib.h>, <errno.h>: numbers in strings. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

int index_bad(const char *text) {
    static const int table[10] = {0};
    if (text == NULL)
        return 0;
    return table[atoi(text)];  // expect: alarm out-of-bounds
}

int index_ok(const char *text) {
    static const int table[10] = {0};
    if (text == NULL)
        return 0;
    long at = strtol(text, NULL, 10);
    return at >= 0 && at < 10 ? table[at] : 0;
}

int no_text_bad(const char *text) {
    return atoi(text);  // expect: alarm null-deref
}

void parsed_ok(void) {
    char *end;
    assert(strtol(" -42x", &end, 10) == -42 && *end == 'x');  // expect: proved assertion
    assert(strtol("0x1f", NULL, 0) == 31);  // expect: proved assertion
    assert(strtoul("777", NULL, 8) == 511);  // expect: proved assertion
    assert(atoi("12") == 12);  // expect: proved assertion
}

/* A number that does not fit is the largest that does, and errno says so. */
void too_large_ok(void) {
    errno = 0;
    long n = strtol("99999999999999999999", NULL, 10);
    assert(n == LONG_MAX && errno == ERANGE);  // expect: proved assertion
}

void nothing_read_bad(void) {
    char *end;
    const char *text = "none";
    strtol(text, &end, 10);
    assert(end != text);  // expect: alarm assertion
}

/* errno is not reset by success. */
int stale_error_bad(void) {
    long n = strtol("7", NULL, 10);
    assert(errno == 0);  // expect: alarm assertion
    return (int)n;
}

int reset_error_ok(void) {
    errno = 0;
    long n = strtol("7", NULL, 10);
    assert(errno == 0);  // expect: proved assertion
    return (int)n;
}

double fraction_ok(const char *text) {
    char *end;
    if (text == NULL)
        return 0;
    double number = strtod(text, &end);
    return *end == '\0' ? number : 0;  // expect: proved out-of-bounds; proved null-deref
}
