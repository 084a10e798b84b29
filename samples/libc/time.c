/* <time.h> */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static const char *const months[12] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

int year_bad(void) {
    time_t now = time(NULL);
    return localtime(&now)->tm_year;  // expect: alarm null-deref
}

int year_ok(void) {
    time_t now = time(NULL);
    struct tm *date = localtime(&now);
    return date != NULL ? date->tm_year : 0;  // expect: proved null-deref
}

/* Months begin with 0, days with 1. */
const char *month_ok(time_t when) {
    struct tm *date = gmtime(&when);
    return date != NULL ? months[date->tm_mon] : "";  // expect: proved out-of-bounds
}

const char *month_bad(time_t when) {
    struct tm *date = gmtime(&when);
    return date != NULL ? months[date->tm_mday] : "";  // expect: alarm out-of-bounds
}

/* Both results are in the same place. */
int same_place_bad(time_t a, time_t b) {
    struct tm *first = gmtime(&a);
    if (first == NULL)
        return 0;
    int day = first->tm_mday;
    struct tm *second = gmtime(&b);
    if (second == NULL)
        return 0;
    assert(first->tm_mday == day);  // expect: alarm assertion
    return day;
}

int own_place_ok(time_t a, time_t b) {
    struct tm first, second;
    if (gmtime_r(&a, &first) == NULL)
        return 0;
    int day = first.tm_mday;
    if (gmtime_r(&b, &second) == NULL)
        return 0;
    assert(first.tm_mday == day);  // expect: proved assertion
    return day;
}

/* If the text does not fit, the buffer holds anything. */
size_t text_bad(const struct tm *date) {
    char text[8];
    if (date == NULL)
        return 0;
    strftime(text, sizeof text, "%Y-%m-%d", date);
    return strlen(text);  // expect: alarm out-of-bounds
}

size_t text_ok(const struct tm *date) {
    char text[16];
    if (date == NULL || strftime(text, sizeof text, "%Y-%m-%d", date) == 0)
        return 0;
    return strlen(text);  // expect: proved out-of-bounds
}

long rest_bad(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_nsec / 1000;  // expect: alarm uninit-read
}

long rest_ok(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    assert(now.tv_nsec >= 0 && now.tv_nsec < 1000000000);  // expect: proved assertion
    return now.tv_nsec;
}
