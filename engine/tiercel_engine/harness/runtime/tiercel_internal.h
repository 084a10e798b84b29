/* What the files of the runtime share: the registry of blocks, reports, return addresses. Not for harnesses. */
#ifndef TIERCEL_INTERNAL_H
#define TIERCEL_INTERNAL_H

#include "tiercel_replay.h"

#include <stddef.h>
#include <stdint.h>

enum { MOST_FRAMES = 32 };

struct block {
    unsigned char *start, *base;
    size_t size, length;
    const char *name;
    uintptr_t made[MOST_FRAMES];
    int heap, freed, kept, marked;
};

/* Reads what it pleases, also between variables. */
#define UNCHECKED __attribute__((no_sanitize_address))
#define HERE ((uintptr_t)__builtin_frame_address(0))

extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));
extern char end[] __attribute__((weak));

/* -- tiercel_replay.c: reports */
void replay_say(const char *text);
void replay_tell(const char *kind, const char *what, const uintptr_t *frames, size_t count);
size_t replay_walk(uintptr_t frame, uintptr_t *found, size_t most); /* the return addresses from a frame on */
REPLAY_NORETURN void replay_stop(int status);
REPLAY_NORETURN void replay_fail_with(const char *kind, const char *what, void **places, int number);

/* -- tiercel_blocks.c: memory */
struct block *replay_block_of(uintptr_t place); /* also beside it, up to the next page; NULL if there is none */
void replay_place_blocks(int begin_first, unsigned char heap_fill);

/* -- tiercel_notes.c: what two runs are compared by */
void replay_note_into(int file);
void replay_end_notes(void);

#endif
