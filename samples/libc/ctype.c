/* <ctype.h> */
#include <assert.h>
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>

/* A char may be negative. */
int letter_bad(char c) {
    return isalpha(c);  // expect: alarm out-of-bounds
}

int letter_ok(char c) {
    return isalpha((unsigned char)c);  // expect: proved out-of-bounds
}

/* What getchar returns is what these functions take. */
int input_ok(void) {
    int c = getchar();
    return isspace(c) ? ' ' : toupper(c);  // expect: proved out-of-bounds
}

int digit_value_ok(unsigned char c) {
    int value = isdigit(c) ? c - '0' : -1;
    assert(value >= -1 && value <= 9);  // expect: proved assertion
    return value;
}

/* Hexadecimal digits are more than the decimal ones. */
int hexadecimal_bad(unsigned char c) {
    int value = isxdigit(c) ? c - '0' : 0;
    assert(value < 16);  // expect: alarm assertion
    return value;
}

int case_ok(unsigned char c) {
    assert(!isupper(tolower(c)));  // expect: proved assertion
    assert(tolower('Q') == 'q' && toupper('7') == '7');  // expect: proved assertion
    return 0;
}

/* True is any number but zero. */
int truth_bad(void) {
    assert(isdigit('5') == 1);  // expect: alarm assertion
    return 0;
}
