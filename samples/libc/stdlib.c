/* <stdlib.h>: memory, the environment, sorting, the end. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int allocated_bad(void) {
    int *number = malloc(sizeof *number);
    *number = 1;  // expect: alarm null-deref
    free(number);
    return 0;
}

int zeroed_ok(void) {
    int *numbers = calloc(4, sizeof *numbers);
    if (numbers == NULL)
        return 0;
    int last = numbers[3];
    free(numbers);
    assert(last == 0);  // expect: proved assertion
    return last;
}

/* If realloc fails, the old memory is still there, and nobody knows where. */
int *grown_bad(int *numbers, size_t count) {
    if (count > 1000)
        return NULL;
    numbers = realloc(numbers, (count + 1) * sizeof *numbers);
    numbers[count] = 0;  // expect: alarm null-deref
    return numbers;
}

int grown_ok(void) {
    int *numbers = malloc(2 * sizeof *numbers);
    if (numbers == NULL)
        return 0;
    numbers[0] = 7;
    numbers[1] = 8;
    int *more = realloc(numbers, 4 * sizeof *more);
    if (more == NULL) {
        free(numbers);
        return 0;
    }
    more[3] = 9;  // expect: proved out-of-bounds
    assert(more[1] == 8);  // expect: proved assertion
    free(more);
    return 0;
}

/* The part that realloc adds is not initialised. */
unsigned grown_unset_bad(void) {
    int *numbers = calloc(1, sizeof *numbers);
    if (numbers == NULL)
        return 0;
    int *more = realloc(numbers, 2 * sizeof *more);
    if (more == NULL) {
        free(numbers);
        return 0;
    }
    unsigned last = 1u + more[1];  // expect: alarm uninit-read
    free(more);
    return last;
}

int old_place_bad(void) {
    int *numbers = calloc(1, sizeof *numbers);
    if (numbers == NULL)
        return 0;
    int *more = realloc(numbers, 2 * sizeof *more);
    if (more == NULL) {
        free(numbers);
        return 0;
    }
    int first = numbers[0];  // expect: alarm use-after-free
    free(more);
    return first;
}

/* A size of 0 frees the memory, and the result may be NULL all the same. */
void shrunk_bad(void) {
    char *text = malloc(8);
    char *less = realloc(text, 0);
    if (less == NULL)
        free(text);  // expect: alarm invalid-free
    else
        free(less);
}

size_t home_bad(void) {
    return strlen(getenv("HOME"));  // expect: alarm null-deref
}

size_t home_ok(void) {
    const char *home = getenv("HOME");
    return home != NULL ? strlen(home) : 0;  // expect: proved null-deref
}

/* What getenv returns belongs to the environment. */
void freed_home_bad(void) {
    free(getenv("HOME"));  // expect: alarm invalid-free
}

static int ascending_ok(const void *a, const void *b) {
    if (a == NULL || b == NULL)
        return 0;
    int x = *(const unsigned char *)a, y = *(const unsigned char *)b;
    return (x > y) - (x < y);
}

void sorted_ok(void) {
    unsigned char numbers[3] = {3, 1, 2};
    qsort(numbers, 3, sizeof *numbers, ascending_ok);
    assert(numbers[0] == 1 && numbers[2] == 3);  // expect: proved assertion
}

void too_many_bad(void) {
    unsigned char numbers[3] = {3, 1, 2};
    qsort(numbers, 4, sizeof *numbers, ascending_ok);  // expect: alarm out-of-bounds
}

int searched_bad(unsigned char wanted) {
    static const unsigned char primes[4] = {2, 3, 5, 7};
    const unsigned char *place = bsearch(&wanted, primes, 4, sizeof *primes, ascending_ok);
    return *place;  // expect: alarm null-deref
}

int searched_ok(unsigned char wanted) {
    static const unsigned char primes[4] = {2, 3, 5, 7};
    const unsigned char *place = bsearch(&wanted, primes, 4, sizeof *primes, ascending_ok);
    return place != NULL ? *place : 0;  // expect: proved out-of-bounds
}

int absolute_bad(int x) {
    return abs(x);  // expect: alarm signed-overflow
}

int divided_bad(int a, int b) {
    return div(a, b).quot;  // expect: alarm div-by-zero; alarm signed-overflow
}

/* Nothing is executed after exit. */
int ended_ok(const int *p) {
    if (p == NULL)
        exit(1);
    return *p;  // expect: proved null-deref
}

int dice_ok(void) {
    int face = rand() % 6 + 1;
    assert(face >= 1 && face <= 6);  // expect: proved assertion
    return face;
}
