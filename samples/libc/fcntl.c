/* <fcntl.h> */
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

/* open gives -1 if it fails. */
int table_bad(const char *path) {
    static int open_files[1024];
    if (path == NULL)
        return 0;
    int file = open(path, O_RDONLY);
    if (file >= 1024)
        return 0;
    open_files[file] = 1;  // expect: alarm out-of-bounds
    return 1;
}

int table_ok(const char *path) {
    static int open_files[1024];
    if (path == NULL)
        return 0;
    int file = open(path, O_RDONLY);
    if (file < 0 || file >= 1024)
        return 0;
    open_files[file] = 1;  // expect: proved out-of-bounds
    return 1;
}

int no_path_bad(const char *path) {
    return open(path, O_WRONLY | O_CREAT, 0644);  // expect: alarm null-deref
}

int flags_ok(int file) {
    int flags = fcntl(file, F_GETFL);
    if (flags < 0)
        return -1;
    return fcntl(file, F_SETFL, flags | O_NONBLOCK);
}

int flags_bad(int file) {
    int flags = fcntl(file, F_GETFL);
    assert(flags >= 0);  // expect: alarm assertion
    return flags;
}
