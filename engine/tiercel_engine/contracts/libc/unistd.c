/* <unistd.h>, <fcntl.h>: any bytes come from outside, and any call may fail. */
#include <stddef.h>

typedef __PTRDIFF_TYPE__ ssize_t;
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_assume(int);
extern int *__errno_location(void);
extern void __tiercel_readable(const void *, size_t);
extern void __tiercel_fill(void *, size_t, size_t, int);

static void __tiercel_failed(int failed) {
    int code = __VERIFIER_nondet_int();
    __VERIFIER_assume(code > 0 && code < 134);
    if (failed)
        *__errno_location() = code;
}

static int __tiercel_status(void) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result == 0 || result == -1);
    __tiercel_failed(result != 0);
    return result;
}

/* any bytes, at most as many as asked for */
ssize_t read(int file, void *to, size_t count) {
    ssize_t got = __VERIFIER_nondet_long();
    __VERIFIER_assume(got >= -1 && (got < 0 || (size_t)got <= count));
    __tiercel_failed(got < 0);
    if (got > 0)
        __tiercel_fill(to, (size_t)got, count, 0);
    return got;
}

/* any number of bytes written */
ssize_t write(int file, const void *from, size_t count) {
    ssize_t put = __VERIFIER_nondet_long();
    __tiercel_readable(from, count);
    __VERIFIER_assume(put >= -1 && (put < 0 || (size_t)put <= count));
    __tiercel_failed(put < 0);
    return put;
}

/* any result from -1 on */
int open(const char *path, int flags, ...) {
    int file = __VERIFIER_nondet_int();
    __tiercel_readable(path, 1);
    __VERIFIER_assume(file >= -1);
    __tiercel_failed(file < 0);
    return file;
}

/* 0 or -1 */
int close(int file) {
    return __tiercel_status();
}

/* any result from -1 on */
int dup(int file) {
    int made = __VERIFIER_nondet_int();
    __VERIFIER_assume(made >= -1);
    __tiercel_failed(made < 0);
    return made;
}

/* 0 or -1 */
int access(const char *path, int mode) {
    __tiercel_readable(path, 1);
    return __tiercel_status();
}

/* 0 or -1 */
int unlink(const char *path) {
    __tiercel_readable(path, 1);
    return __tiercel_status();
}

/* 0 or -1 */
int rmdir(const char *path) {
    __tiercel_readable(path, 1);
    return __tiercel_status();
}

/* 0 or -1 */
int chdir(const char *path) {
    __tiercel_readable(path, 1);
    return __tiercel_status();
}

/* 0 or -1 */
int fsync(int file) {
    return __tiercel_status();
}

/* any two descriptors */
int pipe(int *ends) {
    int result = __tiercel_status();
    if (result == 0) {
        int first = __VERIFIER_nondet_int(), second = __VERIFIER_nondet_int();
        __VERIFIER_assume(first >= 0 && second >= 0 && first != second);
        ends[0] = first;
        ends[1] = second;
    }
    return result;
}

/* 0 or 1 */
int isatty(int file) {
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result == 0 || result == 1);
    __tiercel_failed(result == 0);
    return result;
}

/* any positive number */
int getpid(void) {
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number > 0);
    return number;
}

/* any result up to what was asked for */
unsigned sleep(unsigned seconds) {
    unsigned left = (unsigned)__VERIFIER_nondet_int();
    __VERIFIER_assume(left <= seconds);
    return left;
}

/* 0 or -1 */
int usleep(unsigned microseconds) {
    return __tiercel_status();
}
