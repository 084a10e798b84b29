/* <math.h>, exact where it is simple; fabs is an instruction. pow, exp, sin and their like have no model. */

static double __tiercel_whole(double x) {
    double whole = (double)(long long)x;
    return whole == 0 && x < 0 ? -0.0 : whole;
}

/* Beyond this all numbers are whole; not so for NaN. */
static int __tiercel_small(double x) {
    return x > -4503599627370496.0 && x < 4503599627370496.0 && x != 0;
}

double fabs(double x) {
    return __builtin_fabs(x);
}

float fabsf(float x) {
    return __builtin_fabsf(x);
}

double sqrt(double x) {
    return __builtin_elementwise_sqrt(x);
}

float sqrtf(float x) {
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
    return __tiercel_small(x) ? __tiercel_whole(x) : x;
}

double floor(double x) {
    if (!__tiercel_small(x))
        return x;
    double whole = __tiercel_whole(x);
    return whole > x ? whole - 1 : whole;
}

double ceil(double x) {
    if (!__tiercel_small(x))
        return x;
    double whole = __tiercel_whole(x);
    return whole < x ? whole + 1 : whole;
}

double round(double x) {
    if (!__tiercel_small(x))
        return x;
    double whole = __tiercel_whole(x), rest = x - whole;
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}
