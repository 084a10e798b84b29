// options: --checks assertion
/* A call fills part of what was written as a whole: the rest stays, the filled part may be anything. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void partly_filled_bad(int fd) {
    char buffer[256];
    int first = 0x01020304;
    memcpy(buffer, &first, sizeof first);
    if (read(fd, buffer + 2, sizeof buffer - 2) != sizeof buffer - 2)
        return;
    memcpy(&first, buffer, sizeof first);
    assert((first & 0xffff) == 0x0304);  // expect: proved assertion
    assert(first == 0x01020304);         // expect: alarm assertion
}

struct record { int id; int tail[63]; };

void cut_bad(int fd) {
    struct record r;
    r.id = 7;
    if (read(fd, (char *)&r + 2, sizeof r - 2) != sizeof r - 2)
        return;
    assert((r.id & 0xffff) == 7);  // expect: proved assertion
    assert(r.id == 7);             // expect: alarm assertion
}

void zeroed_ok(int fd) {
    char line[256];
    memset(line, 0, sizeof line);
    if (read(fd, line, sizeof line - 1) < 0)
        return;
    assert(line[sizeof line - 1] == 0);  // expect: proved assertion
}
