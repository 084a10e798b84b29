/* Memory with inaccessible neighbours: inputs, the heap, streams, and what is lost in the end. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tiercel_internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_BLOCKS = 16384, MOST_ROOTS = 256, MOST_FAILURES = 1024, PAGE = 4096, MOST_BYTES = 1 << 30 };

struct root {
    void *from;
    size_t size;
};

extern char __data_start[] __attribute__((weak));
extern char data_start[] __attribute__((weak));

static struct block blocks[MOST_BLOCKS];
static size_t block_count, byte_count;
static struct root roots[MOST_ROOTS];
static size_t root_count;
static unsigned failures[MOST_FAILURES], failure_count, allocation_count;
static int begin_first;
static unsigned char fill = 0xA5;

void replay_place_blocks(int begin, unsigned char heap_fill)
{
    begin_first = begin;
    fill = heap_fill;
}

struct block *replay_block_of(uintptr_t place)
{
    size_t i;
    for (i = block_count; i-- > 0;)
        if (place >= (uintptr_t)blocks[i].base && place < (uintptr_t)blocks[i].base + blocks[i].length)
            return &blocks[i];
    return NULL;
}

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

void *replay_block_at(size_t size, const char *name, unsigned rest)
{
    struct block *block = new_block(size + 64, name);
    if (block == NULL)
        replay_fail("limit", "there is not enough memory for an input");
    memset(block->base + PAGE, 0, size + 64);
    block->start = block->base + PAGE + rest % 64;
    block->size = size;
    replay_root(block->start, size);
    return block->start;
}

void replay_put(void *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
}

void replay_zero(void *to, size_t size)
{
    memset(to, 0, size);
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
    struct block *block = replay_block_of((uintptr_t)place);
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
    replay_walk(frame, block->made, MOST_FRAMES - 1);
    return block->start;
}

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
    struct block *block = replay_block_of((uintptr_t)place);
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
        if (replay_block_of((uintptr_t)roots[i].from) == NULL || !replay_block_of((uintptr_t)roots[i].from)->freed)
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
            replay_tell("memory-leak", "a block of the heap is neither freed nor reachable", blocks[i].made, count);
            leaks++;
        }
    replay_say("returned\n");
    replay_stop(leaks != 0 ? 99 : 0);
}
