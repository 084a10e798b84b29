/* <setjmp.h>: jumps out of functions are not modelled. What comes after setjmp is not known, and said to be so. */
#include <assert.h>
#include <setjmp.h>
#include <stddef.h>

static jmp_buf failure;

int divided_ok(int a, int b) {
    assert(a >= 0 || a < 0);
    if (setjmp(failure) != 0)
        return 0;
    return b != 0 ? a % 7 : 0;  // expect: unknown signed-overflow (setjmp)
}

void gives_up_ok(const int *p) {
    if (p == NULL)
        longjmp(failure, 1);
    assert(*p == *p);
}
