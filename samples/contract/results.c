#include <stddef.h>

int total;

/*@ requires low <= high;
    ensures low <= \result <= high; */
int clamp_ok(int value, int low, int high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
} // expect: proved contract

/*@ ensures low <= \result <= high; */
int clamp_bad(int value, int low, int high) {
    if (value < low)
        return low;
    return value > high ? high : value;
} // expect: alarm contract // replay: not-tried (not executed)

/*@ requires 0 <= amount <= 1000 && 0 <= total <= 1000;
    ensures total == \old(total) + amount;
    ensures \result == \old(total); */
int add_ok(int amount) {
    int before = total;
    total += amount;
    return before; // expect: proved contract
}

/*@ requires 0 <= amount <= 1000 && 0 <= total <= 1000;
    ensures total == \old(total) + amount; */
void add_bad(int amount) {
    if (amount != 7)
        total += amount;
} // expect: alarm contract // replay: not-tried (not executed)

/*@ ensures \result == \null || \valid(\result + (0 .. n - 1));
    assigns \nothing; */
int *make(size_t n);

int use_made_ok(void) {
    int kept = total;
    int *made = make(4);
    if (!made || kept == 0)
        return 0;
    made[3] = 1;         // expect: proved out-of-bounds
    return made[3] / total; // expect: proved div-by-zero
}

int use_made_bad(void) {
    int *made = make(4);
    if (!made)
        return 0;
    made[4] = 1; // expect: alarm out-of-bounds  // replay: confirmed-under-assumptions (make returns a valid pointer)
    return made[3];
}
