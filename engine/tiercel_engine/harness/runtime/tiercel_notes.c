/* What two runs are compared by that differ in what was never written: values that are compared, loaded, passed on. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tiercel_internal.h"

#include <stdio.h>
#include <string.h>

static FILE *notes;

void replay_note_into(int file)
{
    notes = fdopen(file, "w");
}

void replay_end_notes(void)
{
    if (notes != NULL)
        fflush(notes);
}

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
        size_t count = replay_walk((uintptr_t)__builtin_frame_address(0), frames, 2);
        uintptr_t caller = count > 1 ? frames[1] + 1 : 0;
        if (replay_block_of((uintptr_t)word) == NULL)
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
    if (replay_walk((uintptr_t)__builtin_frame_address(0), frames, 2) == 2)
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
