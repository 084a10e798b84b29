/* `%` divides too. */
#include <limits.h>

/* `||` was meant to be `&&`. */
unsigned bucket_of_bad(unsigned hash, unsigned buckets) {
    if (buckets > 0 || hash != 0)
        return hash % buckets;  // expect: alarm div-by-zero
    return 0;
}

unsigned bucket_of_ok(unsigned hash, unsigned buckets) {
    if (buckets > 0 && hash != 0)
        return hash % buckets;  // expect: proved div-by-zero
    return 0;
}

int phase_bad(int tick, int period) {
    return tick % period;  // expect: alarm div-by-zero; alarm signed-overflow
}

int phase_ok(int tick, int period) {
    if (period <= 0)
        return 0;
    return tick % period;  // expect: proved div-by-zero; proved signed-overflow
}

/* A do-while tests one iteration too late. */
unsigned gcd_bad(unsigned a, unsigned b) {
    do {
        unsigned rest = a % b;  // expect: alarm div-by-zero
        a = b;
        b = rest;
    } while (b != 0);
    return a;
}

unsigned gcd_ok(unsigned a, unsigned b) {
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
