/* What the models are made of. The functions that begin with __tiercel_ are known to the engine
   (encode/outside.py); the static ones below are made of them. */
#ifndef TIERCEL_PRIMITIVES_H
#define TIERCEL_PRIMITIVES_H
#include <stddef.h>

typedef __PTRDIFF_TYPE__ ssize_t;

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

extern void *malloc(size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t);
extern void *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t);
extern size_t strlen(const char *);
extern int *__errno_location(void);

/* must be true: there are so many bytes; it is a string; it is an open stream; EOF or a character; the two places
   differ; a lock is not known to be in this state */
extern void __tiercel_readable(const void *, size_t);
extern void __tiercel_string(const char *);
extern void __tiercel_stream(const void *);
extern void __tiercel_character(int);
extern void __tiercel_apart(const void *, const void *);
extern void __tiercel_not_locked(const void *);
extern void __tiercel_not_unlocked(const void *);

/* (to, size, most, text): `size` of at most `most` bytes become arbitrary, none of them zero if it is text */
extern void __tiercel_fill(void *, size_t, size_t, int);
/* the object of this size that belongs to the library and is always the result of this function */
extern void *__tiercel_static(size_t);
/* what happens here is not modelled: the answer is unknown */
extern void __tiercel_unknown(void);

enum { TIERCEL_LOCKED = 0x10c4ed, TIERCEL_UNLOCKED = 0x0f4ee };

static void __tiercel_failed(int failed) {
    int code = __VERIFIER_nondet_int();
    __VERIFIER_assume(code > 0 && code < 134);
    if (failed)
        *__errno_location() = code;
}

/* 0, or -1 and errno */
static int __tiercel_status(void) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result == 0 || result == -1);
    __tiercel_failed(result != 0);
    return result;
}

/* a number from 0 on, or -1 and errno */
static int __tiercel_descriptor(void) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result >= -1);
    __tiercel_failed(result < 0);
    return result;
}

/* how many of at most `count` bytes, or -1 and errno */
static ssize_t __tiercel_amount(size_t count) {
    ssize_t result = __VERIFIER_nondet_long();
    __VERIFIER_assume(result >= -1 && (result < 0 || (size_t)result <= count));
    __tiercel_failed(result < 0);
    return result;
}

static size_t __tiercel_product(size_t size, size_t count) {
    size_t product;
    return __builtin_mul_overflow(size, count, &product) ? (size_t)-1 : product;
}

/* any characters, at most `most` of them, and a terminator */
static void __tiercel_text(char *to, size_t most) {
    size_t length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(length <= most);
    __tiercel_fill(to, length, most, 1);
    to[length] = 0;
}

#endif
