// Jumps into loops, and computed ones.
#include <assert.h>

int into_loop(int start, int n) {
    int sum = 0, i = 0;
    if (n < 0 || n > 5)
        return 0;
    if (start)
        goto inside;
    while (i < n) {
        sum += 2;
    inside:
        sum += 1;
        i++;
    }
    assert(start || sum == 3 * n);   // expect: proved assertion
    assert(!start || sum == 3 * n);  // expect: alarm assertion
    return sum;
}

/* The last iteration divides by zero only if the loop was entered in its middle. */
int late(int n, int d) {
    int i = 0;
    if (n)
        goto middle;
    for (i = 5; i > 0; i--) {
        n += 1;
    middle:
        n += d / (i - 4 ? 1 : n - 1);  // expect: alarm div-by-zero; alarm signed-overflow
        if (n > 3)
            return 1;
    }
    return n;
}

int two_ways(unsigned a) {
    unsigned count = 0;
    if (a & 1)
        goto second;
first:
    count += 1;
    if (count > 4)
        goto out;
second:
    count += 10;
    if (count < 30)
        goto first;
out:
    assert(count == 32 || count == 31 || count == 30);  // expect: alarm assertion
    assert(count >= 30);                                // expect: proved assertion
    return (int)count;
}

/* Two entries, one of them in a loop inside. */
int nested(int a, int b) {
    int x = 0, i = 0;
    if (a)
        goto inner;
    for (i = 0; i < 2; i++) {
        if (b)
            goto deep;
        while (x < 3) {
        inner:
            x++;
        deep:
            x++;
            b = 0;
        }
        a = 0;
    }
    assert(x >= 3);  // expect: proved assertion
    return x;
}

enum op { ADD, SUB, END };

int run(const unsigned char code[4]) {
    static const void *const table[] = {&&add, &&sub, &&end};
    int value = 0, at = 0;
    unsigned char program[4] = {ADD, ADD, SUB, END};
    goto *table[program[at]];
add:
    value += 3;
    goto *table[program[++at]];
sub:
    value -= 1;
    goto *table[program[++at]];
end:
    assert(value == 5);           // expect: proved assertion
    assert(value == 5 && !code);  // expect: alarm assertion
    return value;
}

int either(int which) {
    void *to = which ? &&one : &&two;
    goto *to;
one:
    assert(which);  // expect: proved assertion
    return 1;
two:
    return 10 / which;  // expect: alarm div-by-zero
}
