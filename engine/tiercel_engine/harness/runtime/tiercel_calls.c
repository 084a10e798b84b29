/* What replaced functions look at and do: locks, calls in the order of the trace, the ends of a program. */
#include "tiercel_internal.h"

#include <stdio.h>

/* -- locks */

enum { MOST_LOCKS = 256, FREE = 1, HELD = 2 };
static const void *locks[MOST_LOCKS];
static int lock_states[MOST_LOCKS];

static int *lock_state(const void *lock)
{
    size_t i;
    replay_readable(lock, 1);
    for (i = 0; i < MOST_LOCKS - 1 && locks[i] != NULL && locks[i] != lock; i++)
        continue;
    locks[i] = lock;
    return &lock_states[i];
}

void replay_not_held(const void *lock)
{
    if (*lock_state(lock) == HELD)
        replay_fail("assertion", "the lock is held already");
}

void replay_held(const void *lock)
{
    if (*lock_state(lock) == FREE)
        replay_fail("assertion", "the lock is not held");
}

void replay_locking(const void *lock)
{
    replay_not_held(lock);
    *lock_state(lock) = HELD;
}

void replay_unlocking(const void *lock)
{
    replay_held(lock);
    *lock_state(lock) = FREE;
}

/* -- functions that are not there */

unsigned replay_call(const char *function, unsigned *calls, unsigned known)
{
    if (*calls >= known) {
        char text[160];
        snprintf(text, sizeof text, "%s is called for the %u. time, in the trace it is called %u times", function,
                 *calls + 1, known);
        replay_left(text);
    }
    return (*calls)++;
}

void replay_readable(const void *from, size_t size)
{
    const volatile unsigned char *at = from;
    size_t i;
    for (i = 0; i < size; i++)
        (void)at[i];
}

void replay_writable(void *to, size_t size)
{
    volatile unsigned char *at = to;
    size_t i;
    for (i = 0; i < size; i++)
        at[i] = at[i];
}

void replay_string(const char *text)
{
    (void)replay_strlen(text);
}

REPLAY_NORETURN void replay_exit(int status)
{
    replay_say("exited\n");
    replay_stop(status & 127);
}

REPLAY_NORETURN void replay_abort(void)
{
    replay_say("exited\n");
    replay_stop(1);
}

REPLAY_NORETURN void replay_assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    (void)file, (void)line, (void)function;
    replay_fail("assertion", text);
}
