/* <dirent.h> A folder that is open is a block of memory of its own from opendir to closedir. */
#include "primitives.h"
#include <dirent.h>

/* NULL or an open folder that is to be closed */
DIR *opendir(const char *path) {
    __tiercel_string(path);
    int failed = __VERIFIER_nondet_int();
    __tiercel_failed(failed);
    return failed ? NULL : malloc(1);
}

/* NULL or an open folder that is to be closed */
DIR *fdopendir(int file) {
    int failed = __VERIFIER_nondet_int();
    __tiercel_failed(failed);
    return failed ? NULL : malloc(1);
}

/* NULL or any entry, always in the same place */
struct dirent *readdir(DIR *folder) {
    struct dirent *entry = __tiercel_static(sizeof *entry);
    size_t end = __VERIFIER_nondet_ulong();
    __tiercel_stream(folder);
    if (__VERIFIER_nondet_int()) {
        __tiercel_failed(__VERIFIER_nondet_int());
        return NULL;
    }
    __tiercel_fill(entry, sizeof *entry, sizeof *entry, 0);
    __VERIFIER_assume(end > 0 && end < sizeof entry->d_name);
    entry->d_name[end] = 0;
    return entry;
}

/* any entries follow */
void rewinddir(DIR *folder) {
    __tiercel_stream(folder);
}

/* a descriptor or -1 */
int dirfd(DIR *folder) {
    __tiercel_stream(folder);
    return __tiercel_descriptor();
}

/* 0 or -1; the folder must not be used again */
int closedir(DIR *folder) {
    __tiercel_stream(folder);
    free(folder);
    return __tiercel_status();
}
