/* <strings.h>, in the C locale. */
#include "primitives.h"

extern int memcmp(const void *, const void *, size_t);
extern char *strchr(const char *, int);
extern char *strrchr(const char *, int);

static int __tiercel_lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

/* any number of the right sign */
int strcasecmp(const char *a, const char *b) {
    for (size_t i = 0;; i++) {
        int first = __tiercel_lower(a[i]), second = __tiercel_lower(b[i]);
        if (first != second || first == 0)
            return __tiercel_order(first, second);
    }
}

/* any number of the right sign */
int strncasecmp(const char *a, const char *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int first = __tiercel_lower(a[i]), second = __tiercel_lower(b[i]);
        if (first != second || first == 0)
            return __tiercel_order(first, second);
    }
    return 0;
}

/* in the C locale */
char *strcasestr(const char *s, const char *wanted) {
    __tiercel_string(wanted);
    for (size_t i = 0;; i++) {
        size_t j = 0;
        while (wanted[j] != 0 && __tiercel_lower(s[i + j]) == __tiercel_lower(wanted[j]))
            j++;
        if (wanted[j] == 0)
            return (char *)s + i;
        if (s[i + j] == 0)
            return NULL;
    }
}

void bzero(void *to, size_t count) {
    memset(to, 0, count);
}

void explicit_bzero(void *to, size_t count) {
    memset(to, 0, count);
}

void bcopy(const void *from, void *to, size_t count) {
    memmove(to, from, count);
}

/* 0 or any other number */
int bcmp(const void *a, const void *b, size_t count) {
    int result = __VERIFIER_nondet_int(), differs = memcmp(a, b, count) != 0;
    __VERIFIER_assume((result != 0) == differs);
    return result;
}

char *index(const char *s, int wanted) {
    return strchr(s, wanted);
}

char *rindex(const char *s, int wanted) {
    return strrchr(s, wanted);
}

int ffs(int bits) {
    for (int i = 0; i < 32; i++)
        if ((unsigned)bits >> i & 1u)
            return i + 1;
    return 0;
}

int ffsl(long bits) {
    for (int i = 0; i < (int)sizeof bits * 8; i++)
        if ((unsigned long)bits >> i & 1u)
            return i + 1;
    return 0;
}

int ffsll(long long bits) {
    for (int i = 0; i < 64; i++)
        if ((unsigned long long)bits >> i & 1u)
            return i + 1;
    return 0;
}
