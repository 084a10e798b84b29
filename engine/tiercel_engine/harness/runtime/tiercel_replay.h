/* What a replay of a counterexample is made of. Blocks of memory end at an inaccessible page (or begin after
   one, with TIERCEL_REPLAY_BLOCKS=begin), freed blocks become inaccessible, failures are reported and stop the run. */
#ifndef TIERCEL_REPLAY_H
#define TIERCEL_REPLAY_H

/* No header of the library is included: preprocessed code has its own declarations. */
typedef __SIZE_TYPE__ replay_size;
typedef __UINTPTR_TYPE__ replay_address;

#if defined(__GNUC__)
#define REPLAY_NORETURN __attribute__((noreturn))
#define REPLAY_UNUSED __attribute__((unused))
#else
#define REPLAY_NORETURN
#define REPLAY_UNUSED
#endif

/* -- around the call */
void replay_start(void);
void replay_finish(const void *result, replay_size size); /* the function returned; looks for leaks */
void replay_root(void *from, replay_size size);           /* memory that outlives the function, for leaks */

/* -- inputs */
void *replay_block(replay_size size, const char *name);
void *replay_block_at(replay_size size, const char *name, unsigned rest); /* its address leaves `rest` by 64 */
void *replay_library_block(replay_size size, const char *name); /* belongs to the C library: not to be freed */
void replay_put(void *to, const void *bytes, replay_size size);
void replay_zero(void *to, replay_size size);
void replay_overlay(const void *bytes, replay_size size); /* over the contents of all blocks made so far */

/* -- what functions gave that are not there */
unsigned replay_call(const char *function, unsigned *calls, unsigned known);
void replay_argument(const void *value, replay_size size); /* noted, to be compared between two runs */
REPLAY_NORETURN void replay_left(const char *why);    /* the run is no longer the trace's */
REPLAY_NORETURN void replay_fail(const char *kind, const char *what);
REPLAY_NORETURN void replay_assume_failed(void);
REPLAY_NORETURN void replay_no_result(const char *function);

/* -- what such functions would look at */
void replay_readable(const void *from, replay_size size);
void replay_writable(void *to, replay_size size);
void replay_string(const char *text);
void replay_stream(const void *stream);
void replay_character(int character); /* EOF or the value of an unsigned char */
void *replay_new_stream(void);
void replay_close(void *stream);
void replay_seen(const void *from, replay_size size); /* noted, to be compared between two runs */

/* -- locks: nobody else has them */
void replay_locking(const void *lock);
void replay_unlocking(const void *lock);
void replay_held(const void *lock);
void replay_not_held(const void *lock);

void replay_allocation_fails(unsigned number); /* the allocation of that number gives NULL, from 1 */

#ifndef REPLAY_OWN_DECLARATIONS /* the code under test declares what it calls, perhaps with other types */
/* -- the heap */
void *replay_malloc(replay_size size);
void *replay_calloc(replay_size count, replay_size size);
void *replay_realloc(void *old, replay_size size);
void *replay_aligned_alloc(replay_size alignment, replay_size size);
char *replay_strdup(const char *text);
char *replay_strndup(const char *text, replay_size most);
void replay_free(void *block);

/* -- the ends of a program */
REPLAY_NORETURN void replay_exit(int status);
REPLAY_NORETURN void replay_abort(void);
REPLAY_NORETURN void replay_assert_fail(const char *text, const char *file, unsigned line, const char *function);

/* -- copies, searches and lengths, byte by byte: a byte too far is a byte too far */
void *replay_memcpy(void *to, const void *from, replay_size size);
void *replay_memmove(void *to, const void *from, replay_size size);
void *replay_memset(void *to, int byte, replay_size size);
int replay_memcmp(const void *a, const void *b, replay_size size);
void *replay_memchr(const void *from, int byte, replay_size size);
replay_size replay_strlen(const char *text);
replay_size replay_strnlen(const char *text, replay_size most);
char *replay_strcpy(char *to, const char *from);
char *replay_strncpy(char *to, const char *from, replay_size size);
char *replay_strcat(char *to, const char *from);
char *replay_strncat(char *to, const char *from, replay_size most);
int replay_strcmp(const char *a, const char *b);
int replay_strncmp(const char *a, const char *b, replay_size most);
char *replay_strchr(const char *text, int character);
char *replay_strrchr(const char *text, int character);
void replay_qsort(void *base, replay_size count, replay_size size, int (*compare)(const void *, const void *));

/* -- absolute values, which the smallest number has not */
int replay_abs(int number);
long replay_labs(long number);
long long replay_llabs(long long number);
#endif

#endif
