/* <stdio.h>; printf, scanf and their like are built in. A stream is a block of memory of its own from fopen to
   fclose. */
#include "primitives.h"

typedef struct __tiercel_file FILE;

/* errno after a call that may have failed inside */
static void __tiercel_touched(void) {
    __tiercel_failed(__VERIFIER_nondet_int());
}

static int __tiercel_anything(void) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result >= -1 && result <= 255);
    __tiercel_touched();
    return result;
}

static int __tiercel_outcome(void) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result == 0 || result == -1);
    __tiercel_touched();
    return result;
}

static int __tiercel_put(int c) {
    __tiercel_touched();
    return __VERIFIER_nondet_int() ? -1 : (unsigned char)c;
}

static int __tiercel_written(void) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result >= -1);
    __tiercel_touched();
    return result;
}

/* -- opening and closing */

/* NULL or a stream that is to be closed */
void *fopen(const char *path, const char *mode) {
    __tiercel_string(path);
    __tiercel_string(mode);
    int failed = __VERIFIER_nondet_int();
    __tiercel_failed(failed);
    return failed ? NULL : malloc(1);
}

/* NULL or a stream that is to be closed */
void *fopen64(const char *path, const char *mode) {
    return fopen(path, mode);
}

/* NULL or a stream that is to be closed */
void *fdopen(int file, const char *mode) {
    __tiercel_string(mode);
    int failed = __VERIFIER_nondet_int();
    __tiercel_failed(failed);
    return failed ? NULL : malloc(1);
}

/* NULL or a stream that is to be closed */
void *tmpfile(void) {
    int failed = __VERIFIER_nondet_int();
    __tiercel_failed(failed);
    return failed ? NULL : malloc(1);
}

/* NULL or a stream that is to be closed */
void *popen(const char *command, const char *mode) {
    __tiercel_string(command);
    __tiercel_string(mode);
    int failed = __VERIFIER_nondet_int();
    __tiercel_failed(failed);
    return failed ? NULL : malloc(1);
}

/* the same stream, or NULL and it is closed */
void *freopen(const char *path, const char *mode, FILE *stream) {
    if (path != NULL)
        __tiercel_string(path);
    __tiercel_string(mode);
    __tiercel_stream(stream);
    int failed = __VERIFIER_nondet_int();
    __tiercel_failed(failed);
    if (!failed)
        return stream;
    free(stream);
    return NULL;
}

/* 0 or EOF; the stream must not be used again */
int fclose(FILE *stream) {
    __tiercel_stream(stream);
    free(stream);
    return __tiercel_outcome();
}

/* any result; the stream must not be used again */
int pclose(FILE *stream) {
    __tiercel_stream(stream);
    free(stream);
    __tiercel_touched();
    return __VERIFIER_nondet_int();
}

/* 0 or another number; a buffer of one's own is not modelled */
int setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
    __tiercel_stream(stream);
    if (buffer != NULL)
        __tiercel_unknown();
    return __VERIFIER_nondet_int();
}

/* a buffer of one's own is not modelled */
void setbuf(FILE *stream, char *buffer) {
    __tiercel_stream(stream);
    if (buffer != NULL)
        __tiercel_unknown();
}

/* -- input */

/* EOF or any character */
int fgetc(FILE *stream) {
    __tiercel_stream(stream);
    return __tiercel_anything();
}

/* EOF or any character */
int getc(FILE *stream) {
    __tiercel_stream(stream);
    return __tiercel_anything();
}

int _IO_getc(FILE *stream) {
    __tiercel_stream(stream);
    return __tiercel_anything();
}

/* EOF or any character */
int getc_unlocked(FILE *stream) {
    __tiercel_stream(stream);
    return __tiercel_anything();
}

/* EOF or any character */
int getchar(void) {
    return __tiercel_anything();
}

/* EOF or any character */
int getchar_unlocked(void) {
    return __tiercel_anything();
}

/* EOF or the character */
int ungetc(int c, FILE *stream) {
    __tiercel_stream(stream);
    return c == -1 || __VERIFIER_nondet_int() ? -1 : (unsigned char)c;
}

/* NULL or any string that fits; after an error the buffer holds anything */
char *fgets(char *to, int size, FILE *stream) {
    size_t length = __VERIFIER_nondet_ulong();
    __tiercel_stream(stream);
    __tiercel_touched();
    if (size <= 0)
        return NULL;
    __VERIFIER_assume(length < (size_t)size);
    __tiercel_fill(to, length, (size_t)size, 0);
    if (__VERIFIER_nondet_int())
        return NULL;
    __VERIFIER_assume(length > 0 || size == 1);
    to[length] = 0;
    return to;
}

/* any number of characters: there is always a line that is too long */
char *gets(char *to) {
    size_t length = __VERIFIER_nondet_ulong();
    __tiercel_touched();
    __VERIFIER_assume(length < 1u << 30);
    __tiercel_fill(to, length, length, 0);
    if (__VERIFIER_nondet_int())
        return NULL;
    to[length] = 0;
    return to;
}

/* any bytes, at most as many as asked for */
size_t fread(void *to, size_t size, size_t count, FILE *stream) {
    size_t got = __VERIFIER_nondet_ulong(), bytes = __VERIFIER_nondet_ulong();
    size_t most = __tiercel_product(size, count);
    __tiercel_stream(stream);
    __tiercel_touched();
    __VERIFIER_assume(got <= count && (size != 0 || got == 0));
    /* part of an element may have come too */
    __VERIFIER_assume(bytes <= most && bytes - got * size < size + (size == 0));
    __tiercel_fill(to, bytes, most, 0);
    return got;
}

/* -1 or the length of any line; its memory is allocated if there is none or not enough */
ssize_t getline(char **line, size_t *size, FILE *stream) {
    size_t length = __VERIFIER_nondet_ulong(), room = __VERIFIER_nondet_ulong();
    __tiercel_stream(stream);
    __tiercel_touched();
    __VERIFIER_assume(length < 1u << 30 && room > length && room <= 1u << 30);
    if (*line == NULL || *size <= length) {
        char *made = malloc(room);
        if (made == NULL)
            return -1;
        free(*line);
        *line = made;
        *size = room;
    }
    __tiercel_fill(*line, length, length, 0);
    if (length == 0 || __VERIFIER_nondet_int())
        return -1;
    (*line)[length] = 0;
    return (ssize_t)length;
}

/* -- output */

/* any number of elements written */
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream) {
    size_t put = __VERIFIER_nondet_ulong();
    __tiercel_stream(stream);
    __tiercel_readable(from, __tiercel_product(size, count));
    __tiercel_touched();
    __VERIFIER_assume(put <= count && (size != 0 || put == 0));
    return put;
}

/* any result from EOF on */
int fputs(const char *s, FILE *stream) {
    __tiercel_string(s);
    __tiercel_stream(stream);
    return __tiercel_written();
}

/* EOF or the character */
int fputc(int c, FILE *stream) {
    __tiercel_stream(stream);
    return __tiercel_put(c);
}

/* EOF or the character */
int putc(int c, FILE *stream) {
    __tiercel_stream(stream);
    return __tiercel_put(c);
}

int _IO_putc(int c, FILE *stream) {
    __tiercel_stream(stream);
    return __tiercel_put(c);
}

/* EOF or the character */
int putc_unlocked(int c, FILE *stream) {
    __tiercel_stream(stream);
    return __tiercel_put(c);
}

/* EOF or the character */
int putchar(int c) {
    return __tiercel_put(c);
}

/* EOF or the character */
int putchar_unlocked(int c) {
    return __tiercel_put(c);
}

/* any result from EOF on */
int puts(const char *s) {
    __tiercel_string(s);
    return __tiercel_written();
}

/* must be NULL or a string */
void perror(const char *s) {
    if (s != NULL)
        __tiercel_string(s);
    __tiercel_touched();
}

/* 0 or EOF */
int fflush(FILE *stream) {
    if (stream != NULL)
        __tiercel_stream(stream);
    return __tiercel_outcome();
}

/* -- state and position */

/* any result */
int feof(FILE *stream) {
    __tiercel_stream(stream);
    return __VERIFIER_nondet_int();
}

/* any result */
int ferror(FILE *stream) {
    __tiercel_stream(stream);
    return __VERIFIER_nondet_int();
}

/* no result */
void clearerr(FILE *stream) {
    __tiercel_stream(stream);
}

/* a descriptor or -1 */
int fileno(FILE *stream) {
    __tiercel_stream(stream);
    return __tiercel_descriptor();
}

/* 0 or -1 */
int fseek(FILE *stream, long offset, int whence) {
    __tiercel_stream(stream);
    return __tiercel_outcome();
}

/* 0 or -1 */
int fseeko(FILE *stream, long offset, int whence) {
    __tiercel_stream(stream);
    return __tiercel_outcome();
}

/* any result from -1 on */
long ftell(FILE *stream) {
    long place = __VERIFIER_nondet_long();
    __tiercel_stream(stream);
    __VERIFIER_assume(place >= -1);
    __tiercel_failed(place < 0);
    return place;
}

/* any result from -1 on */
long ftello(FILE *stream) {
    long place = __VERIFIER_nondet_long();
    __tiercel_stream(stream);
    __VERIFIER_assume(place >= -1);
    __tiercel_failed(place < 0);
    return place;
}

/* no result */
void rewind(FILE *stream) {
    __tiercel_stream(stream);
    __tiercel_touched();
}

/* 0 or another number */
int fgetpos(FILE *stream, void *place) {
    __tiercel_stream(stream);
    __tiercel_fill(place, 16, 16, 0);
    __tiercel_touched();
    return __VERIFIER_nondet_int();
}

/* 0 or another number */
int fsetpos(FILE *stream, const void *place) {
    __tiercel_stream(stream);
    __tiercel_readable(place, 16);
    __tiercel_touched();
    return __VERIFIER_nondet_int();
}

/* -- files */

/* 0 or -1 */
int remove(const char *path) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* 0 or -1 */
int rename(const char *from, const char *to) {
    __tiercel_string(from);
    __tiercel_string(to);
    return __tiercel_status();
}
