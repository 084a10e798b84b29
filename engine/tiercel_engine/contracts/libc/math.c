/* <math.h>: exact where it is simple. */
#include "primitives.h"

double fabs(double x) {
    return __builtin_fabs(x);
}

float fabsf(float x) {
    return __builtin_fabsf(x);
}

double sqrt(double x) {
    if (x < 0)
        *__errno_location() = 33;
    return __builtin_elementwise_sqrt(x);
}

float sqrtf(float x) {
    if (x < 0)
        *__errno_location() = 33;
    return __builtin_elementwise_sqrt(x);
}

double fmin(double a, double b) {
    return a != a || b < a ? b : a;
}

double fmax(double a, double b) {
    return a != a || b > a ? b : a;
}

float fminf(float a, float b) {
    return a != a || b < a ? b : a;
}

float fmaxf(float a, float b) {
    return a != a || b > a ? b : a;
}

double fdim(double a, double b) {
    return a <= b ? 0 : a - b;
}

double trunc(double x) {
    return __builtin_trunc(x);
}

double floor(double x) {
    return __builtin_floor(x);
}

double ceil(double x) {
    return __builtin_ceil(x);
}

double round(double x) {
    return __builtin_round(x);
}

float truncf(float x) {
    return __builtin_truncf(x);
}

float floorf(float x) {
    return __builtin_floorf(x);
}

float ceilf(float x) {
    return __builtin_ceilf(x);
}

float roundf(float x) {
    return __builtin_roundf(x);
}

double copysign(double x, double sign) {
    return __builtin_copysign(x, sign);
}

/* -- any result of the right range, or not a number */

static double __tiercel_between(double low, double high) {
    double result = __VERIFIER_nondet_double();
    __VERIFIER_assume(result != result || (result >= low && result <= high));
    return result;
}

/* errno after a number that is outside of the domain or a result that does not fit */
static double __tiercel_any_number(void) {
    __tiercel_failed(__VERIFIER_nondet_int());
    return __VERIFIER_nondet_double();
}

/* any result from -1 to 1 */
double sin(double x) {
    __tiercel_failed(__VERIFIER_nondet_int());
    return __tiercel_between(-1, 1);
}

/* any result from -1 to 1 */
double cos(double x) {
    __tiercel_failed(__VERIFIER_nondet_int());
    return __tiercel_between(-1, 1);
}

/* any result */
double tan(double x) {
    return __tiercel_any_number();
}

/* any result from -2 to 2 */
double asin(double x) {
    __tiercel_failed(__VERIFIER_nondet_int());
    return __tiercel_between(-2, 2);
}

/* any result from 0 to 4 */
double acos(double x) {
    __tiercel_failed(__VERIFIER_nondet_int());
    return __tiercel_between(0, 4);
}

/* any result from -2 to 2 */
double atan(double x) {
    return __tiercel_between(-2, 2);
}

/* any result from -4 to 4 */
double atan2(double y, double x) {
    __tiercel_failed(__VERIFIER_nondet_int());
    return __tiercel_between(-4, 4);
}

/* any result from 0 on */
double exp(double x) {
    __tiercel_failed(__VERIFIER_nondet_int());
    return __tiercel_between(0, __builtin_inf());
}

/* any result */
double log(double x) {
    return __tiercel_any_number();
}

/* any result */
double log2(double x) {
    return __tiercel_any_number();
}

/* any result */
double log10(double x) {
    return __tiercel_any_number();
}

/* any result */
double pow(double x, double y) {
    return __tiercel_any_number();
}

/* any result */
double cbrt(double x) {
    return __tiercel_any_number();
}

/* any result from 0 on */
double hypot(double x, double y) {
    __tiercel_failed(__VERIFIER_nondet_int());
    return __tiercel_between(0, __builtin_inf());
}

/* any result that is smaller than the divisor */
double fmod(double x, double y) {
    double result = __tiercel_any_number();
    __VERIFIER_assume(result != result || __builtin_fabs(result) < __builtin_fabs(y));
    return result;
}

/* any result */
double ldexp(double x, int exponent) {
    return __tiercel_any_number();
}

/* any result */
double frexp(double x, int *exponent) {
    *exponent = __VERIFIER_nondet_int();
    return __VERIFIER_nondet_double();
}
