/* A PID controller in fixed point (Q16.16), with limits on output and integral. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define OUTPUT_MAX (100 * 65536)
#define OUTPUT_MIN (-100 * 65536)

struct pid {
    int32_t kp, ki, kd;  /* Q16.16 */
    int32_t integral;    /* Q16.16, within the output's limits */
    int32_t last_output; /* Q16.16 */
    int16_t last_error;
    uint8_t started;
    uint8_t saturated;
};

static int32_t saturate(int64_t value, int32_t low, int32_t high) {
    if (value < low)
        return low;
    if (value > high)
        return high;
    return (int32_t)value;
}

/* One step: the new output from what is wanted and what was measured. */
int32_t pid_step(struct pid *pid, int16_t wanted, int16_t measured) {
    if (pid == NULL)
        return 0;
    int32_t difference = (int32_t)wanted - measured;
    int16_t error;
    if (difference > INT16_MAX)
        error = INT16_MAX;
    else if (difference < INT16_MIN)
        error = INT16_MIN;
    else
        error = (int16_t)difference;

    int64_t proportional = (int64_t)pid->kp * error;

    int64_t derivative = 0;
    if (pid->started)
        derivative = (int64_t)pid->kd * ((int32_t)error - pid->last_error);
    pid->last_error = error;
    pid->started = 1;

    /* Anti-windup: the integral stands still while the output is saturated in the same direction. */
    int64_t step = (int64_t)pid->ki * error;
    int same_direction = (pid->integral > 0 && error > 0) || (pid->integral < 0 && error < 0);
    if (!(pid->saturated && same_direction))
        pid->integral = saturate(pid->integral + step, OUTPUT_MIN, OUTPUT_MAX);

    int64_t sum = proportional + pid->integral + derivative;
    int32_t output = saturate(sum, OUTPUT_MIN, OUTPUT_MAX);
    pid->saturated = output != sum;
    assert(output >= OUTPUT_MIN && output <= OUTPUT_MAX);

    /* At most a quarter of the range in one step, for the sake of the gears. */
    int64_t change = (int64_t)output - pid->last_output;
    if (change > OUTPUT_MAX / 2)
        output = saturate((int64_t)pid->last_output + OUTPUT_MAX / 2, OUTPUT_MIN, OUTPUT_MAX);
    else if (change < OUTPUT_MIN / 2)
        output = saturate((int64_t)pid->last_output + OUTPUT_MIN / 2, OUTPUT_MIN, OUTPUT_MAX);

    /* Dead band around zero, so that a resting motor stays silent. */
    if (output > -65536 / 4 && output < 65536 / 4)
        output = 0;
    pid->last_output = output;
    return output;
}
