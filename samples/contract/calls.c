#include <limits.h>
#include <stddef.h>

/*@ requires 0 <= i < n;
  @ requires \valid_read(values + (0 .. n - 1));
  @*/
int at_ok(const int *values, int i, int n) {
    return values[i]; // expect: proved out-of-bounds; proved null-deref
}

int last_of_three_ok(void) {
    int values[3] = {1, 2, 3};
    return at_ok(values, 2, 3); // expect: proved contract
}

int behind_the_end_bad(void) {
    int values[3] = {1, 2, 3};
    return at_ok(values, 3, 3); // expect: alarm contract // replay: not-tried (not executed)
}

int too_many_bad(int i) {
    int values[3] = {1, 2, 3};
    if (i < 0 || i > 3)
        return 0;
    return at_ok(values, i, 4); // expect: alarm contract // replay: not-tried (not executed)
}

int no_array_bad(void) {
    return at_ok(NULL, 0, 1); // expect: alarm contract // replay: not-tried (not executed)
}

//@ requires a + b < 100;
int added_ok(int a, int b) {
    return a > 0 && b > 0 ? a + b : 0; // expect: proved signed-overflow
}

int wrapped_sum_bad(void) {
    return added_ok(INT_MAX, INT_MAX); // expect: alarm contract // replay: not-tried (not executed)
}

int small_sum_ok(int a) {
    return a < 50 ? added_ok(a, 49) : 0; // expect: proved contract
}

struct buffer {
    int *data;
    int length, room;
};

/*@ requires \valid(b) && 0 <= b->length < b->room && \valid(b->data + (0 .. b->room - 1));
    ensures b->length == \old(b->length) + 1; */
void push_ok(struct buffer *b, int value) {
    b->data[b->length++] = value; // expect: proved out-of-bounds; proved null-deref
} // expect: proved contract

void push_to_full_bad(void) {
    int data[2];
    struct buffer b = {data, 2, 2};
    push_ok(&b, 1); // expect: alarm contract // replay: not-tried (not executed)
}
