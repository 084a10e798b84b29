/* What the manual says of work(): it gives a percentage. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int work(int amount) {
    int done = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= done && done <= 100);
    return done;
}
