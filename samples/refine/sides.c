/* Type 2: a call breaks what the callee requires. The callee's body says which side is wrong (002, V.B). */
#include <stddef.h>

/*@ requires n > 0; */
static int inverse_ok(int n) {
    return 100 / n;
}

/* The body of `inverse_ok` fails for 0: the precondition of its caller is weak. */
int weak_caller_bad(int x) {
    return inverse_ok(x);  // expect: alarm contract // refine: requires x > 0 // replay: not-tried (not executed)
}

/* The body of `half_ok` does not fail for 0: what it requires may as well be relaxed. */
/*@ requires n > 0; */
static int half_ok(int n) {
    return n / 2;
}

int strong_callee_bad(unsigned char x) {
    return half_ok(x);  // expect: alarm contract // refine: requires x > 0 // refine: half_ok requires n >= 0 instead of n > 0 // replay: not-tried (not executed)
}

/*@ requires p != \null && n < 10; */
static int guarded_ok(const int *p, int n) {
    return p == NULL ? 0 : n;
}

int null_is_fine_bad(int n) {
    return n < 10 ? guarded_ok(NULL, n) : 0;  // expect: alarm contract // refine: guarded_ok requires p == \null || n < 10 instead of p != \null && n < 10 // replay: not-tried (not executed)
}
