/* Joins, loops, calls: values at the places where paths meet. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

extern int outside(int);
extern void fill(int *);

int last_of_loop(int n) {
    int i, last = -1;
    for (i = 0; i < 4; i++) {
        if (i == n)
            break;
        last = i;
    }
    assert(last == i - 1);      // expect: proved assertion
    assert(last != 2);          // expect: alarm assertion
    return i;
}

int nested_exits(int a, int b) {
    int found = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (i == a && j == b) {
                found = 10 * i + j;
                goto done;
            }
            if (j > a)
                break;
        }
    }
done:
    assert(found <= 22);  // expect: proved assertion
    assert(found != 11);  // expect: alarm assertion
    return found;
}

int switched(unsigned x) {
    int result = 0;
    switch (x % 5u) {
    case 0:
        result = 1;
        break;
    case 1:
    case 2:
        result = 2; /* falls through */
    case 3:
        result += 10;
        break;
    default:
        result = -1;
    }
    assert(result == 1 || result == 12 || result == 10 || result == -1);  // expect: proved assertion
    assert(result != 12);                                                 // expect: alarm assertion
    return result;
}

static int absolute(int x) {
    return x < 0 ? -x : x;  // expect: alarm signed-overflow
}

int uses_callee(int x) {
    int y = absolute(x);
    assert(y >= 0);  // expect: proved assertion
    return y;
}

static int counter;

static int next(void) {
    return ++counter;  // expect: alarm signed-overflow
}

int changes_global(void) {
    int before = counter;
    if (before > 1000)
        return 0;
    int one = next(), two = next();
    assert(two == one + 1 && counter == two);  // expect: proved assertion
    assert(one == 1);                          // expect: alarm assertion
    return one;
}

int unseen(int x) {
    int y = outside(x);
    assert(y == x);  // expect: alarm assertion
    return y;
}

int filled_by_others(void) {
    int a = 1, b = 2;
    fill(&a);
    assert(b == 2);  // expect: proved assertion
    assert(a == 1);  // expect: alarm assertion
    return a;
}

/* Simple induction proves these for every number of iterations. */
unsigned counted(unsigned n) {
    unsigned i = 0;
    while (i < n)
        i++;
    assert(i == n);  // expect: proved assertion
    return i;
}

int cleared(int n) {
    int a[100];
    if (n < 0 || n > 100)
        return 0;
    for (int i = 0; i < n; i++)
        a[i] = 0;  // expect: proved out-of-bounds
    return 0;
}

int toggled(unsigned n) {
    unsigned state = 0, steps = 0;
    for (unsigned i = 0; i < n; i++) {
        state ^= 1u;
        steps++;
    }
    assert(state <= 1u);    // expect: proved assertion
    assert(steps <= 5u);    // expect: alarm assertion
    return 0;
}

/* The twentieth iteration is beyond the bound, and no induction may hide it. */
int late(unsigned n) {
    int flag = 0;
    for (unsigned i = 0; i < n; i++)
        if (i == 20)
            flag = 1;
    assert(flag == 0);  // expect: bounded assertion
    return flag;
}

int constant_bound(void) {
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += i;
    assert(sum == 4950);  // expect: proved assertion
    return sum;
}

static unsigned down(unsigned n) {
    return n == 0 ? 0 : 1 + down(n - 1);
}

int recursive(void) {
    assert(down(0) == 0);  // expect: proved assertion
    return 0;
}

int chosen(int which) {
    int (*f)(int) = which ? absolute : outside;
    return f(-3);
}

int either(int c, int *p) {
    static int fallback;
    int *q = c ? p : &fallback;
    *q = 1;  // expect: alarm null-deref
    assert(*q == 1);  // expect: proved assertion
    return 0;
}
