/* <signal.h> */
#include <signal.h>
#include <stddef.h>
#include <string.h>

static volatile sig_atomic_t stopped;

static void stop_ok(int number) {
    stopped = number;
}

/* Flags and mask are not set. */
int installed_ok(void) {
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = stop_ok;
    sigemptyset(&action.sa_mask);  // expect: proved out-of-bounds
    if (sigaction(SIGINT, &action, &old) != 0)  // expect: proved out-of-bounds
        return -1;
    return old.sa_flags == 0;  // expect: proved uninit-read
}

/* The old action is known only if the call succeeds. */
int installed_bad(void) {
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = stop_ok;
    sigaction(SIGINT, &action, &old);
    return old.sa_flags == 0;  // expect: alarm uninit-read
}

int no_set_bad(sigset_t *set) {
    return sigaddset(set, SIGTERM);  // expect: alarm null-deref
}

int blocked_ok(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);  // expect: proved out-of-bounds
    return sigprocmask(SIG_BLOCK, &set, NULL);  // expect: proved null-deref
}

int ignored_ok(void) {
    return signal(SIGPIPE, SIG_IGN) != SIG_ERR;
}
