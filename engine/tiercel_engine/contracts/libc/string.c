/* <string.h>: the functions that walk over strings. memcpy, memmove, memset and strlen are built in. */
#include <stddef.h>

extern void *malloc(size_t);
extern size_t strlen(const char *);
extern void *memcpy(void *, const void *, size_t);

char *strcpy(char *to, const char *from) {
    size_t i = 0;
    while ((to[i] = from[i]) != 0)
        i++;
    return to;
}

int strcmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i++;
    return (unsigned char)a[i] - (unsigned char)b[i];
}
