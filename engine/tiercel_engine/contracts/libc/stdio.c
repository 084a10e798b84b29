/* <stdio.h>. printf and fprintf are built in, sprintf and snprintf too; scanf and its like have no model. A stream
   is a block of memory of its own from fopen to fclose. */
#include <stddef.h>

extern void *malloc(size_t);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);
extern void __tiercel_stream(const void *);
extern void __tiercel_readable(const void *, size_t);
extern void __tiercel_fill(void *, size_t, size_t, int);

typedef struct __tiercel_file FILE;

static int __tiercel_anything(void) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result >= -1 && result <= 255);
    return result;
}

static int __tiercel_outcome(void) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result == 0 || result == -1);
    return result;
}

/* -- opening and closing */

/* NULL or a stream */
void *fopen(const char *path, const char *mode) {
    __tiercel_readable(path, 1);
    __tiercel_readable(mode, 1);
    if (__VERIFIER_nondet_int())
        return NULL;
    return malloc(1);
}

/* NULL or a stream */
void *fdopen(int file, const char *mode) {
    __tiercel_readable(mode, 1);
    if (__VERIFIER_nondet_int())
        return NULL;
    return malloc(1);
}

/* NULL or a stream */
void *tmpfile(void) {
    if (__VERIFIER_nondet_int())
        return NULL;
    return malloc(1);
}

/* 0 or EOF; the stream must not be used again */
int fclose(FILE *stream) {
    __tiercel_stream(stream);
    free(stream);
    return __tiercel_outcome();
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

/* EOF or any character */
int getchar(void) {
    return __tiercel_anything();
}

/* EOF or the character */
int ungetc(int c, FILE *stream) {
    __tiercel_stream(stream);
    return c == -1 || __VERIFIER_nondet_int() ? -1 : (unsigned char)c;
}

/* NULL or any string that fits */
char *fgets(char *to, int size, FILE *stream) {
    size_t length = __VERIFIER_nondet_ulong();
    __tiercel_stream(stream);
    if (size <= 0 || __VERIFIER_nondet_int())
        return NULL;
    __VERIFIER_assume(length < (size_t)size && (length > 0 || size == 1));
    __tiercel_fill(to, length, (size_t)size, 0);
    to[length] = 0;
    return to;
}

/* any bytes, at most as many as asked for */
size_t fread(void *to, size_t size, size_t count, FILE *stream) {
    size_t got = __VERIFIER_nondet_ulong();
    __tiercel_stream(stream);
    __VERIFIER_assume(got <= count && (size != 0 || got == 0));
    __tiercel_fill(to, got * size, count * size, 0);
    return got;
}

/* -- output */

/* any number of elements written */
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream) {
    size_t put = __VERIFIER_nondet_ulong();
    __tiercel_stream(stream);
    __tiercel_readable(from, size * count);
    __VERIFIER_assume(put <= count && (size != 0 || put == 0));
    return put;
}

/* any result */
int fputs(const char *s, FILE *stream) {
    __tiercel_readable(s, 1);
    __tiercel_stream(stream);
    return __VERIFIER_nondet_int();
}

/* EOF or the character */
int fputc(int c, FILE *stream) {
    __tiercel_stream(stream);
    return __VERIFIER_nondet_int() ? -1 : (unsigned char)c;
}

/* EOF or the character */
int putc(int c, FILE *stream) {
    __tiercel_stream(stream);
    return __VERIFIER_nondet_int() ? -1 : (unsigned char)c;
}

/* EOF or the character */
int putchar(int c) {
    return __VERIFIER_nondet_int() ? -1 : (unsigned char)c;
}

/* any result */
int puts(const char *s) {
    __tiercel_readable(s, 1);
    return __VERIFIER_nondet_int();
}

void perror(const char *s) {
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

void clearerr(FILE *stream) {
    __tiercel_stream(stream);
}

/* any result from 0 on */
int fileno(FILE *stream) {
    int file = __VERIFIER_nondet_int();
    __tiercel_stream(stream);
    __VERIFIER_assume(file >= -1);
    return file;
}

/* 0 or -1 */
int fseek(FILE *stream, long offset, int whence) {
    __tiercel_stream(stream);
    return __tiercel_outcome();
}

/* any result from -1 on */
long ftell(FILE *stream) {
    long place = __VERIFIER_nondet_long();
    __tiercel_stream(stream);
    __VERIFIER_assume(place >= -1);
    return place;
}

void rewind(FILE *stream) {
    __tiercel_stream(stream);
}

/* -- files */

/* 0 or -1 */
int remove(const char *path) {
    __tiercel_readable(path, 1);
    return __tiercel_outcome();
}

/* 0 or -1 */
int rename(const char *from, const char *to) {
    __tiercel_readable(from, 1);
    __tiercel_readable(to, 1);
    return __tiercel_outcome();
}
