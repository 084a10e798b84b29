/* Bit masks from a bit number. */
#include <stdint.h>

static uint32_t pending[2];

uint32_t bit_mask_bad(unsigned bit) {
    return 1u << bit;  // expect: alarm shift-range
}

uint32_t bit_mask_ok(unsigned bit) {
    if (bit >= 32)
        return 0;
    return 1u << bit;  // expect: proved shift-range
}

/* The literal 1 is an int: 64-bit flags need a 64-bit one. */
uint64_t wide_flag_bad(unsigned flag) {
    if (flag >= 64)
        return 0;
    return 1 << flag;  // expect: alarm shift-range
}

uint64_t wide_flag_ok(unsigned flag) {
    if (flag >= 64)
        return 0;
    return UINT64_C(1) << flag;  // expect: proved shift-range
}

void raise_irq_bad(unsigned irq) {
    if (irq >= 64)
        return;
    pending[irq / 32] |= 1u << irq;  // expect: alarm shift-range
}

void raise_irq_ok(unsigned irq) {
    if (irq >= 64)
        return;
    pending[irq / 32] |= 1u << (irq % 32);  // expect: proved shift-range; proved out-of-bounds
}

/* The top bit is in range when the operand is unsigned. */
uint32_t sign_bit_ok(uint32_t word) {
    return word & (1u << 31);
}
