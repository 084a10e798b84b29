// Inline assembly: outputs, pointers, memory.
#include <assert.h>

static int counter = 1;

int outputs(void) {
    int value;
    __asm__("movl $3, %0" : "=r"(value));
    assert(value == 3);  // expect: alarm assertion
    return value;
}

int barrier(int *p) {
    int before = counter, local = 7;
    __asm__ volatile("" ::: "memory");
    assert(before == counter);  // expect: proved assertion
    __asm__ volatile("lock; addl $0, (%%rsp)" ::: "memory");
    assert(local == 7);         // expect: proved assertion
    assert(before == counter);  // expect: alarm assertion
    return p != 0;
}

int through_input(int *p) {
    if (!p)
        return 0;
    *p = 5;
    __asm__ volatile("mfence" ::: "memory");
    assert(*p == 5);  // expect: alarm assertion
    return *p == 6;
}
