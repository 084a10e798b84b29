/* Accumulating samples. */
#include <stddef.h>
#include <stdint.h>

struct raw_frame {
    int32_t level[4];
};

struct pcm_frame {
    int16_t level[4];
};

int32_t frame_sum_bad(const struct raw_frame *frame) {
    if (frame == NULL)
        return 0;
    int32_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum += frame->level[i];  // expect: alarm signed-overflow
    return sum;
}

int32_t frame_sum_ok(const struct pcm_frame *frame) {
    if (frame == NULL)
        return 0;
    int32_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum += frame->level[i];  // expect: proved signed-overflow
    return sum;
}
