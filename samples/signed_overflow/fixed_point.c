/* Scaling and fixed-point maths in a type that is too narrow. */
#include <stdint.h>

int32_t q16_multiply_bad(int32_t a, int32_t b) {
    return (a * b) >> 16;  // expect: alarm signed-overflow
}

int32_t q16_multiply_ok(int32_t a, int32_t b) {
    return (int32_t)(((int64_t)a * b) >> 16);  // expect: proved signed-overflow
}

int fahrenheit_bad(int celsius) {
    return celsius * 9 / 5 + 32;  // expect: alarm signed-overflow
}

int fahrenheit_ok(int16_t celsius) {
    return celsius * 9 / 5 + 32;  // expect: proved signed-overflow
}

/* Both operands are promoted to int: 65535 * 65535 does not fit. */
uint32_t frame_area_bad(uint16_t width, uint16_t height) {
    return width * height;  // expect: alarm signed-overflow
}

uint32_t frame_area_ok(uint16_t width, uint16_t height) {
    return (uint32_t)width * height;
}

/* The product is computed in 32 bits and only then widened. */
int64_t deadline_ns_bad(int32_t timeout_ms) {
    return timeout_ms * 1000000;  // expect: alarm signed-overflow
}

int64_t deadline_ns_ok(int32_t timeout_ms) {
    return (int64_t)timeout_ms * 1000000;  // expect: proved signed-overflow
}
