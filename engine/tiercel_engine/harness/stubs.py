"""Functions that are not there, as C: what each gave in the counterexample, call by call."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tiercel_engine.harness.c_types import CTypes, Unprintable, plain_type
from tiercel_engine.harness.c_values import bytes_of, pointer, string_literal
from tiercel_engine.harness.inputs import Inputs, NotWritable, runs, whole
from tiercel_engine.harness.library_calls import (
    ALLOCATING,
    CHARACTERS,
    INTRINSICS,
    OUTPUT,
    REAL,
    RUNTIME,
    STREAM_ENDERS,
    STREAM_MAKERS,
    TOUCHED,
)
from tiercel_engine.ir.module import Module, Signature
from tiercel_engine.trace.counterexample import NO_BLOCK, VOLATILE, Block, Datum, Given, Placed, Written

_ERRORS = ("reach_error", "__VERIFIER_error")
_ASSUMES = ("__VERIFIER_assume", "__CPROVER_assume")
_ASSERT = "__CPROVER_assert"
NONDET = "__VERIFIER_nondet_"
_CHARACTER = """\
#undef {name}
extern int {name}(int);
int unit_{name}(int a0);
int unit_{name}(int a0)
{{
    replay_character(a0);
    return ({name})(a0);
}}"""


@lru_cache(maxsize=1)
def _libc() -> Any:
    return ctypes.CDLL(None)


def in_library(name: str) -> bool:
    """Whether the C library of this machine has a function of that name."""
    try:
        return hasattr(_libc(), name)
    except ValueError:
        return False


@dataclass(slots=True)
class Stubs:
    """The replaced functions of one counterexample."""

    module: Module
    types: CTypes
    inputs: Inputs
    given: tuple[Given, ...]

    def missing(self) -> list[Signature]:
        """Functions that the unit declares and does not define, intrinsics excepted."""
        return [
            signature
            for name, signature in self.module.signatures.items()
            if not name.startswith("llvm.")
            and (not signature.defined or signature.library)
            and "$" not in name
        ]

    def renames(self) -> Iterator[tuple[str, str]]:
        """Names of the program and what they become, so that nothing of the library is shadowed."""
        names = [signature.name for signature in self.missing()]
        for intrinsic in (name for name in self.module.signatures if name.startswith("llvm.")):
            for name in INTRINSICS.get(intrinsic.split(".")[1], ()):
                own = self.module.signatures.get(name)
                if own is None or not own.defined:
                    names.append(name)
        for name in dict.fromkeys(names):
            if name in RUNTIME:
                yield name, RUNTIME[name]
            elif name in CHARACTERS or (name not in REAL and in_library(name) and name[:5] != "__iso"):
                yield name, f"unit_{name}"

    def failing_allocations(self) -> list[int]:
        """The numbers of the allocations that give NULL."""
        numbers, failing = 0, []
        for each in self.given:
            if each.callee in ALLOCATING or each.callee in STREAM_MAKERS:
                result = each.result
                null = isinstance(result, Datum) and not result.block and not result.bits
                if each.callee in STREAM_MAKERS:
                    numbers += not null
                else:
                    numbers += 1
                    if null:
                        failing.append(numbers)
        return failing

    def invented(self) -> Iterator[str]:
        """What was made up about functions whose source is not there."""
        for each in self.given:
            if each.callee == VOLATILE:
                continue
            signature = self.module.signatures.get(each.callee)
            own = signature is not None and signature.defined and not signature.library
            if each.library or own or each.callee.startswith(NONDET) or each.callee in REAL:
                continue
            gave = ""
            if isinstance(each.result, Datum):
                plain = each.result.block == NO_BLOCK
                half = 1 << (8 * each.result.size - 1)
                number = each.result.bits - 2 * half if each.result.bits >= half else each.result.bits
                gave = f" {number}" if plain else " a valid pointer"
            yield f"{each.callee} returns{gave}" + (" and changes memory" if each.written else "")

    # -- definitions

    def prototypes(self) -> Iterator[str]:
        for block in self._callbacks():
            yield f"{self._callback_head(block)};"

    def definitions(self) -> Iterator[str]:
        for signature in self.missing():
            if signature.name in CHARACTERS:
                yield _CHARACTER.format(name=signature.name)
            elif not signature.dbg and in_library(signature.name) and not self._called(signature.name):
                continue  # of an inline function in a header; its type is not known
            elif signature.name not in RUNTIME and signature.name not in REAL:
                yield "\n".join(self._definition(signature))
        for block in self._callbacks():
            function = self.types.stripped(block.type)
            calls = [each for each in self.given if each.block == block.ident]
            count = len(function.members) if function is not None else 0
            target = function.target if function is not None else -1
            lines = [self._callback_head(block), "{"]
            name = f"the function `{block.name.lstrip('*')}`"
            lines += self._body(name, calls, target, count, None)
            yield "\n".join([*lines, "}"])

    def _called(self, name: str) -> bool:
        return any(each.callee == name for each in self.given)

    def _callbacks(self) -> list[Block]:
        return [block for block in self.inputs.counterexample.blocks if self.inputs.is_code(block)]

    def _callback_head(self, block: Block) -> str:
        function = self.types.stripped(block.type)
        if function is None and not block.type:
            return self._untyped_head(block)
        if function is None or function.kind != "function":
            raise NotWritable(f"the type of the function `{block.name}` is not known")
        names = tuple(f"a{i}" for i in range(len(function.members)))
        try:
            inside = f"{self.inputs.names[block.ident]}({self.types.parameters(function, names)})"
            return f"static {self.types.declared(function.target, inside)}"
        except Unprintable:
            raise NotWritable(f"the type of the function `{block.name}` has no name") from None

    def _untyped_head(self, block: Block) -> str:
        """A function of which only its calls are known: addresses and numbers are returned alike."""
        calls = [each for each in self.given if each.block == block.ident]
        if any(each.written or isinstance(each.result, tuple) for each in calls):
            raise NotWritable(f"the type of the function `{block.name}` is not known")
        wide = any(isinstance(each.result, Datum) and each.result.size > 4 for each in calls)
        return f"static {'void *' if wide else 'int '}{self.inputs.names[block.ident]}()"

    def _definition(self, signature: Signature) -> Iterator[str]:
        name = signature.name
        try:
            head, result, count = self._head(signature)
        except Unprintable:
            raise NotWritable(f"the type of {name} has no name") from None
        if not count and name in (*_ASSUMES, _ASSERT):
            raise NotWritable(f"{name} is not declared")
        if head.endswith(f'__asm__("{name}")'):
            yield f"{head};"
            head = head.removesuffix(f' __asm__("{name}")')
        elif not in_library(name):
            yield f"{head};"
        yield head
        yield "{"
        if name in _ERRORS:
            yield f'    replay_fail("assertion", "{name} is called");'
        elif name in _ASSUMES:
            yield "    if (!a0)"
            yield "        replay_assume_failed();"
        elif name == _ASSERT:
            yield "    if (!a0)"
            yield '        replay_fail("assertion", "an assertion fails");'
        elif "noreturn" in signature.attrs:
            yield from (f"    (void)a{i};" for i in range(count))
            yield f'    replay_left("{name} is called, which does not return");'
        else:
            calls = [each for each in self.given if each.callee == name and not each.block]
            yield from self._body(name, calls, result, count, signature)
        yield "}"

    def _head(self, signature: Signature) -> tuple[str, int, int]:
        """The definition's first line, the debug type of the result (-1: by IR), the number of parameters.
        What is declared, but not called by its name, has no debug information: it is defined under another
        name and its own symbol, so that the declaration need not be known."""
        name = signature.name
        types = self.module.debug.subprogram_types(signature.dbg) if signature.dbg else ()
        dots = ", ..." if signature.type.varargs else ""
        if types:
            parts = [self.types.declared(each, f"a{i}") for i, each in enumerate(types[1:])]
            return self.types.declared(types[0], f"{name}({_list(parts, dots)})"), types[0], len(parts)
        parts = [f"{plain_type(each)} a{i}" for i, each in enumerate(signature.type.params)]
        result = plain_type(signature.type.result)
        if in_library(name) or not name.isidentifier():
            return f"{result} {name}({_list(parts, dots)})", -1, len(parts)
        return f'{result} symbol_{name}({_list(parts, dots)}) __asm__("{name}")', -1, len(parts)

    def _body(
        self, name: str, calls: list[Given], result: int, count: int, signature: Signature | None
    ) -> Iterator[str]:
        yield "    static unsigned calls;"
        yield from self._further(calls, count)
        plain = signature.name if signature is not None else ""
        for i in range(count):
            yield f"    replay_argument(&a{i}, sizeof a{i});"
        yield from (f"    replay_{access};" for access in TOUCHED.get(plain, ()))
        if signature is not None and self._fails_in(plain):
            yield f"    if (calls == {len(calls)}) {{ /* here it fails */"
            yield from (f"    {line}" for line in self._looked_at(signature))
            yield "    }"
        if plain in OUTPUT:
            yield f"    if (calls >= {len(calls)})"
            yield "        return 1;"
        if plain in STREAM_ENDERS:
            yield "    replay_close(a0);"
        yield f"    switch (replay_call({string_literal(name.encode())}, &calls, {len(calls)})) {{"
        for number, each in enumerate(calls):
            label = "default" if number == len(calls) - 1 else f"case {number}"
            yield f"    {label}: /* line {each.line}, called by {each.caller} */"
            yield from (f"        {line}" for line in self._effects(each, signature))
            yield from (f"        {line}" for line in self._result(each, result, plain, signature))
        yield "    }"
        if not calls:
            yield f"    replay_no_result({string_literal(name.encode())});"

    def _fails_in(self, name: str) -> bool:
        return bool(name) and self.inputs.counterexample.failure.inside == name

    def _further(self, calls: list[Given], count: int) -> Iterator[str]:
        """Pointers that are given after the named parameters, if something is written through them."""
        last = max((w.argument for each in calls for w in each.written), default=-1)
        if last < count or not count:
            return
        names = [f"a{i}" for i in range(count, last + 1)]
        yield "    va_list more;"
        yield f"    void *{', *'.join(names)};"
        yield f"    va_start(more, a{count - 1});"
        yield from (f"    {name} = va_arg(more, void *);" for name in names)
        yield "    va_end(more);"

    def _looked_at(self, signature: Signature) -> Iterator[str]:
        """Strings must have their terminators, streams must be open, other things must be there."""
        if not in_library(signature.name) or signature.name in STREAM_ENDERS:
            return
        types = self.module.debug.subprogram_types(signature.dbg) if signature.dbg else ()
        for number, each in enumerate(types[1:]):
            found = self.types.stripped(each)
            target = (
                self.types.stripped(found.target) if found is not None and found.kind == "pointer" else None
            )
            if found is None or target is None:
                continue
            if target.name == "char" and self.types.is_constant(found.target):
                yield f"    replay_string(a{number});"
            elif "_IO_FILE" in target.name or "__dirstream" in target.name:
                yield f"    replay_stream(a{number});"
            elif target.bits:
                yield f"    replay_readable(a{number}, sizeof *a{number});"

    def _effects(self, given: Given, signature: Signature | None) -> Iterator[str]:
        groups: dict[str, list[Written]] = {}
        for each in given.written:
            if not each.datum.defined:
                continue
            if each.argument >= 0:
                base = f"a{self._parameter(each.argument, signature)}"
            else:
                base = self.inputs.address(each.block)
            groups.setdefault(base, []).append(each)
        for base, writes in groups.items():
            if base == "&errno":
                yield from (f"errno = {each.datum.bits};" for each in writes)
                continue
            cells = [
                Placed(each.distance if each.argument >= 0 else each.offset, each.datum) for each in writes
            ]
            for run in runs(sorted(cells, key=lambda cell: cell.offset)):
                yield from self.inputs.put(base if base.startswith("&") else f"{base}", run)

    def _parameter(self, argument: int, signature: Signature | None) -> int:
        """The C parameter of an argument of the IR."""
        if signature is None or not signature.dbg:
            return argument
        types = self.module.debug.subprogram_types(signature.dbg)
        hidden = int(bool(signature.params) and signature.params[0].sret is not None)
        if len(types) - 1 != len(signature.params) - hidden and not signature.type.varargs:
            raise NotWritable(f"{signature.name} takes a struct by value")
        return argument - hidden

    def _result(self, given: Given, type: int, name: str, signature: Signature | None) -> Iterator[str]:
        value = given.result
        if given.argument >= 0 and isinstance(value, Datum):
            place = f"a{self._parameter(given.argument, signature)}"
            behind = f" + {given.distance}" if given.distance > 0 else f" - {-given.distance}"
            yield f"return (void *)((unsigned char *){place}{behind if given.distance else ''});"
            return
        if name in STREAM_MAKERS and isinstance(value, Datum):
            yield "return (void *)replay_new_stream();" if value.block else "return NULL;"
            return
        if value is None:
            if type <= 0:
                yield "return;" if type == 0 else "return 0;"
                return
            raise NotWritable(f"what {given.callee} returns is not known")
        if isinstance(value, Datum) and (type == -1 or not self._is_record(type)):
            if name == "pthread_mutex_trylock" and not value.bits:
                yield "replay_locking(a0);"
            shown = whole(self.types, value, max(type, 0), self.inputs)
            yield (
                f"return {shown};"
                if type >= 0 or not value.block
                else f"return {pointer(self.types, value, 0, self.inputs.address)};"
            )
            return
        data = bytes_of(value)
        if data is None or type <= 0:
            raise NotWritable(f"{given.callee} returns a struct with an address in it")
        size = min(len(data), self.types.size(type))
        yield "{"
        yield f"    {self.types.declared(type, 'result')};"
        yield f"    replay_put(&result, {string_literal(data[:size])}, {size});"
        yield "    return result;"
        yield "}"

    def _is_record(self, type: int) -> bool:
        found = self.types.stripped(type)
        return found is not None and found.kind in ("struct", "union", "array")


def _list(parts: list[str], dots: str) -> str:
    """Parameters; nothing at all for a function that was declared without a prototype."""
    if not parts:
        return "" if dots else "void"
    return ", ".join(parts) + dots
