/* <ctype.h> in the C locale, with the results of glibc. An argument that is neither EOF nor the value of an
   unsigned char is an access outside of the table that all implementations use. */

extern void __tiercel_character(int);

int isalnum(int c) {
    __tiercel_character(c);
    return ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) ? 8 : 0;
}

int isalpha(int c) {
    __tiercel_character(c);
    return ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) ? 1024 : 0;
}

int isblank(int c) {
    __tiercel_character(c);
    return (c == ' ' || c == '\t') ? 1 : 0;
}

int iscntrl(int c) {
    __tiercel_character(c);
    return ((c >= 0 && c < ' ') || c == 127) ? 2 : 0;
}

int isdigit(int c) {
    __tiercel_character(c);
    return c >= '0' && c <= '9' ? 2048 : 0;
}

int isgraph(int c) {
    __tiercel_character(c);
    return c > ' ' && c < 127 ? 32768 : 0;
}

int islower(int c) {
    __tiercel_character(c);
    return c >= 'a' && c <= 'z' ? 512 : 0;
}

int isprint(int c) {
    __tiercel_character(c);
    return c >= ' ' && c < 127 ? 16384 : 0;
}

int ispunct(int c) {
    __tiercel_character(c);
    return ((c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 127)) ? 4 : 0;
}

int isspace(int c) {
    __tiercel_character(c);
    return (c == ' ' || (c >= '\t' && c <= '\r')) ? 8192 : 0;
}

int isupper(int c) {
    __tiercel_character(c);
    return c >= 'A' && c <= 'Z' ? 256 : 0;
}

int isxdigit(int c) {
    __tiercel_character(c);
    return ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f')) ? 4096 : 0;
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
