/* Functions of <string.h> that go byte by byte and touch nothing else; absolute values. */
#include "tiercel_replay.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

static int overlap(const void *a, const void *b, size_t size)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return size > 0 && x != y && (x < y ? y - x : x - y) < size;
}

void *replay_memcpy(void *to, const void *from, size_t size)
{
    volatile unsigned char *put = to;
    const volatile unsigned char *take = from;
    size_t i;
    if (overlap(to, from, size)) {
        replay_writable(to, size);
        replay_readable(from, size);
        replay_fail("out-of-bounds", "memcpy of overlapping memory");
    }
    for (i = 0; i < size; i++)
        put[i] = take[i];
    return to;
}

void *replay_memmove(void *to, const void *from, size_t size)
{
    volatile unsigned char *put = to;
    const volatile unsigned char *take = from;
    size_t i;
    if ((uintptr_t)to <= (uintptr_t)from)
        for (i = 0; i < size; i++)
            put[i] = take[i];
    else
        for (i = size; i > 0; i--)
            put[i - 1] = take[i - 1];
    return to;
}

void *replay_memset(void *to, int byte, size_t size)
{
    volatile unsigned char *put = to;
    size_t i;
    for (i = 0; i < size; i++)
        put[i] = (unsigned char)byte;
    return to;
}

int replay_memcmp(const void *a, const void *b, size_t size)
{
    const volatile unsigned char *x = a, *y = b;
    int found = 0;
    size_t i;
    replay_seen(a, size);
    replay_seen(b, size);
    for (i = 0; i < size; i++) { /* all of it must be there */
        int difference = (int)x[i] - (int)y[i];
        if (found == 0)
            found = difference;
    }
    return found;
}

void *replay_memchr(const void *from, int byte, size_t size)
{
    const volatile unsigned char *at = from;
    size_t i;
    for (i = 0; i < size; i++)
        if (at[i] == (unsigned char)byte)
            return (void *)(uintptr_t)(at + i);
    return NULL;
}

size_t replay_strlen(const char *text)
{
    const volatile char *at = text;
    size_t size = 0;
    while (at[size] != '\0')
        size++;
    replay_seen(text, size + 1);
    return size;
}

size_t replay_strnlen(const char *text, size_t most)
{
    const volatile char *at = text;
    size_t size = 0;
    while (size < most && at[size] != '\0')
        size++;
    return size;
}

static void copy_text(char *to, const char *from, size_t size, const char *complaint)
{
    volatile char *put = to;
    const volatile char *take = from;
    size_t i;
    if (overlap(to, from, size) || (size > 0 && to == from)) {
        replay_writable(to, size);
        replay_fail("out-of-bounds", complaint);
    }
    for (i = 0; i < size; i++)
        put[i] = take[i];
}

char *replay_strcpy(char *to, const char *from)
{
    copy_text(to, from, replay_strlen(from) + 1, "strcpy of overlapping memory");
    return to;
}

char *replay_strncpy(char *to, const char *from, size_t size)
{
    volatile char *put = to;
    size_t length = replay_strnlen(from, size), i;
    copy_text(to, from, length, "strncpy of overlapping memory");
    for (i = length; i < size; i++)
        put[i] = '\0';
    return to;
}

char *replay_strcat(char *to, const char *from)
{
    size_t start = replay_strlen(to);
    copy_text(to + start, from, replay_strlen(from) + 1, "strcat of overlapping memory");
    return to;
}

char *replay_strncat(char *to, const char *from, size_t most)
{
    size_t start = replay_strlen(to), length = replay_strnlen(from, most);
    copy_text(to + start, from, length, "strncat of overlapping memory");
    *(volatile char *)(to + start + length) = '\0';
    return to;
}

int replay_strcmp(const char *a, const char *b)
{
    const volatile unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    size_t i = 0;
    while (x[i] != 0 && x[i] == y[i])
        i++;
    replay_seen(a, i + 1);
    replay_seen(b, i + 1);
    return (int)x[i] - (int)y[i];
}

int replay_strncmp(const char *a, const char *b, size_t most)
{
    const volatile unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    size_t i;
    for (i = 0; i < most; i++) {
        unsigned char left = x[i], right = y[i];
        if (left != right)
            return (int)left - (int)right;
        if (left == 0)
            return 0;
    }
    return 0;
}

char *replay_strchr(const char *text, int character)
{
    const volatile char *at = text;
    for (;; at++) {
        char now = *at;
        if (now == (char)character)
            return (char *)(uintptr_t)at;
        if (now == '\0')
            return NULL;
    }
}

char *replay_strrchr(const char *text, int character)
{
    size_t i = replay_strlen(text) + 1;
    while (i-- > 0)
        if (text[i] == (char)character)
            return (char *)(uintptr_t)(text + i);
    return NULL;
}

void replay_qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    volatile unsigned char *at = base;
    size_t i, j, k;
    replay_readable(base, count * size);
    for (i = 1; i < count; i++)
        for (j = i; j > 0 && compare((char *)base + (j - 1) * size, (char *)base + j * size) > 0; j--)
            for (k = 0; k < size; k++) {
                unsigned char byte = at[(j - 1) * size + k];
                at[(j - 1) * size + k] = at[j * size + k];
                at[j * size + k] = byte;
            }
}

void replay_character(int character)
{
    if (character < -1 || character > UCHAR_MAX)
        replay_fail("out-of-bounds", "neither EOF nor the value of an unsigned char");
}

int replay_abs(int number)
{
    if (number == INT_MIN)
        replay_fail("signed-overflow", "abs of the smallest number");
    return number < 0 ? -number : number;
}

long replay_labs(long number)
{
    if (number == LONG_MIN)
        replay_fail("signed-overflow", "labs of the smallest number");
    return number < 0 ? -number : number;
}

long long replay_llabs(long long number)
{
    if (number == LLONG_MIN)
        replay_fail("signed-overflow", "llabs of the smallest number");
    return number < 0 ? -number : number;
}
