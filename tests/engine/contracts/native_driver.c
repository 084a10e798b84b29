/* Runs each model and the real function on the same random inputs and compares results, memory and errno. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern int guess_int, excluded, misused;
extern unsigned long guess_ulong;
extern double guess_double;

static unsigned long compared, different;
static unsigned state = 1;

static unsigned any(unsigned below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static void report(const char *name, int agree, const char *a, const char *b, long n) {
    compared++;
    if (agree && !excluded && !misused)
        return;
    if (different++ < 20)
        printf("%s(\"%s\", \"%s\", %ld)%s%s\n", name, a, b, n, excluded ? " is excluded" : "", misused ? " is misused" : "");
    excluded = misused = 0;
}

/* Short texts of few characters, so that they are often alike; some are not ASCII. */
static void text(char *to, unsigned most) {
    static const char letters[] = "aaabAB \t,-z\xe9\xff";
    unsigned length = any(most + 1);
    for (unsigned i = 0; i < length; i++)
        to[i] = letters[any(sizeof letters - 1)];
    to[length] = 0;
}

static void number(char *to) {
    static const char digits[] = "0001789abfxXzZ- +";
    static const char *const special[] = {"", " ", "+", "-", "0x", "0xg", " -0x1f", "\t 42 ", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "-18446744073709551615", "99999999999999999999999", "2147483648", "1e400", "-1.5e3x",
        "inf", "nan", ".", "1.", "0x1p3", "1e-400"};
    if (any(3) == 0) {
        strcpy(to, special[any(sizeof special / sizeof *special)]);
        return;
    }
    unsigned length = any(22);
    for (unsigned i = 0; i < length; i++)
        to[i] = digits[any(i < 2 ? sizeof digits - 1 : 9)];
    to[length] = 0;
}

#define DECLARE(name) extern __typeof__(name) model_##name;
DECLARE(strcpy) DECLARE(stpcpy) DECLARE(strncpy) DECLARE(stpncpy) DECLARE(strcat) DECLARE(strncat)
DECLARE(memccpy) DECLARE(mempcpy) DECLARE(strdup) DECLARE(strndup) DECLARE(strcmp) DECLARE(strncmp) DECLARE(strcoll)
DECLARE(memcmp) DECLARE(strnlen) DECLARE(memmem) DECLARE(strspn) DECLARE(strcspn) DECLARE(strsep) DECLARE(strtok)
DECLARE(strtok_r) DECLARE(strcasecmp) DECLARE(strncasecmp) DECLARE(bcmp) DECLARE(ffs) DECLARE(ffsl) DECLARE(ffsll)
DECLARE(bzero) DECLARE(bcopy) DECLARE(strtol) DECLARE(strtoll) DECLARE(strtoul) DECLARE(strtoull) DECLARE(atoi)
DECLARE(atol) DECLARE(atoll) DECLARE(strtod) DECLARE(strtof) DECLARE(atof) DECLARE(qsort) DECLARE(bsearch)
DECLARE(div) DECLARE(ldiv) DECLARE(lldiv)
extern char *model_strchr(const char *, int), *model_strrchr(const char *, int), *model_strchrnul(const char *, int);
extern char *model_strstr(const char *, const char *), *model_strpbrk(const char *, const char *);
extern char *model_strcasestr(const char *, const char *), *model_index(const char *, int);
extern char *model_rindex(const char *, int);
extern void *model_memchr(const void *, int, size_t), *model_memrchr(const void *, int, size_t);
extern size_t model_strlcpy(char *, const char *, size_t), model_strlcat(char *, const char *, size_t);

/* -- what writes: two targets with the same contents */

static char one[64], two[64];

static void targets(void) {
    memset(one, 'q', sizeof one);
    text(one, 8);
    memcpy(two, one, sizeof one);
}

#define WRITES(name, a, b, n, real, model)                                                                       \
    do {                                                                                                         \
        targets();                                                                                               \
        char *expected = (char *)(real), *given = (char *)(model);                                               \
        int same = expected == NULL ? given == NULL : given != NULL && expected - one == given - two;            \
        report(name, same && memcmp(one, two, sizeof one) == 0, a, b, (long)(n));                                \
    } while (0)

#define SIZES(name, a, b, n, real, model)                                                                        \
    do {                                                                                                         \
        targets();                                                                                               \
        size_t expected = (size_t)(real), given = (size_t)(model);                                               \
        report(name, expected == given && memcmp(one, two, sizeof one) == 0, a, b, (long)(n));                   \
    } while (0)

static size_t concatenated(char *to, const char *from, size_t count) {
    size_t end = strnlen(to, count);
    snprintf(to + end, count - end, "%s", from);
    return end + strlen(from);
}

static void copies(const char *s, const char *b, size_t n) {
    WRITES("strcpy", s, "", 0, strcpy(one, s), model_strcpy(two, s));
    WRITES("stpcpy", s, "", 0, stpcpy(one, s), model_stpcpy(two, s));
    WRITES("strncpy", s, "", n, strncpy(one, s, n), model_strncpy(two, s, n));
    WRITES("stpncpy", s, "", n, stpncpy(one, s, n), model_stpncpy(two, s, n));
    WRITES("strcat", s, "", 0, strcat(one, s), model_strcat(two, s));
    WRITES("strncat", s, "", n, strncat(one, s, n), model_strncat(two, s, n));
    WRITES("memccpy", s, "", n, memccpy(one, s, 'a', strlen(s) + 1), model_memccpy(two, s, 'a', strlen(s) + 1));
    WRITES("mempcpy", s, "", n, mempcpy(one, s, strlen(s)), model_mempcpy(two, s, strlen(s)));
    WRITES("bzero", s, "", n, (bzero(one, n), one), (model_bzero(two, n), two));
    WRITES("bcopy", s, "", n, (bcopy(one + 2, one, n), one), (model_bcopy(two + 2, two, n), two));
    SIZES("strlcpy", s, "", n, snprintf(one, n, "%s", s), model_strlcpy(two, s, n));
    SIZES("strlcat", s, "", n, concatenated(one, s, n), model_strlcat(two, s, n));
    char *expected = strndup(s, n), *given = model_strndup(s, n), *whole = model_strdup(b);
    report("strndup", strcmp(expected, given) == 0, s, "", (long)n);
    report("strdup", strcmp(b, whole) == 0, b, "", 0);
    free(expected);
    free(given);
    free(whole);
}

static void words(const char *s, const char *set) {
    char *rest_one = one, *rest_two = two, *at_one = NULL, *at_two = NULL;
    strcpy(one, s);
    strcpy(two, s);
    for (int i = 0; i < 12; i++) {
        char *a = strsep(&rest_one, set), *b = model_strsep(&rest_two, set);
        report("strsep", a == NULL ? b == NULL : b != NULL && a - one == b - two, s, set, i);
    }
    report("strsep", memcmp(one, two, strlen(s) + 1) == 0, s, set, 0);
    strcpy(one, s);
    strcpy(two, s);
    for (int i = 0; i < 12; i++) {
        char *a = strtok_r(i ? NULL : one, set, &at_one), *b = model_strtok_r(i ? NULL : two, set, &at_two);
        report("strtok_r", a == NULL ? b == NULL : b != NULL && a - one == b - two, s, set, i);
    }
    strcpy(one, s);
    strcpy(two, s);
    for (int i = 0; i < 12; i++) {
        char *a = strtok(i ? NULL : one, set), *b = model_strtok(i ? NULL : two, set);
        report("strtok", a == NULL ? b == NULL : b != NULL && a - one == b - two, s, set, i);
    }
}

/* -- what only reads */

#define READS(name, a, b, n, real, model)                                                                        \
    do {                                                                                                         \
        __typeof__(model) expected = (__typeof__(model))(real);                                                  \
        guess_int = (int)(long)expected;                                                                         \
        report(name, (model) == expected, a, b, (long)(n));                                                      \
    } while (0)

static void searches(const char *a, const char *b, int c, size_t n) {
    READS("strcmp", a, b, 0, strcmp(a, b), model_strcmp(a, b));
    READS("strcoll", a, b, 0, strcoll(a, b), model_strcoll(a, b));
    READS("strncmp", a, b, n, strncmp(a, b, n), model_strncmp(a, b, n));
    READS("memcmp", a, b, n, memcmp(a, b, n), model_memcmp(a, b, n));
    READS("bcmp", a, b, n, bcmp(a, b, n), model_bcmp(a, b, n));
    READS("strcasecmp", a, b, 0, strcasecmp(a, b), model_strcasecmp(a, b));
    READS("strncasecmp", a, b, n, strncasecmp(a, b, n), model_strncasecmp(a, b, n));
    READS("strnlen", a, b, n, strnlen(a, n), model_strnlen(a, n));
    READS("strchr", a, "", c, strchr(a, c), model_strchr(a, c));
    READS("strrchr", a, "", c, strrchr(a, c), model_strrchr(a, c));
    READS("strchrnul", a, "", c, strchrnul(a, c), model_strchrnul(a, c));
    READS("index", a, "", c, index(a, c), model_index(a, c));
    READS("rindex", a, "", c, rindex(a, c), model_rindex(a, c));
    READS("memchr", a, "", c, memchr(a, c, n), model_memchr(a, c, n));
    READS("memrchr", a, "", c, memrchr(a, c, n), model_memrchr(a, c, n));
    READS("strstr", a, b, 0, strstr(a, b), model_strstr(a, b));
    READS("strcasestr", a, b, 0, strcasestr(a, b), model_strcasestr(a, b));
    READS("memmem", a, b, n, memmem(a, strlen(a), b, strlen(b)), model_memmem(a, strlen(a), b, strlen(b)));
    READS("strspn", a, b, 0, strspn(a, b), model_strspn(a, b));
    READS("strcspn", a, b, 0, strcspn(a, b), model_strcspn(a, b));
    READS("strpbrk", a, b, 0, strpbrk(a, b), model_strpbrk(a, b));
}

#define CLASSES(X) X(isalnum) X(isalpha) X(isblank) X(iscntrl) X(isdigit) X(isgraph) X(islower) X(isprint) \
    X(ispunct) X(isspace) X(isupper) X(isxdigit) X(tolower) X(toupper) X(isascii) X(toascii)
#define CLASS_DECLARE(name) extern int model_##name(int);
CLASSES(CLASS_DECLARE)
#define CLASS_COMPARE(name) READS(#name, "", "", c, name(c), model_##name(c));

static void characters(void) {
    for (int c = -1; c < 256; c++) {
        CLASSES(CLASS_COMPARE)
    }
}

/* -- numbers */

#define PARSES(name, s, base)                                                                                    \
    do {                                                                                                         \
        char *end = NULL, *model_end = NULL;                                                                     \
        errno = 0;                                                                                               \
        __typeof__(name(s, NULL, 0)) expected = name(s, &end, base);                                             \
        int error = errno;                                                                                       \
        errno = 0;                                                                                               \
        int same = model_##name(s, &model_end, base) == expected;                                                \
        int valid = base == 0 || (base >= 2 && base <= 36);                                                      \
        /* without a number glibc may set EINVAL or not */                                                       \
        int errors = errno == error || (valid && end == s && error == EINVAL);                                   \
        report(#name, same && errors && (!valid || end == model_end), s, "", base);                              \
    } while (0)

#define FRACTIONS(name, s)                                                                                       \
    do {                                                                                                         \
        char *end, *model_end;                                                                                   \
        errno = 0;                                                                                               \
        __typeof__(name(s, NULL)) expected = name(s, &end), given;                                               \
        int error = errno;                                                                                       \
        guess_double = expected;                                                                                 \
        guess_ulong = (unsigned long)(end - s);                                                                  \
        guess_int = error == ERANGE;                                                                             \
        errno = 0;                                                                                               \
        given = model_##name(s, &model_end);                                                                     \
        int same = given == expected || (given != given && expected != expected);                                \
        report(#name, same && end == model_end && errno == error, s, "", 0);                                     \
    } while (0)

static void numbers(const char *s, int base) {
    PARSES(strtol, s, base);
    PARSES(strtoll, s, base);
    PARSES(strtoul, s, base);
    PARSES(strtoull, s, base);
    report("atoi", atoi(s) == model_atoi(s), s, "", 0);
    report("atol", atol(s) == model_atol(s), s, "", 0);
    report("atoll", atoll(s) == model_atoll(s), s, "", 0);
    FRACTIONS(strtod, s);
    FRACTIONS(strtof, s);
}

static void arithmetic(int a, int b) {
    READS("ffs", "", "", a, ffs(a), model_ffs(a));
    READS("ffsl", "", "", a, ffsl((long)a << b % 32), model_ffsl((long)a << b % 32));
    READS("ffsll", "", "", a, ffsll((long long)a << b % 32), model_ffsll((long long)a << b % 32));
    if (b != 0) {
        report("div", div(a, b).quot == model_div(a, b).quot && div(a, b).rem == model_div(a, b).rem, "", "", a);
        report("ldiv", ldiv(a, b).quot == model_ldiv(a, b).quot && ldiv(a, b).rem == model_ldiv(a, b).rem, "", "", a);
        report("lldiv", lldiv(a, b).rem == model_lldiv(a, b).rem, "", "", a);
    }
}

/* -- sorting and searching */

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void sorting(void) {
    int first[8], second[8];
    size_t count = any(9);
    for (size_t i = 0; i < count; i++)
        first[i] = second[i] = (int)any(6);
    guess_int = (int)any(2);
    qsort(first, count, sizeof *first, ascending);
    model_qsort(second, count, sizeof *second, ascending);
    report("qsort", memcmp(first, second, count * sizeof *first) == 0, "", "", (long)count);
    int key = (int)any(6);
    int *found = bsearch(&key, first, count, sizeof *first, ascending);
    guess_ulong = found != NULL ? (unsigned long)(found - first) : 0;
    report("bsearch", model_bsearch(&key, first, count, sizeof *first, ascending) == (void *)found, "", "", key);
}

int main(void) {
    char a[64], b[64];
    characters();
    for (int round = 0; round < 20000; round++) {
        text(a, 10);
        text(b, any(4) == 0 ? 10 : 2);
        size_t shorter = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
        copies(a, b, any(12) + 1);
        searches(a, b, (int)any(3) ? a[any((unsigned)strlen(a) + 1)] : 'a', any((unsigned)shorter + 2));
        words(a, b);
        number(a);
        numbers(a, any(2) ? 10 : (int)any(39) - 1);
        arithmetic((int)any(1 << 20) - (1 << 19), (int)any(64) - 20);
        sorting();
    }
    printf("%lu compared, %lu different\n", compared, different);
    return different != 0;
}
