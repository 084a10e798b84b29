/* <signal.h>: handlers are verified on their own; when they run is not modelled. */
#include "primitives.h"
#include <signal.h>

/* 0 */
int sigemptyset(sigset_t *set) {
    memset(set, 0, sizeof *set);
    return 0;
}

/* 0 */
int sigfillset(sigset_t *set) {
    __tiercel_fill(set, sizeof *set, sizeof *set, 0);
    return 0;
}

/* 0 or -1 */
int sigaddset(sigset_t *set, int number) {
    __tiercel_readable(set, sizeof *set);
    __tiercel_fill(set, sizeof *set, sizeof *set, 0);
    return __tiercel_status();
}

/* 0 or -1 */
int sigdelset(sigset_t *set, int number) {
    __tiercel_readable(set, sizeof *set);
    __tiercel_fill(set, sizeof *set, sizeof *set, 0);
    return __tiercel_status();
}

/* 0, 1 or -1 */
int sigismember(const sigset_t *set, int number) {
    int result = __VERIFIER_nondet_int();
    __tiercel_readable(set, sizeof *set);
    __VERIFIER_assume(result >= -1 && result <= 1);
    __tiercel_failed(result < 0);
    return result;
}

/* 0 or -1 */
int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    int result = __tiercel_status();
    if (action != NULL)
        __tiercel_readable(action, sizeof *action);
    if (old != NULL && result == 0)
        __tiercel_fill(old, sizeof *old, sizeof *old, 0);
    return result;
}

/* 0 or -1 */
int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    int result = __tiercel_status();
    if (set != NULL)
        __tiercel_readable(set, sizeof *set);
    if (old != NULL && result == 0)
        __tiercel_fill(old, sizeof *old, sizeof *old, 0);
    return result;
}

/* 0 or another number, if it returns */
int raise(int number) {
    return __VERIFIER_nondet_int();
}

/* 0 or -1 */
int kill(int process, int number) {
    return __tiercel_status();
}

/* -1 */
int pause(void) {
    *__errno_location() = 4;
    return -1;
}
