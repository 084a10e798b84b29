/* <pthread.h>: the protocol of locks. Threads that run at the same time are not modelled. */
#include "primitives.h"
#include <pthread.h>

/* -- mutexes: the state is kept in the first word */

/* 0 or the number of an error */
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result >= 0 && result < 134);
    if (result == 0) {
        memset(mutex, 0, sizeof *mutex);
        if (attributes == NULL)
            *(unsigned *)mutex = TIERCEL_UNLOCKED;
    }
    return result;
}

/* 0; the mutex must not be locked */
int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    __tiercel_not_locked(mutex);
    return 0;
}

/* 0 or the number of an error; the mutex must not be locked already */
int pthread_mutex_lock(pthread_mutex_t *mutex) {
    __tiercel_not_locked(mutex);
    *(unsigned *)mutex = TIERCEL_LOCKED;
    return 0;
}

/* 0 or EBUSY */
int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    unsigned state = *(unsigned *)mutex;
    if (__VERIFIER_nondet_int() || state == TIERCEL_LOCKED)
        return 16;
    *(unsigned *)mutex = TIERCEL_LOCKED;
    return 0;
}

/* 0; the mutex must be locked */
int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    __tiercel_not_unlocked(mutex);
    *(unsigned *)mutex = TIERCEL_UNLOCKED;
    return 0;
}

/* -- condition variables */

/* 0 or the number of an error */
int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result >= 0 && result < 134);
    if (result == 0)
        memset(condition, 0, sizeof *condition);
    return result;
}

/* 0 */
int pthread_cond_destroy(pthread_cond_t *condition) {
    __tiercel_readable(condition, 1);
    return 0;
}

/* 0 */
int pthread_cond_signal(pthread_cond_t *condition) {
    __tiercel_readable(condition, 1);
    return 0;
}

/* 0 */
int pthread_cond_broadcast(pthread_cond_t *condition) {
    __tiercel_readable(condition, 1);
    return 0;
}

/* 0; the mutex must be locked */
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    __tiercel_readable(condition, 1);
    __tiercel_not_unlocked(mutex);
    return 0;
}

/* 0 or ETIMEDOUT; the mutex must be locked */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    __tiercel_readable(condition, 1);
    __tiercel_readable(until, sizeof *until);
    __tiercel_not_unlocked(mutex);
    return __VERIFIER_nondet_int() ? 110 : 0;
}

/* -- threads; pthread_create is not modelled, the answer is unknown */

static int __tiercel_error_number(void) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result >= 0 && result < 134);
    return result;
}

/* any thread */
pthread_t pthread_self(void) {
    return __VERIFIER_nondet_ulong();
}

int pthread_equal(pthread_t a, pthread_t b) {
    return a == b;
}

/* 0 or the number of an error */
int pthread_detach(pthread_t thread) {
    return __tiercel_error_number();
}

/* 0 or the number of an error; the function is called if it was not yet */
int pthread_once(pthread_once_t *control, void (*function)(void)) {
    __tiercel_readable(control, sizeof *control);
    if (__VERIFIER_nondet_int())
        function();
    return 0;
}

/* 0 or the number of an error */
int pthread_attr_init(pthread_attr_t *attributes) {
    __tiercel_fill(attributes, sizeof *attributes, sizeof *attributes, 0);
    return __tiercel_error_number();
}

/* 0 */
int pthread_attr_destroy(pthread_attr_t *attributes) {
    __tiercel_readable(attributes, 1);
    return 0;
}

/* 0 or the number of an error */
int pthread_mutexattr_init(pthread_mutexattr_t *attributes) {
    __tiercel_fill(attributes, sizeof *attributes, sizeof *attributes, 0);
    return __tiercel_error_number();
}

/* 0 or the number of an error */
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type) {
    __tiercel_readable(attributes, 1);
    return __tiercel_error_number();
}

/* 0 */
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes) {
    __tiercel_readable(attributes, 1);
    return 0;
}
