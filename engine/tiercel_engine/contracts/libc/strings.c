/* <strings.h>, in the C locale. */
#include <stddef.h>

extern void *memset(void *, int, size_t);
extern void *memmove(void *, const void *, size_t);
extern int memcmp(const void *, const void *, size_t);
extern char *strchr(const char *, int);
extern char *strrchr(const char *, int);

static int __tiercel_lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int strcasecmp(const char *a, const char *b) {
    for (size_t i = 0;; i++) {
        int difference = __tiercel_lower(a[i]) - __tiercel_lower(b[i]);
        if (difference != 0 || a[i] == 0)
            return difference;
    }
}

int strncasecmp(const char *a, const char *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int difference = __tiercel_lower(a[i]) - __tiercel_lower(b[i]);
        if (difference != 0 || a[i] == 0)
            return difference;
    }
    return 0;
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

int bcmp(const void *a, const void *b, size_t count) {
    return memcmp(a, b, count);
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
