/* What the compiler's checks of undefined behaviour call (-fsanitize=undefined, of clang and of gcc): the place is
   known to them and is reported with the kind. Also what AddressSanitizer says, where there is one. */
#include "tiercel_internal.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct place {
    const char *file;
    uint32_t line, column;
};

static REPLAY_NORETURN void undefined(const char *kind, const struct place *place, const char *what)
{
    char text[512];
    snprintf(text, sizeof text, "%s:%u:%u: %s", place->file == NULL ? "?" : place->file, (unsigned)place->line,
             (unsigned)place->column, what);
    replay_fail(kind, text);
}

#define HANDLER1(name, kind, what)                                                                 \
    REPLAY_NORETURN void __ubsan_handle_##name(struct place *at);                                  \
    REPLAY_NORETURN void __ubsan_handle_##name(struct place *at)                                   \
    {                                                                                              \
        undefined(kind, at, what);                                                                 \
    }                                                                                              \
    REPLAY_NORETURN void __ubsan_handle_##name##_abort(struct place *at);                          \
    REPLAY_NORETURN void __ubsan_handle_##name##_abort(struct place *at)                           \
    {                                                                                              \
        undefined(kind, at, what);                                                                 \
    }

#define HANDLER2(name, kind, what)                                                                 \
    REPLAY_NORETURN void __ubsan_handle_##name(struct place *at, uintptr_t a);                     \
    REPLAY_NORETURN void __ubsan_handle_##name(struct place *at, uintptr_t a)                      \
    {                                                                                              \
        (void)a;                                                                                   \
        undefined(kind, at, what);                                                                 \
    }                                                                                              \
    REPLAY_NORETURN void __ubsan_handle_##name##_abort(struct place *at, uintptr_t a);             \
    REPLAY_NORETURN void __ubsan_handle_##name##_abort(struct place *at, uintptr_t a)              \
    {                                                                                              \
        (void)a;                                                                                   \
        undefined(kind, at, what);                                                                 \
    }

#define HANDLER3(name, kind, what)                                                                 \
    REPLAY_NORETURN void __ubsan_handle_##name(struct place *at, uintptr_t a, uintptr_t b);        \
    REPLAY_NORETURN void __ubsan_handle_##name(struct place *at, uintptr_t a, uintptr_t b)         \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        undefined(kind, at, what);                                                                 \
    }                                                                                              \
    REPLAY_NORETURN void __ubsan_handle_##name##_abort(struct place *at, uintptr_t a, uintptr_t b); \
    REPLAY_NORETURN void __ubsan_handle_##name##_abort(struct place *at, uintptr_t a, uintptr_t b) \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        undefined(kind, at, what);                                                                 \
    }

HANDLER3(add_overflow, "signed-overflow", "the sum does not fit its type")
HANDLER3(sub_overflow, "signed-overflow", "the difference does not fit its type")
HANDLER3(mul_overflow, "signed-overflow", "the product does not fit its type")
HANDLER2(negate_overflow, "signed-overflow", "the negative does not fit its type")
HANDLER3(shift_out_of_bounds, "shift-range", "the shift is not less than the width, or negative")
HANDLER2(out_of_bounds, "out-of-bounds", "the index is outside of the array")
HANDLER1(builtin_unreachable, "unreachable", "a point that is declared unreachable is reached")
HANDLER1(missing_return, "unreachable", "the end is reached without a return value")
HANDLER2(vla_bound_not_positive, "out-of-bounds", "the length of an array is not positive")
HANDLER2(type_mismatch_v1, "misaligned-access", "the address is no multiple of what its type asks for")
HANDLER1(invalid_builtin, "unreachable", "a built-in function gets a value that it is not defined for")

/* A quotient that does not fit or has no value; which of both the operands tell. */
static int divisor_is_zero(const uint16_t *type, uintptr_t value)
{
    unsigned bits = 1u << (type[1] >> 1);
    if (type[0] != 0)
        return 1;
    if (bits <= 8 * sizeof(uintptr_t)) {
        uintptr_t mask = bits == 8 * sizeof(uintptr_t) ? ~(uintptr_t)0 : (((uintptr_t)1) << bits) - 1;
        return (value & mask) == 0;
    }
    return ((const uint64_t *)value)[0] == 0 && ((const uint64_t *)value)[1] == 0;
}

struct divided {
    struct place place;
    const uint16_t *type;
};

REPLAY_NORETURN void __ubsan_handle_divrem_overflow(struct divided *at, uintptr_t a, uintptr_t b);
REPLAY_NORETURN void __ubsan_handle_divrem_overflow(struct divided *at, uintptr_t a, uintptr_t b)
{
    (void)a;
    if (divisor_is_zero(at->type, b))
        undefined("div-by-zero", &at->place, "the divisor is zero");
    undefined("signed-overflow", &at->place, "the quotient does not fit its type");
}

REPLAY_NORETURN void __ubsan_handle_divrem_overflow_abort(struct divided *at, uintptr_t a, uintptr_t b);
REPLAY_NORETURN void __ubsan_handle_divrem_overflow_abort(struct divided *at, uintptr_t a, uintptr_t b)
{
    __ubsan_handle_divrem_overflow(at, a, b);
}

#if defined(__SANITIZE_ADDRESS__)
#define TIERCEL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TIERCEL_ASAN 1
#endif
#endif

#ifdef TIERCEL_ASAN
#include <execinfo.h>
#include <sanitizer/asan_interface.h>
#include <string.h>

static const char *asan_kind(const char *said)
{
    if (strstr(said, "use-after") != NULL)
        return "use-after-free";
    if (strstr(said, "overflow") != NULL || strstr(said, "underflow") != NULL || strstr(said, "poison") != NULL)
        return "out-of-bounds";
    if (strstr(said, "overlap") != NULL)
        return "out-of-bounds";
    if (strstr(said, "free") != NULL)
        return "invalid-free";
    return "asan";
}

/* Called by AddressSanitizer before it ends the program. */
void __asan_on_error(void)
{
    const char *said = __asan_get_report_description();
    void *places[64];
    replay_fail_with(asan_kind(said), said, places, backtrace(places, 64));
}

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0:detect_leaks=0:"
           "detect_stack_use_after_return=1:allocator_may_return_null=1:verbosity=0:"
           "hard_rss_limit_mb=1024:check_initialization_order=0:strict_string_checks=1";
}
#endif
