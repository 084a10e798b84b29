/* <pthread.h>: locks. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

void locked_twice_bad(void) {
    pthread_mutex_lock(&lock);
    if (balance == 0)
        pthread_mutex_lock(&lock);  // expect: alarm assertion
    pthread_mutex_unlock(&lock);
}

void locked_once_ok(void) {
    pthread_mutex_lock(&lock);  // expect: proved assertion
    balance = 0;
    pthread_mutex_unlock(&lock);  // expect: proved assertion
    pthread_mutex_lock(&lock);  // expect: proved assertion
    balance = 1;
    pthread_mutex_unlock(&lock);  // expect: proved assertion
}

/* One of the ways out unlocks too, and then all of them do. */
void unlocked_twice_bad(int amount) {
    pthread_mutex_lock(&lock);
    if (amount > balance)
        pthread_mutex_unlock(&lock);
    else
        balance -= 1;  // expect: alarm signed-overflow
    pthread_mutex_unlock(&lock);  // expect: alarm assertion
}

/* The caller may hold the lock. */
void unlock_only_ok(void) {
    pthread_mutex_unlock(&lock);  // expect: proved assertion
}

void no_lock_bad(pthread_mutex_t *mutex) {
    pthread_mutex_lock(mutex);  // expect: alarm null-deref
}

void tried_bad(void) {
    if (pthread_mutex_trylock(&lock) == 0)
        pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);  // expect: alarm assertion
}

void tried_ok(void) {
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    balance = 0;
    pthread_mutex_unlock(&lock);  // expect: proved assertion
}

void destroyed_bad(void) {
    pthread_mutex_t own;
    if (pthread_mutex_init(&own, NULL) != 0)
        return;
    pthread_mutex_lock(&own);
    pthread_mutex_destroy(&own);  // expect: alarm assertion
}

void destroyed_ok(void) {
    pthread_mutex_t own;
    if (pthread_mutex_init(&own, NULL) != 0)
        return;
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
    pthread_mutex_destroy(&own);  // expect: proved assertion
}

/* Waiting needs the lock. */
void waits_bad(pthread_cond_t *ready) {
    if (ready == NULL)
        return;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_cond_wait(ready, &lock);  // expect: alarm assertion
}

void waits_ok(pthread_cond_t *ready) {
    if (ready == NULL)
        return;
    pthread_mutex_lock(&lock);
    pthread_cond_wait(ready, &lock);  // expect: proved assertion
    pthread_mutex_unlock(&lock);  // expect: proved assertion
}
