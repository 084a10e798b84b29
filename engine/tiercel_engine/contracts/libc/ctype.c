/* <ctype.h> in the C locale. An argument that is neither EOF nor the value of an
   unsigned char is an access outside of the table that all implementations use. */

#include "primitives.h"

static int __tiercel_truth(int holds) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result >= 0 && result <= 65535 && (result != 0) == (holds != 0));
    return result;
}

int isalnum(int c) {
    __tiercel_character(c);
    return __tiercel_truth((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
}

int isalpha(int c) {
    __tiercel_character(c);
    return __tiercel_truth((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
}

int isblank(int c) {
    __tiercel_character(c);
    return __tiercel_truth(c == ' ' || c == '\t');
}

int iscntrl(int c) {
    __tiercel_character(c);
    return __tiercel_truth((c >= 0 && c < ' ') || c == 127);
}

int isdigit(int c) {
    __tiercel_character(c);
    return __tiercel_truth(c >= '0' && c <= '9');
}

int isgraph(int c) {
    __tiercel_character(c);
    return __tiercel_truth(c > ' ' && c < 127);
}

int islower(int c) {
    __tiercel_character(c);
    return __tiercel_truth(c >= 'a' && c <= 'z');
}

int isprint(int c) {
    __tiercel_character(c);
    return __tiercel_truth(c >= ' ' && c < 127);
}

int ispunct(int c) {
    __tiercel_character(c);
    return __tiercel_truth((c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 127));
}

int isspace(int c) {
    __tiercel_character(c);
    return __tiercel_truth(c == ' ' || (c >= '\t' && c <= '\r'));
}

int isupper(int c) {
    __tiercel_character(c);
    return __tiercel_truth(c >= 'A' && c <= 'Z');
}

int isxdigit(int c) {
    __tiercel_character(c);
    return __tiercel_truth((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'));
}

int isascii(int c) {
    return (c & ~127) == 0;
}

int toascii(int c) {
    return c & 127;
}

int tolower(int c) {
    __tiercel_character(c);
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

int toupper(int c) {
    __tiercel_character(c);
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}
