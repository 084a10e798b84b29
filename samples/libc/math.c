/* <math.h> */
#include <assert.h>
#include <math.h>

void exact_ok(void) {
    volatile double two = 2.5;
    double x = two;
    assert(fabs(-3.0) == 3.0);
    assert(sqrt(9.0) == 3.0);
    if (x == 2.5) {
        assert(floor(x) == 2.0 && ceil(x) == 3.0);  // expect: proved assertion
        assert(trunc(-x) == -2.0 && round(x) == 3.0);  // expect: proved assertion
        assert(fmax(x, 1.0) == 2.5);  // expect: proved assertion
    }
}

int whole_bad(double x) {
    assert(floor(x) <= x);  // expect: alarm assertion
    return 0;
}

int whole_ok(double x) {
    if (isnan(x))
        return 0;
    assert(floor(x) <= x);  // expect: proved assertion
    return 1;
}

/* The root of a negative number is not a number. */
int root_bad(double x) {
    double root = sqrt(x);
    assert(root >= 0);  // expect: alarm assertion
    return 0;
}

int sine_ok(double x) {
    double y = sin(x);
    assert(!(y > 1));  // expect: proved assertion
    return 0;
}

/* What pow gives is not followed: any result is taken to be possible. */
int power_bad(void) {
    volatile double base = 2.0;
    assert(pow(base, 2.0) != 5.0);  // expect: alarm assertion  // replay: not-reproduced (returned without failing)
    return 0;
}
