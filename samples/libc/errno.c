/* <errno.h> */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A call that fails says why. */
int reason_ok(void) {
    if (chdir("/tmp") == 0)
        return 0;
    assert(errno > 0);  // expect: proved assertion
    return errno;
}

/* One that succeeds need not leave errno alone. */
int no_reason_bad(void) {
    errno = 0;
    puts("text");
    assert(errno == 0);  // expect: alarm assertion
    return 0;
}

/* errno is kept before the next call changes it. */
int kept_ok(void) {
    if (unlink("file") == 0)
        return 0;
    int reason = errno;
    puts("failed");
    assert(reason > 0);  // expect: proved assertion
    return reason;
}

int interrupted_ok(int file) {
    char byte = 0;
    ssize_t got;
    do {
        got = read(file, &byte, 1);
    } while (got < 0 && errno == EINTR);
    return got == 1 ? byte : -1;
}

size_t message_ok(void) {
    return strlen(strerror(errno));  // expect: proved null-deref
}

void message_bad(const char *text) {
    fprintf(stderr, "%s: %s\n", text, strerror(errno));  // expect: alarm null-deref  // replay: not-reproduced (returned without failing)
}
