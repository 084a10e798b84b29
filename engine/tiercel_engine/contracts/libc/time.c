/* <time.h>, <sys/time.h> */
#include "primitives.h"
#include <time.h>
#include <sys/time.h>

/* any time, or -1 */
time_t time(time_t *also) {
    time_t now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now >= -1);
    if (also != NULL)
        *also = now;
    return now;
}

/* any result from -1 on */
clock_t clock(void) {
    clock_t used = __VERIFIER_nondet_long();
    __VERIFIER_assume(used >= -1);
    return used;
}

double difftime(time_t later, time_t earlier) {
    return (double)later - (double)earlier;
}

/* -- dates */

static void __tiercel_date(struct tm *to) {
    __tiercel_fill(to, sizeof *to, sizeof *to, 0);
    __VERIFIER_assume(to->tm_sec >= 0 && to->tm_sec <= 60 && to->tm_min >= 0 && to->tm_min <= 59);
    __VERIFIER_assume(to->tm_hour >= 0 && to->tm_hour <= 23 && to->tm_mday >= 1 && to->tm_mday <= 31);
    __VERIFIER_assume(to->tm_mon >= 0 && to->tm_mon <= 11 && to->tm_wday >= 0 && to->tm_wday <= 6);
    __VERIFIER_assume(to->tm_yday >= 0 && to->tm_yday <= 365 && to->tm_isdst <= 1);
}

static struct tm *__tiercel_broken_down_time(const time_t *from) {
    struct tm *date = __tiercel_static(sizeof *date);
    __tiercel_readable(from, sizeof *from);
    if (__VERIFIER_nondet_int()) {
        *__errno_location() = 75;
        return NULL;
    }
    __tiercel_date(date);
    return date;
}

/* NULL or any date, always in the same place */
struct tm *gmtime(const time_t *from) {
    return __tiercel_broken_down_time(from);
}

/* NULL or any date, always in the same place */
struct tm *localtime(const time_t *from) {
    return __tiercel_broken_down_time(from);
}

/* NULL or any date */
struct tm *gmtime_r(const time_t *from, struct tm *to) {
    __tiercel_readable(from, sizeof *from);
    if (__VERIFIER_nondet_int()) {
        *__errno_location() = 75;
        return NULL;
    }
    __tiercel_date(to);
    return to;
}

/* NULL or any date */
struct tm *localtime_r(const time_t *from, struct tm *to) {
    __tiercel_readable(from, sizeof *from);
    if (__VERIFIER_nondet_int()) {
        *__errno_location() = 75;
        return NULL;
    }
    __tiercel_date(to);
    return to;
}

/* any time, or -1; the date is made a proper one */
time_t mktime(struct tm *date) {
    time_t result = __VERIFIER_nondet_long();
    __tiercel_readable(date, sizeof *date);
    if (result == -1)
        __tiercel_failed(__VERIFIER_nondet_int());
    else
        __tiercel_date(date);
    return result;
}

/* NULL or any text of 25 characters, always in the same place */
char *asctime(const struct tm *date) {
    char *text = __tiercel_static(26);
    __tiercel_readable(date, sizeof *date);
    if (__VERIFIER_nondet_int())
        return NULL;
    __tiercel_text(text, 25);
    return text;
}

/* NULL or any text of 25 characters, always in the same place */
char *ctime(const time_t *from) {
    char *text = __tiercel_static(26);
    __tiercel_readable(from, sizeof *from);
    if (__VERIFIER_nondet_int())
        return NULL;
    __tiercel_text(text, 25);
    return text;
}

/* any text that fits, or 0 and anything */
size_t strftime(char *to, size_t most, const char *format, const struct tm *date) {
    size_t length = __VERIFIER_nondet_ulong();
    __tiercel_string(format);
    __tiercel_readable(date, sizeof *date);
    __VERIFIER_assume(length == 0 || length < most);
    if (length == 0)
        __tiercel_fill(to, most, most, 0);
    else {
        __tiercel_fill(to, length, most, 1);
        to[length] = 0;
    }
    return length;
}

/* no result */
void tzset(void) {
}

/* -- clocks */

/* -1, or 0 and any time */
int clock_gettime(clockid_t clock, struct timespec *to) {
    int result = __tiercel_status();
    if (result == 0) {
        time_t seconds = __VERIFIER_nondet_long();
        long rest = __VERIFIER_nondet_long();
        __VERIFIER_assume(rest >= 0 && rest < 1000000000);
        to->tv_sec = seconds;
        to->tv_nsec = rest;
    }
    return result;
}

/* -1, or 0 and any time */
int gettimeofday(struct timeval *to, void *zone) {
    int result = __tiercel_status();
    if (result == 0 && to != NULL) {
        time_t seconds = __VERIFIER_nondet_long();
        long rest = __VERIFIER_nondet_long();
        __VERIFIER_assume(rest >= 0 && rest < 1000000);
        to->tv_sec = seconds;
        to->tv_usec = rest;
    }
    if (zone != NULL)
        __tiercel_fill(zone, 8, 8, 0);
    return result;
}

/* 0, or -1 and the time that is left */
int nanosleep(const struct timespec *wanted, struct timespec *left) {
    __tiercel_readable(wanted, sizeof *wanted);
    int result = __tiercel_status();
    if (result != 0 && left != NULL)
        __tiercel_fill(left, sizeof *left, sizeof *left, 0);
    return result;
}
