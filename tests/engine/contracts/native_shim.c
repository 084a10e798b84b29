/* What the models are made of, for running them. What may be anything is what the real function just did
   (`guess_*`): a model that excludes it fails an assumption. */
#include <stddef.h>
#include <string.h>

int guess_int;
unsigned long guess_ulong;
double guess_double;
int excluded, misused;

int __VERIFIER_nondet_int(void) { return guess_int; }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)guess_int; }
long __VERIFIER_nondet_long(void) { return (long)guess_ulong; }
unsigned long __VERIFIER_nondet_ulong(void) { return guess_ulong; }
double __VERIFIER_nondet_double(void) { return guess_double; }
float __VERIFIER_nondet_float(void) { return (float)guess_double; }
void __VERIFIER_assume(int holds) { excluded |= !holds; }

void __tiercel_readable(const void *from, size_t size) { misused |= from == NULL && size > 0; }
void __tiercel_string(const char *s) { misused |= s == NULL; }
void __tiercel_character(int c) { misused |= c < -1 || c > 255; }
void __tiercel_apart(const void *a, const void *b) { misused |= a == b; }
void __tiercel_fill(void *to, size_t size, size_t most, int text) { memset(to, 'x', size); }
void __tiercel_unknown(void) { misused = 1; }

void *__tiercel_static(size_t size) {
    static void *kept[8];
    misused |= size > sizeof kept;
    return kept;
}
