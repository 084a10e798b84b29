/* <strings.h> */
#include <assert.h>
#include <stddef.h>
#include <strings.h>

void without_case_ok(void) {
    assert(strcasecmp("Accept", "aCCEPT") == 0);  // expect: proved assertion
    assert(strncasecmp("HTTP/1.1", "http/2", 5) == 0);  // expect: proved assertion
}

int header_bad(const char *line) {
    return strcasecmp(line, "Host") == 0;  // expect: alarm null-deref
}

int header_ok(const char *line) {
    return line != NULL && strcasecmp(line, "Host") == 0;  // expect: proved null-deref
}

void zeroed_bad(void) {
    char key[16];
    bzero(key, 32);  // expect: alarm out-of-bounds
}

char zeroed_ok(void) {
    char key[16];
    bzero(key, sizeof key);  // expect: proved out-of-bounds
    return key[15];
}

void first_bit_ok(void) {
    assert(ffs(0) == 0 && ffs(8) == 4);  // expect: proved assertion
}
