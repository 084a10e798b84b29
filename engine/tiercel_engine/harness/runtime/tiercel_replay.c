/* The run of a counterexample: memory with inaccessible neighbours, and reports of what goes wrong.

   A report is lines of text in the open file of the number TIERCEL_REPLAY_REPORT, or on standard error:
       failed KIND WHAT
       at OFFSET OFFSET …      return addresses from the innermost frame on, from the start of the program
   Nothing here calls what the program under test could have replaced: the program's names are changed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tiercel_replay.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined(__GLIBC__)
#include <execinfo.h>
#endif
#include <ucontext.h>
#include <unistd.h>

enum {
    MOST_BLOCKS = 16384,
    MOST_ROOTS = 256,
    MOST_FRAMES = 32,
    MOST_FAILURES = 1024,
    PAGE = 4096,
    NULL_PAGES = 1 << 20,
    MOST_BYTES = 1 << 30
};

struct block {
    unsigned char *start, *base;
    size_t size, length;
    const char *name;
    uintptr_t made[MOST_FRAMES];
    int heap, freed, kept, marked;
};

struct root {
    void *from;
    size_t size;
};

/* Reads what it pleases, also between variables. */
#define UNCHECKED __attribute__((no_sanitize_address))

extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));
extern char __data_start[] __attribute__((weak));
extern char data_start[] __attribute__((weak));
extern char edata[] __attribute__((weak)), end[] __attribute__((weak));

static struct block blocks[MOST_BLOCKS];
static size_t block_count, byte_count;
static struct root roots[MOST_ROOTS];
static size_t root_count;
static unsigned failures[MOST_FAILURES], failure_count, allocation_count;
static int begin_first, report_file = 2, told;
static unsigned char fill = 0xA5;
static uintptr_t outermost;
static FILE *notes;
static char signal_stack[1 << 16];

/* -- reports */

static void say(const char *text)
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
    say(" 0x");
    say(text + at);
}

static int in_program(uintptr_t place)
{
    return place >= (uintptr_t)__ehdr_start && place < (uintptr_t)end;
}

/* The return addresses from frame `frame` on; those outside of the program are left out. */
static UNCHECKED size_t walk(uintptr_t frame, uintptr_t *found, size_t most)
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
    say("at");
    for (i = 0; i < count; i++)
        say_number(frames[i] - (uintptr_t)__ehdr_start);
    say("\n");
}

static REPLAY_NORETURN void stop(int status)
{
    if (notes != NULL)
        fflush(notes);
    fflush(stdout);
    _exit(status);
}

static void tell(const char *kind, const char *what, const uintptr_t *frames, size_t count)
{
    say("failed ");
    say(kind);
    say(" ");
    say(what);
    say("\n");
    say_frames(frames, count);
}

REPLAY_NORETURN void replay_fail(const char *kind, const char *what)
{
    uintptr_t frames[MOST_FRAMES];
    size_t count = walk((uintptr_t)__builtin_frame_address(0), frames, MOST_FRAMES);
    if (!told) {
        told = 1;
        tell(kind, what, frames, count);
    }
    stop(99);
}

/* A failure with its return addresses, innermost first. */
REPLAY_NORETURN void replay_fail_with(const char *kind, const char *what, void **places, int number);
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
        tell(kind, what, frames, count);
    }
    stop(99);
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

static struct block *block_at(uintptr_t place)
{
    size_t i;
    for (i = block_count; i-- > 0;)
        if (place >= (uintptr_t)blocks[i].base && place < (uintptr_t)blocks[i].base + blocks[i].length)
            return &blocks[i];
    return NULL;
}

static const char *memory_kind(const siginfo_t *info, uintptr_t stack)
{
    uintptr_t place = (uintptr_t)info->si_addr;
    struct block *block = block_at(place);
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
        else if (block_at((uintptr_t)info->si_addr) != NULL)
            what = block_at((uintptr_t)info->si_addr)->name;
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
    } else { /* inside of the C library, which keeps no frame pointers: who called it? */
        count = unwound(frames);
        frame = count > 0 ? 0 : frame;
    }
    if (frame >= stack)
        count += walk(frame, frames + count, MOST_FRAMES - count);
    tell(kind, what, frames, count);
    stop(99);
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
    begin_first = wanted != NULL && strcmp(wanted, "begin") == 0;
    if (pattern != NULL)
        fill = (unsigned char)atoi(pattern);
    if (report != NULL)
        report_file = atoi(report);
    if (noted != NULL)
        notes = fdopen(atoi(noted), "w");
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
        say("started\n");
}

/* -- notes that two runs are compared by */

static void note(uintptr_t place, uint64_t a, uint64_t b)
{
    if (notes != NULL)
        fprintf(notes, "%lx %llx %llx\n", (unsigned long)(place - 1 - (uintptr_t)__ehdr_start),
                (unsigned long long)a, (unsigned long long)b);
}

void replay_argument(const void *value, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, value, size < sizeof word ? size : sizeof word);
    if (notes != NULL) {
        uintptr_t frames[2];
        size_t count = walk((uintptr_t)__builtin_frame_address(0), frames, 2);
        uintptr_t caller = count > 1 ? frames[1] + 1 : 0;
        if (block_at((uintptr_t)word) == NULL)
            note(caller, word, size);
    }
}

void replay_seen(const void *from, size_t size)
{
    const unsigned char *at = from;
    uintptr_t frames[2];
    uint64_t hash = 1469598103934665603u;
    if (notes == NULL)
        return;
    while (size-- > 0)
        hash = (hash ^ *at++) * 1099511628211u;
    if (walk((uintptr_t)__builtin_frame_address(0), frames, 2) == 2)
        note(frames[1] + 1, hash & 0xffffffff, 2);
}

#define COMPARED(name, type)                                                                       \
    void name(type a, type b);                                                                     \
    void name(type a, type b)                                                                      \
    {                                                                                              \
        note((uintptr_t)__builtin_return_address(0), a, b);                                        \
    }
COMPARED(__sanitizer_cov_trace_cmp1, uint8_t)
COMPARED(__sanitizer_cov_trace_cmp2, uint16_t)
COMPARED(__sanitizer_cov_trace_cmp4, uint32_t)
COMPARED(__sanitizer_cov_trace_cmp8, uint64_t)
COMPARED(__sanitizer_cov_trace_const_cmp1, uint8_t)
COMPARED(__sanitizer_cov_trace_const_cmp2, uint16_t)
COMPARED(__sanitizer_cov_trace_const_cmp4, uint32_t)
COMPARED(__sanitizer_cov_trace_const_cmp8, uint64_t)
COMPARED(__sanitizer_cov_trace_div4, uint32_t)
COMPARED(__sanitizer_cov_trace_div8, uint64_t)

void __sanitizer_cov_trace_switch(uint64_t value, void *cases);
void __sanitizer_cov_trace_switch(uint64_t value, void *cases)
{
    (void)cases;
    note((uintptr_t)__builtin_return_address(0), value, 0);
}

void __sanitizer_cov_trace_gep(uintptr_t index);
void __sanitizer_cov_trace_gep(uintptr_t index)
{
    note((uintptr_t)__builtin_return_address(0), index, 0);
}

/* What is loaded, told before it is. */
#define LOADED(name, type)                                                                         \
    void name(type *from);                                                                         \
    void name(type *from)                                                                          \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, from, sizeof value);                                                        \
        note((uintptr_t)__builtin_return_address(0), value, 1);                                    \
    }
LOADED(__sanitizer_cov_load1, uint8_t)
LOADED(__sanitizer_cov_load2, uint16_t)
LOADED(__sanitizer_cov_load4, uint32_t)
LOADED(__sanitizer_cov_load8, uint64_t)

void __sanitizer_cov_load16(void *from);
void __sanitizer_cov_load16(void *from)
{
    (void)from;
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    note((uintptr_t)__builtin_return_address(0), 0, 0);
}

/* -- blocks */

static struct block *new_block(size_t size, const char *name)
{
    struct block *block = &blocks[block_count];
    size_t pages = (size + PAGE - 1) / PAGE * PAGE;
    if (block_count == MOST_BLOCKS || size > MOST_BYTES || byte_count + pages > MOST_BYTES)
        return NULL;
    block->length = pages + 2 * PAGE;
    block->base = mmap(NULL, block->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block->base == MAP_FAILED)
        return NULL;
    if (pages > 0 && mprotect(block->base + PAGE, pages, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    block->start = begin_first ? block->base + PAGE : block->base + PAGE + pages - size;
    block->size = size;
    block->name = name;
    block_count++;
    byte_count += pages;
    return block;
}

void *replay_block(size_t size, const char *name)
{
    struct block *block = new_block(size, name);
    if (block == NULL)
        replay_fail("limit", "there is not enough memory for an input");
    memset(block->start, 0, size);
    replay_root(block->start, size);
    return block->start;
}

void replay_put(void *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
}

void replay_overlay(const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    size_t i, part;
    for (i = 0; i < block_count && size > 0; i++) {
        part = blocks[i].size < size ? blocks[i].size : size;
        memcpy(blocks[i].start, from, part);
        from += part;
        size -= part;
    }
}

void replay_root(void *from, size_t size)
{
    if (root_count < MOST_ROOTS) {
        roots[root_count].from = from;
        roots[root_count++].size = size;
    }
}

void *replay_library_block(size_t size, const char *name)
{
    unsigned char *made = replay_block(size, name);
    blocks[block_count - 1].kept = 1;
    return made;
}

static struct block *owner(const void *place)
{
    struct block *block = block_at((uintptr_t)place);
    return block != NULL && block->start == (const unsigned char *)place ? block : NULL;
}

void replay_allocation_fails(unsigned number)
{
    if (failure_count < MOST_FAILURES)
        failures[failure_count++] = number;
}

static void *allocate(size_t size, uintptr_t frame)
{
    struct block *block;
    unsigned i;
    allocation_count++;
    for (i = 0; i < failure_count; i++)
        if (failures[i] == allocation_count)
            return NULL;
    if (size > PTRDIFF_MAX)
        return NULL;
    block = new_block(size, "a block of the heap");
    if (block == NULL)
        replay_fail("limit", "the program allocates more than a replay may");
    block->heap = 1;
    memset(block->start, fill, size);
    walk(frame, block->made, MOST_FRAMES - 1);
    return block->start;
}

#define HERE ((uintptr_t)__builtin_frame_address(0))

void *replay_malloc(size_t size)
{
    return allocate(size, HERE);
}

void *replay_calloc(size_t count, size_t size)
{
    size_t total = count * size;
    void *made = allocate(size != 0 && count > SIZE_MAX / size ? SIZE_MAX : total, HERE);
    if (made != NULL)
        memset(made, 0, total);
    return made;
}

void *replay_aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment;
    return allocate(size, HERE);
}

static REPLAY_NORETURN void bad_free(const void *place)
{
    struct block *block = block_at((uintptr_t)place);
    replay_fail("invalid-free",
                block != NULL && block->start == (const unsigned char *)place ? "freed twice" : "no block of the heap");
}

/* Inputs may be freed: they are taken to be blocks of the heap. */
static struct block *freeable(void *place)
{
    struct block *block = owner(place);
    if (block == NULL || block->freed || (block->kept && !block->heap))
        bad_free(place);
    return block;
}

static void release(struct block *block)
{
    block->freed = 1;
    mprotect(block->base, block->length, PROT_NONE);
    madvise(block->base, block->length, MADV_DONTNEED);
    byte_count -= block->length - 2 * PAGE;
}

void *replay_realloc(void *old, size_t size)
{
    struct block *from = old == NULL ? NULL : freeable(old);
    void *made = allocate(size, HERE);
    if (made != NULL && from != NULL)
        memcpy(made, from->start, from->size < size ? from->size : size);
    if (from != NULL && (made != NULL || size == 0))
        release(from);
    return made;
}

void replay_free(void *place)
{
    if (place != NULL)
        release(freeable(place));
}

char *replay_strdup(const char *text)
{
    size_t size = replay_strlen(text) + 1;
    char *made = allocate(size, HERE);
    return made == NULL ? NULL : replay_memcpy(made, text, size);
}

char *replay_strndup(const char *text, size_t most)
{
    size_t size = replay_strnlen(text, most);
    char *made = allocate(size + 1, HERE);
    if (made != NULL) {
        replay_memcpy(made, text, size);
        made[size] = '\0';
    }
    return made;
}

/* -- streams of files that are not there */

void *replay_new_stream(void)
{
    return allocate(1, HERE);
}

void replay_stream(const void *stream)
{
    if (stream != stdin && stream != stdout && stream != stderr)
        replay_readable(stream, 1);
}

void replay_close(void *stream)
{
    replay_stream(stream);
    if (owner(stream) != NULL)
        release(owner(stream));
}

/* -- leaks: what neither the result nor inputs, globals or other such blocks point to */

struct unaligned {
    uintptr_t word;
} __attribute__((packed, may_alias));

static UNCHECKED int mark(const void *from, size_t size)
{
    const unsigned char *at = from;
    int found = 0;
    size_t i, k;
    for (k = 0; k + sizeof(uintptr_t) <= size; k++) {
        uintptr_t word = ((const struct unaligned *)(at + k))->word;
        for (i = 0; i < block_count; i++)
            if (blocks[i].heap && !blocks[i].freed && !blocks[i].marked && word >= (uintptr_t)blocks[i].start
                && word <= (uintptr_t)blocks[i].start + blocks[i].size) {
                blocks[i].marked = 1;
                found = 1;
            }
    }
    return found;
}

static void mark_all(const void *result, size_t size)
{
    size_t i;
    int again = 1;
    const char *globals = __data_start != NULL ? __data_start : data_start;
    mark(result, size);
    if (globals != NULL) {
        /* the registry itself is no reason to keep a block */
        const char *own = (const char *)blocks;
        mark(globals, own > globals && own < end ? (size_t)(own - globals) : (size_t)(end - globals));
        if (own > globals && own < end)
            mark(own + sizeof blocks, (size_t)(end - own) - sizeof blocks);
    }
    for (i = 0; i < root_count; i++)
        if (block_at((uintptr_t)roots[i].from) == NULL || !block_at((uintptr_t)roots[i].from)->freed)
            mark(roots[i].from, roots[i].size);
    while (again) {
        again = 0;
        for (i = 0; i < block_count; i++)
            if (blocks[i].heap && blocks[i].marked && !blocks[i].freed && !blocks[i].kept) {
                blocks[i].kept = 1;
                again |= mark(blocks[i].start, blocks[i].size);
                again = 1;
            }
    }
}

void replay_finish(const void *result, size_t size)
{
    size_t i;
    int leaks = 0;
    mark_all(result, result == NULL ? 0 : size);
    for (i = 0; i < block_count; i++)
        if (blocks[i].heap && !blocks[i].freed && !blocks[i].marked) {
            size_t count = 0;
            while (count < MOST_FRAMES && blocks[i].made[count] != 0)
                count++;
            tell("memory-leak", "a block of the heap is neither freed nor reachable", blocks[i].made, count);
            leaks++;
        }
    say("returned\n");
    stop(leaks != 0 ? 99 : 0);
}

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
    say("exited\n");
    stop(status & 127);
}

REPLAY_NORETURN void replay_abort(void)
{
    say("exited\n");
    stop(1);
}

REPLAY_NORETURN void replay_assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    (void)file, (void)line, (void)function;
    replay_fail("assertion", text);
}
