/* <fcntl.h> */
#include "primitives.h"

/* a descriptor or -1 */
int open(const char *path, int flags, ...) {
    __tiercel_string(path);
    return __tiercel_descriptor();
}

/* a descriptor or -1 */
int open64(const char *path, int flags, ...) {
    __tiercel_string(path);
    return __tiercel_descriptor();
}

/* a descriptor or -1 */
int openat(int folder, const char *path, int flags, ...) {
    __tiercel_string(path);
    return __tiercel_descriptor();
}

/* a descriptor or -1 */
int creat(const char *path, unsigned mode) {
    __tiercel_string(path);
    return __tiercel_descriptor();
}

/* any result from -1 on; locks (F_GETLK) are not modelled */
int fcntl(int file, int command, ...) {
    if (command == 5)
        __tiercel_unknown();
    return __tiercel_descriptor();
}
