"""What really happens, and what the engine says of it.

Programs are compiled together and run one by one: the value that a program computes is the truth. The
bundled compiler's own checks for undefined behaviour are on, so that a program that has any is found out.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiercel_engine.frontend.compile import CompileOptions, Source, compile_unit
from tiercel_engine.ir.module import Module
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.verify.function import verify_function
from tiercel_engine.verify.options import DEFAULT_CHECKS, Options
from tiercel_engine.verify.verdicts import FunctionResult, Place

ZIG = (sys.executable, "-m", "ziglang", "cc", "-O0", "-w", "-fno-strict-aliasing")
Rows = list[tuple[int, ...]]
VERIFIER = "void reach_error(void); int __VERIFIER_nondet_int(void);\n"


@dataclass(frozen=True, slots=True)
class Question:
    """A function of a file, and the answers that would be wrong about it."""

    entry: str
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    question: Question
    status: str
    reason: str

    @property
    def is_wrong(self) -> bool:
        return self.status in (*self.question.wrong, "error")


def run_natively(text: str, statements: Sequence[str], folder: Path, bits: int = 64) -> list[Rows | None]:
    """The numbers, line by line, that statements print after what `text` defines, each in a process of
    its own; None where that ended with an error, such as undefined behaviour that was detected. `bits` are
    a pointer's."""
    source, binary = folder / "native.c", folder / "native"
    cases = "\n".join(f"case {number}: {statement}; break;" for number, statement in enumerate(statements))
    main = f"int main(int argc, char **argv) {{ switch (atoi(argv[1])) {{ {cases} }} return 0; }}"
    source.write_text("int printf(const char *, ...); int atoi(const char *);\n" + text + main)
    target = () if bits == 64 else ("-target", "x86-linux-musl")
    command = [*ZIG, *target, str(source), "-o", str(binary)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    found: list[Rows | None] = []
    for number in range(len(statements)):
        done = subprocess.run(
            [str(binary), str(number)], capture_output=True, text=True, timeout=60, check=False
        )
        rows = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
        found.append(rows if done.returncode == 0 and not done.stderr else None)
    return found


def module_of(text: str) -> Module:
    options = CompileOptions(bits=64, flags=("-w",), use_database=False)
    return parse_module(compile_unit(Source("differential.c", VERIFIER + text), options).ir_text)


def verdict(module: Module, name: str, **changes: object) -> FunctionResult:
    """The engine's verdict on a function as the program's start; `error` if the engine fails."""
    chosen: dict[str, object] = {
        "checks": ("assertion",), "entry": True, "depth": 1000, "unwind": 64, "recursion": 8,
        "malloc_fails": False, "timeout": 10.0,
    }  # fmt: skip
    options = Options(**{**chosen, **changes})  # type: ignore[arg-type]
    try:
        return verify_function(module, name, options)
    except Exception as failure:
        return FunctionResult(name, Place(module.source_name, 0), "error", reason=repr(failure))


def ask(module: Module, questions: Iterable[Question], **changes: object) -> list[Answer]:
    answers = []
    for question in questions:
        result = verdict(module, question.entry, **changes)
        reasons = [result.reason, *(check.reason for check in result.checks)]
        answers.append(Answer(question, result.status, next((r for r in reasons if r), "")))
    return answers


def comparisons(name: str, call: str, inputs: tuple[int, int], value: int) -> tuple[str, list[Question]]:
    """Functions that compare what `call` gives for the inputs `x` and `y` with its real value, once with
    inputs that the engine knows and once with such that it has to find."""
    x, y = inputs
    known = f"int x = {x}, y = (int){y}LL;"
    found = "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();"
    found += f" if (x != {x} || y != (int){y}LL) return 0;"
    text, questions = "", []
    for number, (begin, relation) in enumerate(((known, "!="), (known, "=="), (found, "!="), (found, "=="))):
        entry = f"{name}_{number}"
        text += (
            f"int {entry}(void) {{ {begin} if ({call} {relation} {value}ull) reach_error(); return 0; }}\n"
        )
        questions.append(Question(entry, ("alarm",) if relation == "!=" else ("proved", "unreachable")))
    return text, questions


def ranges(
    name: str, call: str, inputs: tuple[int, int], values: Sequence[int]
) -> tuple[str, list[Question]]:
    """Functions that compare what `call` gives with its real values for the inputs `x`, `x` + 1, …; the
    second one with a wrong value among them."""
    x, y = inputs
    last = len(values) - 1
    text, questions = "", []
    for number in range(2):
        entry = f"{name}_range_{number}"
        table = ", ".join(f"{v ^ (1 if number and n == last else 0)}ull" for n, v in enumerate(values))
        text += f"""\
int {entry}(void) {{
  static const u64 values[] = {{{table}}};
  int n = __VERIFIER_nondet_int() & {last}, x = {x} + n, y = (int){y}LL;
  if ({call} != values[n]) reach_error();
  return 0;
}}
"""
        questions.append(Question(entry, ("proved", "unreachable") if number else ("alarm",)))
    return text, questions


__all__ = [
    "DEFAULT_CHECKS",
    "Answer",
    "Question",
    "ask",
    "comparisons",
    "module_of",
    "ranges",
    "run_natively",
    "verdict",
]
