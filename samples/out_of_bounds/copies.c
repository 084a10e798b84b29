/* Block copies and binary searches. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const int keys[6] = {2, 3, 5, 7, 11, 13};

struct header {
    uint32_t magic;
    uint32_t size;
};

/* A negative count passes the test and becomes a huge size_t. */
char blank_bad(int count) {
    char line[16];
    line[0] = '\0';
    if (count > 16)
        return 0;
    memset(line, ' ', count);  // expect: alarm out-of-bounds
    return line[0];
}

char blank_ok(size_t count) {
    char line[16];
    line[0] = '\0';
    if (count > 16)
        return 0;
    memset(line, ' ', count);  // expect: proved out-of-bounds
    return line[0];
}

/* "READY" takes six bytes. */
char label_bad(void) {
    char label[5];
    memcpy(label, "READY", 6);  // expect: alarm out-of-bounds
    return label[0];
}

char label_ok(void) {
    char label[6];
    memcpy(label, "READY", 6);  // expect: proved out-of-bounds
    return label[0];
}

/* The object is known to hold one header, not two. */
uint32_t second_magic_bad(const struct header *h) {
    if (h == NULL)
        return 0;
    return h[1].magic;  // expect: alarm out-of-bounds
}

uint32_t header_copy_ok(const struct header *h) {
    struct header local;
    if (h == NULL)
        return 0;
    memcpy(&local, h, sizeof local);  // expect: proved out-of-bounds; proved null-deref
    return local.magic ^ local.size;
}

/* An inclusive search with an exclusive upper end. */
int search_bad(int key) {
    int low = 0, high = 6;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (keys[middle] == key)  // expect: alarm out-of-bounds
            return middle;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

int search_ok(int key) {
    int low = 0, high = 6;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (keys[middle] == key)
            return middle;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}
