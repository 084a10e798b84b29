/* Results through a pointer, with the error ignored. */
#include <stddef.h>

static int read_sensor_ok(int id, int *out) {
    if (out == NULL || id < 0 || id > 3)
        return -1;
    *out = id * 10;
    return 0;
}

static int limit_ok(int value) {
    return value > 100 ? 100 : value;
}

int sensor_bad(int id) {
    int value;
    read_sensor_ok(id, &value);
    return value;  // expect: alarm uninit-read
}

int sensor_ok(int id) {
    int value;
    if (read_sensor_ok(id, &value) != 0)
        return -1;
    return value;
}

int limited_bad(int id) {
    int value;
    if (id == 1)
        value = 50;
    return limit_ok(value);  // expect: alarm uninit-read
}

int limited_ok(int id) {
    int value = 0;
    if (id == 1)
        value = 50;
    return limit_ok(value);
}
