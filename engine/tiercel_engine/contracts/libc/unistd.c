/* <unistd.h>: any bytes come from outside, and any call may fail. */
#include "primitives.h"

/* -- descriptors */

/* any bytes, at most as many as asked for */
ssize_t read(int file, void *to, size_t count) {
    ssize_t got = __tiercel_amount(count);
    if (got > 0)
        __tiercel_fill(to, (size_t)got, count, 0);
    return got;
}

/* any bytes, at most as many as asked for */
ssize_t pread(int file, void *to, size_t count, long offset) {
    ssize_t got = __tiercel_amount(count);
    if (got > 0)
        __tiercel_fill(to, (size_t)got, count, 0);
    return got;
}

/* any number of bytes written */
ssize_t write(int file, const void *from, size_t count) {
    __tiercel_readable(from, count);
    return __tiercel_amount(count);
}

/* any number of bytes written */
ssize_t pwrite(int file, const void *from, size_t count, long offset) {
    __tiercel_readable(from, count);
    return __tiercel_amount(count);
}

/* 0 or -1 */
int close(int file) {
    return __tiercel_status();
}

/* a descriptor or -1 */
int dup(int file) {
    return __tiercel_descriptor();
}

/* the second descriptor or -1 */
int dup2(int from, int to) {
    return __tiercel_status() == 0 && to >= 0 ? to : -1;
}

/* any place or -1 */
long lseek(int file, long offset, int whence) {
    long place = __VERIFIER_nondet_long();
    __VERIFIER_assume(place >= -1);
    __tiercel_failed(place < 0);
    return place;
}

/* 0 or -1 */
int fsync(int file) {
    return __tiercel_status();
}

/* 0 or -1 */
int fdatasync(int file) {
    return __tiercel_status();
}

/* 0 or -1 */
int ftruncate(int file, long length) {
    return __tiercel_status();
}

/* two descriptors */
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

/* -- files */

/* 0 or -1 */
int access(const char *path, int mode) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* 0 or -1 */
int unlink(const char *path) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* 0 or -1 */
int rmdir(const char *path) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* 0 or -1 */
int chdir(const char *path) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* 0 or -1 */
int truncate(const char *path, long length) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* 0 or -1 */
int link(const char *from, const char *to) {
    __tiercel_string(from);
    __tiercel_string(to);
    return __tiercel_status();
}

/* 0 or -1 */
int symlink(const char *from, const char *to) {
    __tiercel_string(from);
    __tiercel_string(to);
    return __tiercel_status();
}

/* 0 or -1 */
int chown(const char *path, unsigned owner, unsigned group) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* any text that fits, without a terminator */
ssize_t readlink(const char *path, char *to, size_t size) {
    __tiercel_string(path);
    ssize_t got = __tiercel_amount(size);
    if (got > 0)
        __tiercel_fill(to, (size_t)got, size, 1);
    return got;
}

/* NULL or any text that fits; without a buffer it is allocated */
char *getcwd(char *to, size_t size) {
    int failed = __VERIFIER_nondet_int();
    __tiercel_failed(failed);
    if (failed || (to != NULL && size < 2))
        return NULL;
    if (to == NULL) {
        if (size == 0)
            size = 4096;
        to = malloc(size);
        if (to == NULL)
            return NULL;
    }
    size_t length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(length >= 1 && length < size);
    __tiercel_fill(to, length, size, 1);
    to[length] = 0;
    return to;
}

/* 0 and any text, perhaps without a terminator, or -1 */
int gethostname(char *to, size_t size) {
    size_t length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(length <= size);
    __tiercel_fill(to, length, size, 1);
    if (length < size)
        to[length] = 0;
    return __tiercel_status();
}

/* -- processes */

/* -1, 0 in the child, or its number */
int fork(void) {
    return __tiercel_descriptor();
}

/* -1, if at all it returns */
int execv(const char *path, char *const *arguments) {
    __tiercel_string(path);
    __tiercel_readable(arguments, sizeof *arguments);
    __tiercel_failed(1);
    return -1;
}

/* -1, if at all it returns */
int execvp(const char *file, char *const *arguments) {
    __tiercel_string(file);
    __tiercel_readable(arguments, sizeof *arguments);
    __tiercel_failed(1);
    return -1;
}

/* -1, if at all it returns */
int execve(const char *path, char *const *arguments, char *const *environment) {
    __tiercel_string(path);
    __tiercel_readable(arguments, sizeof *arguments);
    __tiercel_failed(1);
    return -1;
}

/* any positive number */
int getpid(void) {
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number > 0);
    return number;
}

/* any number from 0 on */
int getppid(void) {
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number >= 0);
    return number;
}

/* any number */
unsigned getuid(void) {
    return __VERIFIER_nondet_uint();
}

/* any number */
unsigned geteuid(void) {
    return __VERIFIER_nondet_uint();
}

/* any number */
unsigned getgid(void) {
    return __VERIFIER_nondet_uint();
}

/* any number */
unsigned getegid(void) {
    return __VERIFIER_nondet_uint();
}

/* any result up to what was asked for */
unsigned sleep(unsigned seconds) {
    unsigned left = __VERIFIER_nondet_uint();
    __VERIFIER_assume(left <= seconds);
    return left;
}

/* 0 or -1 */
int usleep(unsigned microseconds) {
    return __tiercel_status();
}

/* any number */
unsigned alarm(unsigned seconds) {
    return __VERIFIER_nondet_uint();
}

/* any number from -1 on */
long sysconf(int name) {
    long value = __VERIFIER_nondet_long();
    __VERIFIER_assume(value >= -1);
    __tiercel_failed(__VERIFIER_nondet_int());
    return value;
}

/* any positive number */
int getpagesize(void) {
    return getpid();
}
