/* A search that may find nothing. */
#include <stddef.h>
#include <stdint.h>

struct entry {
    int key;
    int value;
};

static const struct entry table[3] = {{10, 1}, {20, 2}, {30, 3}};
static uint32_t control, status;

static const struct entry *find_ok(int key) {
    for (int i = 0; i < 3; i++)
        if (table[i].key == key)
            return &table[i];
    return NULL;
}

int value_of_bad(int key) {
    return find_ok(key)->value;  // expect: alarm null-deref
}

int value_of_ok(int key) {
    const struct entry *entry = find_ok(key);
    return entry != NULL ? entry->value : -1;  // expect: proved null-deref
}

void write_register_bad(int id, uint32_t value) {
    uint32_t *reg = NULL;
    switch (id) {
    case 0:
        reg = &control;
        break;
    case 1:
        reg = &status;
        break;
    default:
        break;
    }
    *reg = value;  // expect: alarm null-deref
}

void write_register_ok(int id, uint32_t value) {
    uint32_t *reg = NULL;
    switch (id) {
    case 0:
        reg = &control;
        break;
    case 1:
        reg = &status;
        break;
    default:
        return;
    }
    *reg = value;  // expect: proved null-deref
}
