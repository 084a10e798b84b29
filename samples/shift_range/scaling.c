/* Shift amounts read from a header or computed as an exponent. */
#include <stddef.h>
#include <stdint.h>

struct packet {
    uint8_t byte[8];
};

uint32_t page_bytes_bad(uint8_t order) {
    return 4096u << order;  // expect: alarm shift-range
}

uint32_t page_bytes_ok(uint8_t order) {
    return order < 20 ? 4096u << order : 0;  // expect: proved shift-range
}

/* An upper bound on a signed amount is half of a range check. */
uint32_t scale_bad(uint32_t mantissa, int exponent) {
    if (exponent > 31)
        return 0;
    return mantissa << exponent;  // expect: alarm shift-range
}

uint32_t scale_ok(uint32_t mantissa, int exponent) {
    if (exponent > 31 || exponent < -31)
        return 0;
    if (exponent < 0)
        return mantissa >> -exponent;  // expect: proved shift-range
    return mantissa << exponent;  // expect: proved shift-range
}

uint32_t load_le32_bad(const struct packet *p) {
    if (p == NULL)
        return 0;
    uint32_t word = 0;
    for (int i = 0; i <= 4; i++)
        word |= (uint32_t)p->byte[i] << (8 * i);  // expect: alarm shift-range
    return word;
}

uint32_t load_le32_ok(const struct packet *p) {
    if (p == NULL)
        return 0;
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word |= (uint32_t)p->byte[i] << (8 * i);  // expect: proved shift-range
    return word;
}

uint8_t crc8_step_ok(uint8_t crc, uint8_t byte) {
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++)
        crc = (uint8_t)((crc & 0x80) ? (crc << 1) ^ 0x07 : crc << 1);
    return crc;
}
