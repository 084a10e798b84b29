/* Who uses engine_user.c may take and return it as often as they like, in this order. */
#include "../../engine_user.c"

extern int __VERIFIER_nondet_int(void);

int main(void) {
    while (__VERIFIER_nondet_int()) {
        user_begin_ok();
        while (__VERIFIER_nondet_int())
            user_work_ok();
        user_end_ok();
    }
    return 0;
}
