/* <sys/wait.h> */
#include "primitives.h"

/* the number of a child, 0 or -1 */
int waitpid(int process, int *status, int options) {
    int result = __tiercel_descriptor();
    if (status != NULL && result > 0)
        *status = __VERIFIER_nondet_int();
    return result;
}

/* the number of a child or -1 */
int wait(int *status) {
    int result = __tiercel_descriptor();
    __VERIFIER_assume(result != 0);
    if (status != NULL && result > 0)
        *status = __VERIFIER_nondet_int();
    return result;
}
