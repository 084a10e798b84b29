/* <sys/stat.h> */
#include "primitives.h"
#include <sys/stat.h>

static int __tiercel_stat(struct stat *to) {
    int result = __tiercel_status();
    if (result == 0) {
        __tiercel_fill(to, sizeof *to, sizeof *to, 0);
        __VERIFIER_assume(to->st_size >= 0);
    }
    return result;
}

/* -1, or 0 and any description of a file */
int stat(const char *path, struct stat *to) {
    __tiercel_string(path);
    return __tiercel_stat(to);
}

/* -1, or 0 and any description of a file */
int lstat(const char *path, struct stat *to) {
    __tiercel_string(path);
    return __tiercel_stat(to);
}

/* -1, or 0 and any description of a file */
int fstat(int file, struct stat *to) {
    return __tiercel_stat(to);
}

/* 0 or -1 */
int chmod(const char *path, mode_t mode) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* 0 or -1 */
int fchmod(int file, mode_t mode) {
    return __tiercel_status();
}

/* 0 or -1 */
int mkdir(const char *path, mode_t mode) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* 0 or -1 */
int mkfifo(const char *path, mode_t mode) {
    __tiercel_string(path);
    return __tiercel_status();
}

/* any permissions */
mode_t umask(mode_t mask) {
    mode_t old = __VERIFIER_nondet_uint();
    __VERIFIER_assume(old <= 0777);
    return old;
}
