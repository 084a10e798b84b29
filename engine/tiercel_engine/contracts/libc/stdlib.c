/* <stdlib.h>. The malloc family, abs, exit and abort are built in. */
#include <limits.h>
#include <stddef.h>

extern void *malloc(size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t);
extern size_t strlen(const char *);
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
extern int *__errno_location(void);

typedef struct {
    int quot, rem;
} div_t;
typedef struct {
    long quot, rem;
} ldiv_t;
typedef struct {
    long long quot, rem;
} lldiv_t;

/* -- numbers in strings */

static unsigned __tiercel_digit(char c) {
    unsigned code = (unsigned char)c;
    if (code >= '0' && code <= '9')
        return code - '0';
    code |= 32u;
    return code >= 'a' && code <= 'z' ? code - 'a' + 10u : 99u;
}

/* The number without its sign, and whether it has a `-` (1) or does not fit (2). */
static unsigned long long __tiercel_number(const char *s, char **end, int base, int *how) {
    size_t i = 0, first;
    unsigned long long number = 0, most;
    unsigned radix = (unsigned)base;
    *how = 0;
    while (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r'))
        i++;
    if (s[i] == '-')
        *how = 1;
    if (s[i] == '-' || s[i] == '+')
        i++;
    if ((radix == 0 || radix == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X') &&
        __tiercel_digit(s[i + 2]) < 16) {
        i += 2;
        radix = 16;
    } else if (radix == 0) {
        radix = s[i] == '0' ? 8 : 10;
    }
    most = ULLONG_MAX / 10;
    if (radix != 10)
        most = radix == 8 ? ULLONG_MAX / 8 : radix == 16 ? ULLONG_MAX / 16 : ULLONG_MAX / radix;
    first = i;
    for (; __tiercel_digit(s[i]) < radix; i++) {
        unsigned long long more = number * radix + __tiercel_digit(s[i]);
        if (number > most || more < number * radix)
            *how |= 2;
        number = more;
    }
    if (end != NULL)
        *end = (char *)s + (i > first ? i : 0);
    return number;
}

static int __tiercel_base(int base) {
    if (base >= 0 && base != 1 && base <= 36)
        return 1;
    *__errno_location() = 22;
    return 0;
}

long strtol(const char *s, char **end, int base) {
    int how;
    if (!__tiercel_base(base))
        return 0;
    unsigned long long number = __tiercel_number(s, end, base, &how);
    if ((how & 2) || number > (unsigned long long)LONG_MAX + (how & 1)) {
        *__errno_location() = 34;
        return how & 1 ? LONG_MIN : LONG_MAX;
    }
    return (long)(how & 1 ? 0 - number : number);
}

long long strtoll(const char *s, char **end, int base) {
    int how;
    if (!__tiercel_base(base))
        return 0;
    unsigned long long number = __tiercel_number(s, end, base, &how);
    if ((how & 2) || number > (unsigned long long)LLONG_MAX + (how & 1)) {
        *__errno_location() = 34;
        return how & 1 ? LLONG_MIN : LLONG_MAX;
    }
    return (long long)(how & 1 ? 0 - number : number);
}

unsigned long strtoul(const char *s, char **end, int base) {
    int how;
    if (!__tiercel_base(base))
        return 0;
    unsigned long long number = __tiercel_number(s, end, base, &how);
    if ((how & 2) || number > ULONG_MAX) {
        *__errno_location() = 34;
        return ULONG_MAX;
    }
    return (unsigned long)(how & 1 ? 0 - number : number);
}

unsigned long long strtoull(const char *s, char **end, int base) {
    int how;
    if (!__tiercel_base(base))
        return 0;
    unsigned long long number = __tiercel_number(s, end, base, &how);
    if (how & 2) {
        *__errno_location() = 34;
        return ULLONG_MAX;
    }
    return how & 1 ? 0 - number : number;
}

/* What newer headers call them. */
long __isoc23_strtol(const char *s, char **end, int base) {
    return strtol(s, end, base);
}

long long __isoc23_strtoll(const char *s, char **end, int base) {
    return strtoll(s, end, base);
}

unsigned long __isoc23_strtoul(const char *s, char **end, int base) {
    return strtoul(s, end, base);
}

unsigned long long __isoc23_strtoull(const char *s, char **end, int base) {
    return strtoull(s, end, base);
}

/* As in glibc; a number that does not fit is undefined in the standard. */
int atoi(const char *s) {
    return (int)strtol(s, NULL, 10);
}

long atol(const char *s) {
    return strtol(s, NULL, 10);
}

long long atoll(const char *s) {
    return strtoll(s, NULL, 10);
}

/* any result: which number a string with a fraction stands for is not followed */
double strtod(const char *s, char **end) {
    size_t length = strlen(s), used = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(used <= length);
    if (end != NULL)
        *end = (char *)s + used;
    return __VERIFIER_nondet_double();
}

/* any result */
float strtof(const char *s, char **end) {
    strtod(s, end);
    return __VERIFIER_nondet_float();
}

/* any result */
double atof(const char *s) {
    return strtod(s, NULL);
}

/* -- arithmetic and random numbers */

div_t div(int a, int b) {
    div_t result = {a / b, a % b};
    return result;
}

ldiv_t ldiv(long a, long b) {
    ldiv_t result = {a / b, a % b};
    return result;
}

lldiv_t lldiv(long long a, long long b) {
    lldiv_t result = {a / b, a % b};
    return result;
}

/* any result from 0 to RAND_MAX */
int rand(void) {
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number >= 0);
    return number;
}

/* any result from 0 to RAND_MAX */
int rand_r(unsigned *seed) {
    *seed = (unsigned)__VERIFIER_nondet_int();
    return rand();
}

void srand(unsigned seed) {
}

/* any result from 0 to RAND_MAX */
long random(void) {
    return rand();
}

void srandom(unsigned seed) {
}

/* -- sorting and searching */

/* Any order in which each element compares as not greater than the next. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    char *first = base;
    if (count < 2)
        return;
    char *kept = malloc(size);
    __VERIFIER_assume(kept != NULL);
    for (size_t i = 0; i + 1 < count; i++) {
        size_t other = __VERIFIER_nondet_ulong();
        if (other <= i || other >= count)
            other = i;
        memcpy(kept, first + i * size, size);
        memcpy(first + i * size, first + other * size, size);
        memcpy(first + other * size, kept, size);
    }
    free(kept);
    for (size_t i = 0; i + 1 < count; i++)
        __VERIFIER_assume(compare(first + i * size, first + (i + 1) * size) <= 0);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)base + middle * size;
        int order = compare(key, at);
        if (order == 0)
            return (void *)at;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
