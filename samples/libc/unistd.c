/* <unistd.h> */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* -1 becomes a very large index. */
char read_bad(int file) {
    char buffer[16];
    ssize_t got = read(file, buffer, sizeof buffer);
    return buffer[got - 1];  // expect: alarm out-of-bounds
}

char read_ok(int file) {
    char buffer[16];
    ssize_t got = read(file, buffer, sizeof buffer);  // expect: proved out-of-bounds
    return got > 0 ? buffer[got - 1] : 0;  // expect: proved out-of-bounds
}

/* The terminator needs a byte too. */
size_t text_bad(int file) {
    char buffer[16];
    ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0)
        return 0;
    buffer[got] = '\0';  // expect: alarm out-of-bounds
    return strlen(buffer);
}

size_t text_ok(int file) {
    char buffer[16];
    ssize_t got = read(file, buffer, sizeof buffer - 1);
    if (got < 0)
        return 0;
    buffer[got] = '\0';  // expect: proved out-of-bounds
    return strlen(buffer);  // expect: proved out-of-bounds
}

char too_much_bad(int file) {
    char buffer[16];
    if (read(file, buffer, 64) != 64)  // expect: alarm out-of-bounds
        return 0;
    return buffer[0];
}

/* Fewer bytes may come than were asked for. */
int short_read_bad(int file) {
    int number;
    if (read(file, &number, sizeof number) <= 0)
        return 0;
    return number == 0;  // expect: alarm uninit-read
}

int short_read_ok(int file) {
    int number;
    if (read(file, &number, sizeof number) != sizeof number)
        return 0;
    return number == 0;  // expect: proved uninit-read
}

ssize_t write_bad(int file) {
    char record[8] = "record";
    return write(file, record, 9);  // expect: alarm out-of-bounds
}

ssize_t write_ok(int file) {
    char record[8] = "record";
    ssize_t put = write(file, record, sizeof record);  // expect: proved out-of-bounds
    assert(put <= 8);  // expect: proved assertion
    return put;
}

/* readlink writes no terminator. */
size_t link_bad(void) {
    char target[64];
    if (readlink("link", target, sizeof target) < 0)
        return 0;
    return strlen(target);  // expect: alarm out-of-bounds; alarm uninit-read
}

size_t link_ok(void) {
    char target[64];
    ssize_t length = readlink("link", target, sizeof target - 1);
    if (length < 0)
        return 0;
    target[length] = '\0';
    return strlen(target);  // expect: proved out-of-bounds
}

int ends_bad(void) {
    int ends[2];
    pipe(ends);
    return ends[0] == ends[1];  // expect: alarm uninit-read
}

int ends_ok(void) {
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    assert(ends[0] != ends[1]);  // expect: proved assertion
    return close(ends[0]) + close(ends[1]);
}

int no_path_bad(const char *path) {
    return unlink(path);  // expect: alarm null-deref
}

size_t folder_bad(void) {
    char path[64];
    return strlen(getcwd(path, sizeof path));  // expect: alarm null-deref
}

size_t folder_ok(void) {
    char path[64];
    if (getcwd(path, sizeof path) == NULL)
        return 0;
    return strlen(path);  // expect: proved out-of-bounds
}
