"""How a harness is started: as a program, or as a test of a framework."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """What is called and what is expected of it."""

    function: str
    failure: str

    @property
    def test(self) -> str:
        """A name for the test."""
        return re.sub(r"\W", "_", f"{self.function}_has_no_{self.failure}".replace(" in ", "_"))


def _main(call: Call) -> str:
    return """\
int main(void)
{
    replay_start();
    make_inputs();
    call_function();
    return 0;
}
"""


def _unity(call: Call) -> str:
    return f"""\
#include "unity.h"

void setUp(void)
{{
    replay_start();
    make_inputs();
}}

void tearDown(void)
{{
}}

static void test_{call.test}(void)
{{
    call_function();
}}

int main(void)
{{
    UNITY_BEGIN();
    RUN_TEST(test_{call.test});
    return UNITY_END();
}}
"""


def _cmocka(call: Call) -> str:
    return f"""\
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void test_{call.test}(void **state)
{{
    (void)state;
    replay_start();
    make_inputs();
    call_function();
}}

int main(void)
{{
    const struct CMUnitTest tests[] = {{cmocka_unit_test(test_{call.test})}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}}
"""


def _libfuzzer(call: Call) -> str:
    return """\
#include <stddef.h>
#include <stdint.h>

/* The fuzzer's bytes are laid over the inputs from the first block on; with none of them it is the
   counterexample itself. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    replay_start();
    make_inputs();
    replay_overlay(data, size);
    call_function();
    return 0;
}
"""


SHAPES: dict[str, Callable[[Call], str]] = {
    "main": _main,
    "unity": _unity,
    "cmocka": _cmocka,
    "libfuzzer": _libfuzzer,
}
