// The rule descriptor: no use after close(), no second close().
#include <fcntl.h>
#include <unistd.h>

int use_after_close_bad(void) {
    char byte = 0;
    int file = open("data", O_RDONLY);
    if (file < 0)
        return -1;
    close(file);
    return read(file, &byte, 1) == 1 ? byte : -1;   // expect: alarm rule // replay: not-tried (a rule is not executed)
}

int closed_twice_bad(int file, int length) {
    if (length == 0)
        close(file);
    close(file);   // expect: alarm rule // replay: not-tried (a rule is not executed)
    return 0;
}

static void end_ok(int file) {
    close(file);
}

int closed_in_a_callee_bad(int first, int second) {
    if (first == second)
        return 0;
    end_ok(first);
    end_ok(second);
    return write(first, "", 1) == 1;   // expect: alarm rule // replay: not-tried (a rule is not executed)
}

int reopened_ok(void) {
    char byte = 0;
    int file = open("data", O_RDONLY);
    if (file < 0)
        return -1;
    close(file);
    file = open("data", O_RDONLY);
    if (file < 0)
        return -1;
    if (read(file, &byte, 1) != 1)   // expect: proved rule
        byte = 0;
    close(file);   // expect: proved rule
    return byte;
}

int two_ok(int first, int second) {
    if (first == second)
        return 0;
    close(first);    // expect: proved rule
    return close(second);   // expect: proved rule
}
