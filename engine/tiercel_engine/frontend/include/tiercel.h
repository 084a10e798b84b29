/* What stubs and annotated code say to Tiercel: the Stub API of DC2 (table II), and the attributes of pointers
   that it speaks of. For other compilers nothing of it has an effect.

       int get(struct ring *r, int i)
       {
           preCond(r && 0 <= i && i < r->size);      assumed here, checked at every call
           return r->slots[i];
       }
       int sensor(void) { return NONDET(0, 1023); }  a stub: any value of the range

   The folder of this file is what `tiercel include` prints (`cc -I$(tiercel include) ...`); Tiercel finds it
   without being told. */
#ifndef TIERCEL_H
#define TIERCEL_H

/* what a pointer points to */
enum tiercel_validity {
    TIERCEL_NULL,
    TIERCEL_INVALID,     /* not null, and not valid: freed, gone, indeterminate */
    TIERCEL_STATIC,      /* a variable that is always there */
    TIERCEL_STACK,       /* a local variable */
    TIERCEL_HEAP,
    TIERCEL_CODE,        /* what must not be written, such as a string constant; a function */
    TIERCEL_ENVIRONMENT  /* what came from outside */
};

/* The condition holds when the function is called. It stands at the start of the function's body. */
#define preCond(e) ((void)0)

#ifdef __TIERCEL__
extern void __VERIFIER_assume(int);
extern long long __VERIFIER_nondet_longlong(void);
extern void __tiercel_fill(void *, __SIZE_TYPE__, __SIZE_TYPE__, int);
extern void *__tiercel_lowest(const volatile void *);
extern void *__tiercel_highest(const volatile void *, unsigned long long);
extern int __tiercel_validity(const volatile void *);
extern void __tiercel_set_validity(volatile void *, int);

/* executions in which the condition does not hold are not looked at */
#define assume(e) __VERIFIER_assume((e) ? 1 : 0)

/* any integer from a to b */
#define NONDET(a, b)                                                                   \
    (__extension__({                                                                   \
        long long tiercel_any = __VERIFIER_nondet_longlong();                          \
        long long tiercel_least = (a), tiercel_most = (b);                             \
        __VERIFIER_assume(tiercel_least <= tiercel_any && tiercel_any <= tiercel_most); \
        tiercel_any;                                                                   \
    }))

/* the string at p becomes any one of e characters; there must be room for it and its terminator */
#define setStrLen(p, e)                                                    \
    (__extension__({                                                       \
        char *tiercel_string = (p);                                        \
        __SIZE_TYPE__ tiercel_length = (e);                                \
        __tiercel_fill(tiercel_string, tiercel_length, tiercel_length, 1); \
        tiercel_string[tiercel_length] = 0;                                \
    }))

/* What p points to becomes invalid (e is TIERCEL_INVALID; for another e what follows is unknown). */
#define setValidity(p, e) __tiercel_set_validity((p), (e))

/* the first and the last element that p may be moved to; of a pointer that is not valid the last is before the
   first */
#define ptrLo(p) ((__typeof__(&(p)[0]))__tiercel_lowest((p)))
#define ptrHi(p) ((__typeof__(&(p)[0]))__tiercel_highest((p), sizeof(*(p))))

/* where the string at p has its terminator */
#define strLen(p) __builtin_strlen((const char *)(p))

/* the tiercel_validity of p */
#define ptrVal(p) __tiercel_validity((p))

#else
#define assume(e) ((void)0)
#define NONDET(a, b) (a)
#define setStrLen(p, e) ((void)0)
#define setValidity(p, e) ((void)0)
#define ptrLo(p) (p)
#define ptrHi(p) (p)
#define strLen(p) strlen(p)
#define ptrVal(p) ((p) ? TIERCEL_ENVIRONMENT : TIERCEL_NULL)
#endif
#endif
