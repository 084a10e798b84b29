/* <stdlib.h>; the malloc family, abs, exit and abort are built in. */
#include <limits.h>
#include "primitives.h"

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

/* How much of the string is a number. */
static size_t __tiercel_used(const char *s, char **end) {
    size_t length = strlen(s), used = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(used <= length);
    if (end != NULL)
        *end = (char *)s + used;
    if (used != 0 && __VERIFIER_nondet_int())
        *__errno_location() = 34;
    return used;
}

/* any result: which number a string with a fraction stands for is not followed */
double strtod(const char *s, char **end) {
    double number = __VERIFIER_nondet_double();
    return __tiercel_used(s, end) == 0 ? 0 : number;
}

/* any result */
float strtof(const char *s, char **end) {
    float number = __VERIFIER_nondet_float();
    return __tiercel_used(s, end) == 0 ? 0 : number;
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

/* any numbers follow */
void srand(unsigned seed) {
}

/* any result from 0 to RAND_MAX */
long random(void) {
    return rand();
}

/* any numbers follow */
void srandom(unsigned seed) {
}

/* any result from 0 to 2147483647 */
long lrand48(void) {
    return rand();
}

/* any 32 bits */
long mrand48(void) {
    return __VERIFIER_nondet_int();
}

/* any result from 0 on below 1 */
double drand48(void) {
    double number = __VERIFIER_nondet_double();
    __VERIFIER_assume(number >= 0 && number < 1);
    return number;
}

/* any numbers follow */
void srand48(long seed) {
}

/* any 32 bits */
unsigned arc4random(void) {
    return __VERIFIER_nondet_uint();
}

/* any result below the bound */
unsigned arc4random_uniform(unsigned bound) {
    unsigned number = __VERIFIER_nondet_uint();
    __VERIFIER_assume(number < bound || (bound == 0 && number == 0));
    return number;
}

/* -- sorting and searching */

/* Insertion sort: any order of elements that compare as equal. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    char *first = base;
    if (count < 2 || size == 0)
        return;
    __tiercel_readable(base, __tiercel_product(size, count));
    char *kept = malloc(size);
    __VERIFIER_assume(kept != NULL);
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            char *left = first + (j - 1) * size, *right = first + j * size;
            int order = compare(left, right);
            if (order < 0 || (order == 0 && __VERIFIER_nondet_int()))
                break;
            memcpy(kept, left, size);
            memcpy(left, right, size);
            memcpy(right, kept, size);
        }
    free(kept);
}

/* NULL or any element that compares as equal */
void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    size_t low = 0, high = count, any = __VERIFIER_nondet_ulong();
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)base + middle * size;
        int order = compare(key, at);
        if (order == 0) {
            const char *other = (const char *)base + any * size;
            if (any < count && compare(key, other) == 0)
                return (void *)other;
            return (void *)at;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* -- memory */

extern void *realloc(void *, size_t);

/* NULL or new memory */
void *reallocarray(void *old, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        *__errno_location() = 12;
        return NULL;
    }
    return realloc(old, total);
}

/* NULL or new memory */
void *memalign(size_t alignment, size_t size) {
    return malloc(size);
}

/* NULL or new memory */
void *valloc(size_t size) {
    return malloc(size);
}

/* 0 and new memory, or the number of an error */
int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
        return 22;
    void *made = malloc(size);
    if (made == NULL)
        return 12;
    *result = made;
    return 0;
}

/* -- the environment */

/* 0 or -1 */
int setenv(const char *name, const char *value, int replace) {
    __tiercel_string(name);
    __tiercel_string(value);
    return __tiercel_status();
}

/* 0 or -1 */
int unsetenv(const char *name) {
    __tiercel_string(name);
    return __tiercel_status();
}

/* 0 or any other number */
int putenv(char *setting) {
    __tiercel_string(setting);
    int result = __VERIFIER_nondet_int();
    __tiercel_failed(result != 0);
    return result;
}

/* any result */
int system(const char *command) {
    if (command != NULL)
        __tiercel_string(command);
    __tiercel_failed(__VERIFIER_nondet_int());
    return __VERIFIER_nondet_int();
}

/* 0 or another number; the function is verified on its own, not called when the program ends */
int atexit(void (*function)(void)) {
    return __VERIFIER_nondet_int();
}

/* a descriptor or -1; the last six characters change */
int mkstemp(char *template) {
    size_t length = strlen(template);
    if (length < 6) {
        *__errno_location() = 22;
        return -1;
    }
    __tiercel_fill(template + length - 6, 6, 6, 1);
    return __tiercel_descriptor();
}
