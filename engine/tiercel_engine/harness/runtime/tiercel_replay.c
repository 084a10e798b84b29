/* The run of a counterexample: how it begins, signals, and reports of what goes wrong.

   A report is lines of text in the open file of the number TIERCEL_REPLAY_REPORT, or on standard error:
       failed KIND WHAT
       at OFFSET OFFSET …      return addresses from the innermost frame on, from the start of the program
   Nothing here calls what the program under test could have replaced: the program's names are changed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tiercel_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <execinfo.h>
#endif
#include <ucontext.h>
#include <unistd.h>

enum { NULL_PAGES = 1 << 20 };

static int report_file = 2, told;
static uintptr_t outermost;
static char signal_stack[1 << 16];

/* -- reports */

void replay_say(const char *text)
{
    size_t size = strlen(text);
    while (size > 0) {
        ssize_t put = write(report_file, text, size);
        if (put <= 0)
            return;
        text += put;
        size -= (size_t)put;
    }
}

static void say_number(uintptr_t number)
{
    char text[24];
    int at = (int)sizeof text - 1;
    text[at] = '\0';
    do {
        text[--at] = "0123456789abcdef"[number & 15];
        number >>= 4;
    } while (number != 0);
    replay_say(" 0x");
    replay_say(text + at);
}

static int in_program(uintptr_t place)
{
    return place >= (uintptr_t)__ehdr_start && place < (uintptr_t)end;
}

/* The return addresses from frame `frame` on; those outside of the program are left out. */
UNCHECKED size_t replay_walk(uintptr_t frame, uintptr_t *found, size_t most)
{
    size_t count = 0;
    int steps;
    for (steps = 0; steps < 256 && count < most; steps++) {
        uintptr_t next, back;
        if (frame == 0 || frame % sizeof(uintptr_t) != 0 || frame >= outermost)
            break;
        next = ((uintptr_t *)frame)[0];
        back = ((uintptr_t *)frame)[1];
        if (in_program(back))
            found[count++] = back - 1;
        if (next <= frame)
            break;
        frame = next;
    }
    return count;
}

static void say_frames(const uintptr_t *frames, size_t count)
{
    size_t i;
    if (report_file == 2)
        return; /* nobody who could read addresses */
    replay_say("at");
    for (i = 0; i < count; i++)
        say_number(frames[i] - (uintptr_t)__ehdr_start);
    replay_say("\n");
}

REPLAY_NORETURN void replay_stop(int status)
{
    replay_end_notes();
    fflush(stdout);
    _exit(status);
}

void replay_tell(const char *kind, const char *what, const uintptr_t *frames, size_t count)
{
    replay_say("failed ");
    replay_say(kind);
    replay_say(" ");
    replay_say(what);
    replay_say("\n");
    say_frames(frames, count);
}

REPLAY_NORETURN void replay_fail(const char *kind, const char *what)
{
    uintptr_t frames[MOST_FRAMES];
    size_t count = replay_walk((uintptr_t)__builtin_frame_address(0), frames, MOST_FRAMES);
    if (!told) {
        told = 1;
        replay_tell(kind, what, frames, count);
    }
    replay_stop(99);
}

/* A failure with its return addresses, innermost first. */
REPLAY_NORETURN void replay_fail_with(const char *kind, const char *what, void **places, int number)
{
    uintptr_t frames[MOST_FRAMES];
    size_t count = 0;
    int i;
    for (i = 0; i < number && count < MOST_FRAMES; i++)
        if (in_program((uintptr_t)places[i]))
            frames[count++] = (uintptr_t)places[i] - 1;
    if (!told) {
        told = 1;
        replay_tell(kind, what, frames, count);
    }
    replay_stop(99);
}

REPLAY_NORETURN void replay_left(const char *why)
{
    replay_fail("left", why);
}

REPLAY_NORETURN void replay_assume_failed(void)
{
    replay_fail("left", "an assumption of the program does not hold");
}

REPLAY_NORETURN void replay_no_result(const char *function)
{
    replay_fail("left", function);
}

/* -- signals */

static const char *memory_kind(const siginfo_t *info, uintptr_t stack)
{
    uintptr_t place = (uintptr_t)info->si_addr;
    struct block *block = replay_block_of(place);
    if (info->si_code != SEGV_MAPERR && info->si_code != SEGV_ACCERR && block == NULL)
        return "wild-access";
    if (place < NULL_PAGES)
        return "null-deref";
    if (block != NULL)
        return block->freed ? "use-after-free" : "out-of-bounds";
    if (place + 65536 > stack && place < stack + 65536)
        return "stack-overflow";
    return info->si_code == SEGV_ACCERR ? "access" : "wild-access";
}

/* The return addresses by the tables for exceptions, where there are some. */
static size_t unwound(uintptr_t *frames)
{
    size_t count = 0;
#if defined(__GLIBC__)
    void *places[64];
    int i, number = backtrace(places, 64);
    for (i = 0; i < number && count < MOST_FRAMES; i++)
        if (in_program((uintptr_t)places[i]))
            frames[count++] = (uintptr_t)places[i] - 1;
#else
    (void)frames;
#endif
    return count;
}

static UNCHECKED void on_signal(int number, siginfo_t *info, void *context)
{
    uintptr_t frames[MOST_FRAMES];
    size_t count = 0;
    const char *kind = "signal";
    const char *what = "a signal";
    uintptr_t pc = 0, stack = 0, frame = 0;
    const ucontext_t *state = (const ucontext_t *)context;
#if defined(__x86_64__)
    pc = (uintptr_t)state->uc_mcontext.gregs[REG_RIP];
    stack = (uintptr_t)state->uc_mcontext.gregs[REG_RSP];
    frame = (uintptr_t)state->uc_mcontext.gregs[REG_RBP];
#elif defined(__i386__)
    pc = (uintptr_t)state->uc_mcontext.gregs[REG_EIP];
    stack = (uintptr_t)state->uc_mcontext.gregs[REG_ESP];
    frame = (uintptr_t)state->uc_mcontext.gregs[REG_EBP];
#else
    (void)state;
#endif
    if (told)
        _exit(98);
    told = 1;
    if (number == SIGSEGV || number == SIGBUS) {
        kind = memory_kind(info, stack);
        what = "memory that is not there";
        if (strcmp(kind, "null-deref") == 0)
            what = "a null pointer";
        else if (replay_block_of((uintptr_t)info->si_addr) != NULL)
            what = replay_block_of((uintptr_t)info->si_addr)->name;
    } else if (number == SIGFPE) {
        kind = "arithmetic";
        what = "a division without a result";
    } else if (number == SIGILL) {
        what = "an illegal instruction";
    } else if (number == SIGABRT) {
        what = "abort";
    }
    if (in_program(pc)) {
        frames[count++] = pc;
    } else if (pc == (uintptr_t)info->si_addr && in_program(*(uintptr_t *)stack)) { /* what was called is no code */
        frames[count++] = *(uintptr_t *)stack - 1;
    } else { /* inside of the C library, which keeps no frame pointers: who called it? */
        count = unwound(frames);
        frame = count > 0 ? 0 : frame;
    }
    if (frame >= stack)
        count += replay_walk(frame, frames + count, MOST_FRAMES - count);
    replay_tell(kind, what, frames, count);
    replay_stop(99);
}

void replay_start(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const char *wanted = getenv("TIERCEL_REPLAY_BLOCKS");
    const char *report = getenv("TIERCEL_REPLAY_REPORT");
    const char *pattern = getenv("TIERCEL_REPLAY_FILL");
    const char *noted = getenv("TIERCEL_REPLAY_NOTES");
    struct sigaction action;
    stack_t stack;
    size_t i;
    replay_place_blocks(wanted != NULL && strcmp(wanted, "begin") == 0,
                        pattern != NULL ? (unsigned char)atoi(pattern) : 0xA5);
    if (report != NULL)
        report_file = atoi(report);
    if (noted != NULL)
        replay_note_into(atoi(noted));
    outermost = (uintptr_t)__builtin_frame_address(0) + 4096;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = signal_stack;
    stack.ss_size = sizeof signal_stack;
    sigaltstack(&stack, NULL);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
    if (report_file != 2)
        replay_say("started\n");
}
