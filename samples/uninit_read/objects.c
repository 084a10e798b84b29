/* Fields, elements and heap memory that nobody has written. */
#include <stdint.h>
#include <stdlib.h>

struct uart {
    uint16_t divisor;
    uint16_t parity;
};

int uart_word_bad(uint16_t divisor) {
    struct uart uart;
    uart.divisor = divisor;
    return uart.divisor + uart.parity;  // expect: alarm uninit-read
}

int uart_word_ok(uint16_t divisor) {
    struct uart uart = {0};
    uart.divisor = divisor;
    return uart.divisor + uart.parity;
}

/* Copying a struct with an unset field is fine as long as nobody looks at it. */
int uart_copy_ok(uint16_t divisor) {
    struct uart uart, copy;
    uart.divisor = divisor;
    copy = uart;
    return copy.divisor;
}

/* Stops one element short. */
int histogram_bad(void) {
    int count[4];
    for (int i = 0; i < 3; i++)
        count[i] = 0;
    return count[3];  // expect: alarm uninit-read
}

int histogram_ok(void) {
    int count[4] = {0};
    return count[3];
}

int heap_flag_bad(void) {
    int *flag = malloc(sizeof *flag);
    int seen = 0;
    if (flag == NULL)
        return -1;
    if (*flag != 0)  // expect: alarm uninit-read
        seen = 1;
    free(flag);
    return seen;
}

int heap_flag_ok(void) {
    int *flag = calloc(1, sizeof *flag);
    int seen = 0;
    if (flag == NULL)
        return -1;
    if (*flag != 0)
        seen = 1;
    free(flag);
    return seen;
}
