/* <unistd.h>: options. */
#include <assert.h>
#include <stddef.h>
#include <unistd.h>

/* -v takes no argument. */
int level_bad(int argc, char **argv) {
    int option = getopt(argc, argv, "f:v");
    return option == 'v' ? optarg[0] : 0;  // expect: alarm null-deref
}

int level_ok(int argc, char **argv) {
    int option = getopt(argc, argv, "f:v");
    return option == 'f' ? optarg[0] : 0;  // expect: proved null-deref
}

int options_ok(int argc, char **argv) {
    switch (getopt(argc, argv, "ab")) {
    case -1:
    case 'a':
    case 'b':
    case '?':
        return 0;
    default:
        assert(0);  // expect: proved assertion
        return 1;
    }
}

int rest_ok(int argc, char **argv) {
    if (argc < 1)
        return 0;
    getopt(argc, argv, "ab");
    assert(optind >= 1 && optind <= argc);  // expect: proved assertion
    return argc - optind;
}
