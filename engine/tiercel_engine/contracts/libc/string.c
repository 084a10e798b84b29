/* <string.h>: the functions that walk over strings. memcpy, memmove, memset and strlen are built in. */
#include <stddef.h>

extern void *malloc(size_t);
extern void *memcpy(void *, const void *, size_t);
extern void __tiercel_readable(const void *, size_t);

/* -- copies */

char *strcpy(char *to, const char *from) {
    size_t i = 0;
    while ((to[i] = from[i]) != 0)
        i++;
    return to;
}

char *stpcpy(char *to, const char *from) {
    size_t i = 0;
    while ((to[i] = from[i]) != 0)
        i++;
    return to + i;
}

/* The arms of each iteration meet again: with a constant count, any number of them is followed. */
char *strncpy(char *to, const char *from, size_t count) {
    int ended = 0;
    for (size_t i = 0; i < count; i++) {
        char c = 0;
        if (!ended) {
            c = from[i];
            if (c == 0)
                ended = 1;
        }
        to[i] = c;
    }
    return to;
}

char *stpncpy(char *to, const char *from, size_t count) {
    size_t end = count;
    for (size_t i = 0; i < count; i++) {
        char c = 0;
        if (i < end) {
            c = from[i];
            if (c == 0)
                end = i;
        }
        to[i] = c;
    }
    return to + end;
}

char *strcat(char *to, const char *from) {
    size_t end = 0, i = 0;
    while (to[end] != 0)
        end++;
    while ((to[end + i] = from[i]) != 0)
        i++;
    return to;
}

char *strncat(char *to, const char *from, size_t count) {
    size_t end = 0, i = 0;
    while (to[end] != 0)
        end++;
    while (i < count && from[i] != 0) {
        to[end + i] = from[i];
        i++;
    }
    to[end + i] = 0;
    return to;
}

size_t strlcpy(char *to, const char *from, size_t count) {
    size_t i = 0;
    while (from[i] != 0) {
        if (i + 1 < count)
            to[i] = from[i];
        i++;
    }
    if (count != 0)
        to[i < count ? i : count - 1] = 0;
    return i;
}

size_t strlcat(char *to, const char *from, size_t count) {
    size_t end = 0, i = 0;
    while (end < count && to[end] != 0)
        end++;
    while (from[i] != 0) {
        if (end + i + 1 < count)
            to[end + i] = from[i];
        i++;
    }
    if (end < count)
        to[end + i < count ? end + i : count - 1] = 0;
    return end + i;
}

void *mempcpy(void *to, const void *from, size_t count) {
    return (char *)memcpy(to, from, count) + count;
}

void *memccpy(void *to, const void *from, int last, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
        if (((const unsigned char *)from)[i] == (unsigned char)last)
            return (char *)to + i + 1;
    }
    return NULL;
}

char *strdup(const char *from) {
    size_t length = 0;
    while (from[length] != 0)
        length++;
    char *to = malloc(length + 1);
    if (to == NULL)
        return NULL;
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    to[length] = 0;
    return to;
}

char *strndup(const char *from, size_t count) {
    size_t length = 0;
    while (length < count && from[length] != 0)
        length++;
    char *to = malloc(length + 1);
    if (to == NULL)
        return NULL;
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    to[length] = 0;
    return to;
}

/* -- comparisons: the difference of the first two bytes that differ, as in glibc */

int strcmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i++;
    return (unsigned char)a[i] - (unsigned char)b[i];
}

int strcoll(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i++;
    return (unsigned char)a[i] - (unsigned char)b[i];
}

int strncmp(const char *a, const char *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
        if (a[i] == 0)
            return 0;
    }
    return 0;
}

/* All bytes must be there, even if the first ones differ. */
int memcmp(const void *a, const void *b, size_t count) {
    __tiercel_readable(a, count);
    __tiercel_readable(b, count);
    const unsigned char *p = a, *q = b;
    for (size_t i = 0; i < count; i++)
        if (p[i] != q[i])
            return p[i] - q[i];
    return 0;
}

/* -- searches */

size_t strnlen(const char *s, size_t most) {
    size_t i = 0;
    while (i < most && s[i] != 0)
        i++;
    return i;
}

char *strchr(const char *s, int wanted) {
    for (size_t i = 0;; i++) {
        if (s[i] == (char)wanted)
            return (char *)s + i;
        if (s[i] == 0)
            return NULL;
    }
}

char *strchrnul(const char *s, int wanted) {
    size_t i = 0;
    while (s[i] != 0 && s[i] != (char)wanted)
        i++;
    return (char *)s + i;
}

char *strrchr(const char *s, int wanted) {
    const char *found = NULL;
    for (size_t i = 0;; i++) {
        if (s[i] == (char)wanted)
            found = s + i;
        if (s[i] == 0)
            return (char *)found;
    }
}

char *strstr(const char *s, const char *wanted) {
    for (size_t i = 0;; i++) {
        size_t j = 0;
        while (wanted[j] != 0 && s[i + j] == wanted[j])
            j++;
        if (wanted[j] == 0)
            return (char *)s + i;
        if (s[i + j] == 0)
            return NULL;
    }
}

size_t strspn(const char *s, const char *set) {
    size_t i = 0;
    for (; s[i] != 0; i++) {
        size_t j = 0;
        while (set[j] != 0 && set[j] != s[i])
            j++;
        if (set[j] == 0)
            return i;
    }
    return i;
}

size_t strcspn(const char *s, const char *set) {
    size_t i = 0;
    for (; s[i] != 0; i++) {
        size_t j = 0;
        while (set[j] != 0 && set[j] != s[i])
            j++;
        if (set[j] != 0)
            return i;
    }
    return i;
}

char *strpbrk(const char *s, const char *set) {
    size_t i = strcspn(s, set);
    return s[i] != 0 ? (char *)s + i : NULL;
}

void *memchr(const void *s, int wanted, size_t count) {
    const unsigned char *p = s;
    for (size_t i = 0; i < count; i++)
        if (p[i] == (unsigned char)wanted)
            return (char *)p + i;
    return NULL;
}

void *memrchr(const void *s, int wanted, size_t count) {
    __tiercel_readable(s, count);
    const unsigned char *p = s;
    for (size_t i = count; i > 0; i--)
        if (p[i - 1] == (unsigned char)wanted)
            return (char *)p + i - 1;
    return NULL;
}

/* -- words; strtok keeps a hidden state and has no model */

char *strsep(char **rest, const char *set) {
    char *word = *rest;
    if (word == NULL)
        return NULL;
    size_t length = strcspn(word, set);
    if (word[length] != 0) {
        word[length] = 0;
        *rest = word + length + 1;
    } else {
        *rest = NULL;
    }
    return word;
}

char *strtok_r(char *from, const char *set, char **rest) {
    if (from == NULL)
        from = *rest;
    from += strspn(from, set);
    if (*from == 0) {
        *rest = from;
        return NULL;
    }
    size_t length = strcspn(from, set);
    if (from[length] != 0) {
        from[length] = 0;
        *rest = from + length + 1;
    } else {
        *rest = from + length;
    }
    return from;
}

char *__strtok_r(char *from, const char *set, char **rest) {
    return strtok_r(from, set, rest);
}
