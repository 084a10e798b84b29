// options: --unwind 16
/* Thirteen multiplications are enough. */

int factorial_bad(int n) {
    int product = 1;
    for (int i = 2; i <= n; i++)
        product *= i;  // expect: alarm signed-overflow
    return product;
}

int factorial_ok(int n) {
    if (n > 12)
        return 0;
    int product = 1;
    for (int i = 2; i <= n; i++)
        product *= i;  // expect: proved signed-overflow
    return product;
}
