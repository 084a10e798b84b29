/* A ring buffer and a stack whose state lives in globals, which hold anything when a function
   is verified on its own. */
#include <stdint.h>

static uint8_t ring[8];
static unsigned head;
static int stack[4];
static int top;

/* Wraps after the write instead of before it. */
void ring_put_bad(uint8_t byte) {
    ring[head] = byte;  // expect: alarm out-of-bounds
    head++;
    if (head == 8)
        head = 0;
}

void ring_put_ok(uint8_t byte) {
    ring[head % 8] = byte;  // expect: proved out-of-bounds
    head++;
}

int push_bad(int value) {
    if (top < 0 || top > 4)
        return -1;
    stack[top] = value;  // expect: alarm out-of-bounds
    top++;
    return 0;
}

int push_ok(int value) {
    if (top < 0 || top >= 4)
        return -1;
    stack[top] = value;  // expect: proved out-of-bounds
    top++;
    return 0;
}

/* Reads the slot above the top: the decrement comes too late. */
int pop_bad(void) {
    if (top <= 0 || top > 4)
        return 0;
    int value = stack[top];  // expect: alarm out-of-bounds
    top--;
    return value;
}

int pop_ok(void) {
    if (top <= 0 || top > 4)
        return 0;
    top--;
    return stack[top];  // expect: proved out-of-bounds
}
