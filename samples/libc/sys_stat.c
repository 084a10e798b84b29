/* <sys/stat.h> */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Nothing is written if stat fails. */
long size_bad(void) {
    struct stat about;
    stat("file", &about);
    return about.st_size / 2;  // expect: alarm uninit-read
}

long size_ok(void) {
    struct stat about;
    if (stat("file", &about) != 0)
        return -1;
    assert(about.st_size >= 0);  // expect: proved assertion
    return about.st_size / 2;  // expect: proved uninit-read
}

int folder_bad(const char *path) {
    struct stat about;
    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode);  // expect: alarm null-deref
}

int folder_ok(const char *path) {
    struct stat about;
    return path != NULL && lstat(path, &about) == 0 && S_ISDIR(about.st_mode);  // expect: proved uninit-read
}

/* A file may be empty. */
char last_byte_bad(int file) {
    struct stat about;
    if (fstat(file, &about) != 0 || about.st_size > 4096)
        return 0;
    char *bytes = calloc((size_t)about.st_size + 1, 1);
    if (bytes == NULL)
        return 0;
    char last = bytes[about.st_size - 1];  // expect: alarm out-of-bounds
    free(bytes);
    return last;
}

int made_bad(const char *path) {
    return mkdir(path, 0755);  // expect: alarm null-deref
}
