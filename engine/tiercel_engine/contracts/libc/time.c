/* <time.h>. gmtime, localtime and mktime have no model. */
#include <stddef.h>

typedef long time_t;
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);
extern void __tiercel_readable(const void *, size_t);
extern void __tiercel_fill(void *, size_t, size_t, int);

/* any time since 1970 */
time_t time(time_t *also) {
    time_t now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now >= 0);
    if (also != NULL)
        *also = now;
    return now;
}

/* any result from -1 on */
long clock(void) {
    long used = __VERIFIER_nondet_long();
    __VERIFIER_assume(used >= -1);
    return used;
}

double difftime(time_t later, time_t earlier) {
    return (double)later - (double)earlier;
}

/* any string that fits */
size_t strftime(char *to, size_t most, const char *format, const void *time) {
    size_t length = __VERIFIER_nondet_ulong();
    __tiercel_readable(format, 1);
    __tiercel_readable(time, 1);
    __VERIFIER_assume(length == 0 || length < most);
    if (length == 0)
        __tiercel_fill(to, most, most, 0);
    else {
        __tiercel_fill(to, length, most, 1);
        to[length] = 0;
    }
    return length;
}
