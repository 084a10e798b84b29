/* Accumulators, flags and loops that may not run. */
#include <stddef.h>
#include <stdint.h>

struct frame {
    uint8_t byte[4];
};

unsigned frame_sum_bad(const struct frame *f) {
    if (f == NULL)
        return 0;
    unsigned sum;
    for (int i = 0; i < 4; i++)
        sum += f->byte[i];  // expect: alarm uninit-read
    return sum;
}

unsigned frame_sum_ok(const struct frame *f) {
    if (f == NULL)
        return 0;
    unsigned sum = 0;
    for (int i = 0; i < 4; i++)
        sum += f->byte[i];
    return sum;
}

unsigned last_even_bad(unsigned n) {
    unsigned last;
    for (unsigned i = 0; i < n && i < 4; i++)
        last = i * 2;
    return last;  // expect: alarm uninit-read
}

unsigned last_even_ok(unsigned n) {
    unsigned last, i = 0;
    do {
        last = i * 2;
        i++;
    } while (i < n && i < 4);
    return last;
}

uint32_t open_flags_bad(int writable) {
    uint32_t flags;
    if (writable)
        flags |= 2u;  // expect: alarm uninit-read
    else
        flags = 1u;
    return flags;
}

uint32_t open_flags_ok(int writable) {
    uint32_t flags = 0;
    if (writable)
        flags |= 2u;
    else
        flags = 1u;
    return flags;
}
