/* <string.h>: the functions that walk over strings. */
#include "primitives.h"

/* -- copies */

/* source and target must not overlap */
char *strcpy(char *to, const char *from) {
    for (size_t i = 0;; i++) {
        __tiercel_apart(to + i, from);
        __tiercel_apart(from + i, to);
        if ((to[i] = from[i]) == 0)
            return to;
    }
}

/* source and target must not overlap */
char *stpcpy(char *to, const char *from) {
    for (size_t i = 0;; i++) {
        __tiercel_apart(to + i, from);
        __tiercel_apart(from + i, to);
        if ((to[i] = from[i]) == 0)
            return to + i;
    }
}

/* The arms of each iteration meet again: with a constant count, any number of them is followed. */

/* source and target must not overlap */
char *strncpy(char *to, const char *from, size_t count) {
    int ended = 0;
    for (size_t i = 0; i < count; i++) {
        char c = 0;
        __tiercel_apart(to + i, from);
        if (!ended) {
            __tiercel_apart(from + i, to);
            c = from[i];
            if (c == 0)
                ended = 1;
        }
        to[i] = c;
    }
    return to;
}

/* source and target must not overlap */
char *stpncpy(char *to, const char *from, size_t count) {
    size_t end = count;
    for (size_t i = 0; i < count; i++) {
        char c = 0;
        __tiercel_apart(to + i, from);
        if (i < end) {
            __tiercel_apart(from + i, to);
            c = from[i];
            if (c == 0)
                end = i;
        }
        to[i] = c;
    }
    return to + end;
}

/* both must be strings that do not overlap */
char *strcat(char *to, const char *from) {
    char *end = to + strlen(to);
    for (size_t i = 0;; i++) {
        __tiercel_apart(end + i, from);
        __tiercel_apart(from + i, end);
        if ((end[i] = from[i]) == 0)
            return to;
    }
}

/* both must be strings that do not overlap */
char *strncat(char *to, const char *from, size_t count) {
    char *end = to + strlen(to);
    size_t i = 0;
    while (i < count && from[i] != 0) {
        __tiercel_apart(end + i, from);
        __tiercel_apart(from + i, end);
        end[i] = from[i];
        i++;
    }
    end[i] = 0;
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

/* source and target must not overlap */
void *mempcpy(void *to, const void *from, size_t count) {
    return (char *)memcpy(to, from, count) + count;
}

/* source and target must not overlap */
void *memccpy(void *to, const void *from, int last, size_t count) {
    for (size_t i = 0; i < count; i++) {
        __tiercel_apart((char *)to + i, from);
        __tiercel_apart((const char *)from + i, to);
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
        if (((const unsigned char *)from)[i] == (unsigned char)last)
            return (char *)to + i + 1;
    }
    return NULL;
}

/* NULL or a copy in memory that is to be freed */
char *strdup(const char *from) {
    size_t length = strlen(from);
    char *to = malloc(length + 1);
    if (to == NULL) {
        *__errno_location() = 12;
        return NULL;
    }
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    to[length] = 0;
    return to;
}

/* NULL or a copy in memory that is to be freed */
char *strndup(const char *from, size_t count) {
    size_t length = 0;
    while (length < count && from[length] != 0)
        length++;
    char *to = malloc(length + 1);
    if (to == NULL) {
        *__errno_location() = 12;
        return NULL;
    }
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    to[length] = 0;
    return to;
}

/* -- comparisons: any number of the right sign */

static int __tiercel_order(unsigned char a, unsigned char b) {
    int order = __VERIFIER_nondet_int();
    __VERIFIER_assume(((order < 0) == (a < b)) & ((order > 0) == (a > b)));
    return order;
}

/* any number of the right sign */
int strcmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i++;
    return __tiercel_order(a[i], b[i]);
}

/* any number of the right sign, in the C locale */
int strcoll(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i++;
    return __tiercel_order(a[i], b[i]);
}

/* any number of the right sign */
int strncmp(const char *a, const char *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i])
            return __tiercel_order(a[i], b[i]);
        if (a[i] == 0)
            return 0;
    }
    return 0;
}

/* any number of the right sign; all bytes must be there, even if the first ones differ */
int memcmp(const void *a, const void *b, size_t count) {
    __tiercel_readable(a, count);
    __tiercel_readable(b, count);
    const unsigned char *p = a, *q = b;
    for (size_t i = 0; i < count; i++)
        if (p[i] != q[i])
            return __tiercel_order(p[i], q[i]);
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

/* both must be strings */
char *strstr(const char *s, const char *wanted) {
    __tiercel_string(wanted);
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

void *memmem(const void *s, size_t size, const void *wanted, size_t count) {
    const unsigned char *p = s, *q = wanted;
    __tiercel_readable(s, size);
    __tiercel_readable(wanted, count);
    for (size_t i = 0; count <= size && i <= size - count; i++) {
        size_t j = 0;
        while (j < count && p[i + j] == q[j])
            j++;
        if (j == count)
            return (char *)p + i;
    }
    return NULL;
}

/* -- words */

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

/* what is left of the string is kept between the calls */
char *strtok(char *from, const char *set) {
    return strtok_r(from, set, __tiercel_static(sizeof(char *)));
}

/* -- messages */

/* 0 and any text that fits, or the number of an error */
int __xpg_strerror_r(int number, char *to, size_t size) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result == 0 || result == 22 || result == 34);
    if (size > 0)
        __tiercel_text(to, size - 1);
    return result;
}
