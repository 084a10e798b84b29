"""scanf and its like: what input writes. Only formats that are constants are understood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tiercel_engine.encode.c_strings import string_length
from tiercel_engine.encode.formatted import INTEGERS, LONGEST, Model, Text, parts_of, put_text
from tiercel_engine.encode.memory_access import Access
from tiercel_engine.encode.outside import (
    constant_text,
    function_name,
    require_stream,
    tell,
    touch_errno,
    written,
)
from tiercel_engine.encode.state import Frame, State
from tiercel_engine.ir.instructions import Call
from tiercel_engine.memory.values import Encoded, Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.terms import Term

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_INPUT = re.compile(
    r"%(?P<skip>\*?)(?P<width>\d*)(?P<size>hh|h|ll|l|j|z|t|L)?(?P<kind>\[\^?\]?[^\]]*\]|[a-zA-Z%])"
)
_FLOATS = {"": 4, "l": 8}


def _scanned(first: int, source: str) -> Model:
    """Any number of the directives succeeds; those write any value of their type."""

    def model(
        encoder: Encoder, frame: Frame, state: State, call: Call, arguments: list[Encoded]
    ) -> Encoded | None:
        longest: Term | None = None
        if source == "stream":
            require_stream(encoder, frame, state, call, arguments[0])
        elif source == "string":
            text = arguments[0]
            assert isinstance(text, Pointer)
            longest = string_length(encoder, frame, state, text, Access(call.loc, False))
        name = function_name(frame, call).removeprefix("__isoc99_").removeprefix("__isoc23_")
        format = constant_text(encoder, call.args[first - 1])
        parts = list(parts_of(_INPUT, format)) if format is not None else [None]
        directives = [part for part in parts if isinstance(part, re.Match) and not part["skip"]]
        if None in parts or not all(_understood(match) for match in directives):
            encoder.give_up(state, f"the format of {name} is not modelled")
        if state.dead:
            return None
        result = encoder.fresh(f"{frame.label}.{name}@{call.loc}", t.bv(32))
        assigning = sum(match["kind"] != "n" for match in directives)
        encoder.out.facts.append(t.sge(result, t.bv_const(-1, 32)))
        encoder.out.facts.append(t.sle(result, t.bv_const(assigning, 32)))
        before = 0
        for match, target in zip(directives, arguments[first:], strict=False):
            counts = match["kind"] != "n"
            if isinstance(target, Pointer) and not state.dead:
                succeeded = t.sge(result, t.bv_const(before + counts, 32))
                _Input(encoder, frame, state, call, match, target, succeeded, longest)
            before += counts
        touch_errno(encoder, frame, state, call)
        value = Scalar(result)
        tell(encoder, frame, state, call, value)
        return value

    return model


def _understood(match: re.Match[str]) -> bool:
    kind, size = match["kind"], match["size"] or ""
    if kind[0] in "[sc":
        return not size
    if kind in "aefgAEFG":
        return size in _FLOATS
    return kind in "diuxXon" and size != "L"


class _Input:
    """What one directive writes to its target if it `succeeded`."""

    def __init__(
        self,
        encoder: Encoder,
        frame: Frame,
        state: State,
        call: Call,
        match: re.Match[str],
        target: Pointer,
        succeeded: Term,
        longest: Term | None,
    ) -> None:
        self._encoder, self._frame, self._state, self._call = encoder, frame, state, call
        self._label = f"{frame.label}.{function_name(frame, call)}@{call.loc}.input"
        kind, size = match["kind"], match["size"] or ""
        number = int(match["width"]) if match["width"] else None
        if kind[0] in "[s":
            self._text(target, succeeded, number, longest)
        elif kind == "c":
            self._characters(target, succeeded, number or 1)
        else:
            sizes = _FLOATS if kind in "aefgAEFG" else INTEGERS
            count = sizes.get(size, encoder.width // 8)
            reached = succeeded
            if kind == "n":
                reached = t.and_(succeeded, encoder.fresh(f"{self._label}.reached", t.BOOL))
            self._bytes(target, t.ite(reached, self._word(count), self._word(0)), count)

    def _word(self, number: int) -> Term:
        return t.bv_const(number, self._encoder.width)

    def _bytes(self, target: Pointer, size: Term, most: int) -> None:
        limit = self._word(most)
        written(self._encoder, self._frame, self._state, self._call, target, size, limit, False)

    def _characters(self, target: Pointer, succeeded: Term, count: int) -> None:
        """No terminator; if the input ends before, some of them."""
        some = self._encoder.fresh(f"{self._label}.some", t.bv(self._encoder.width))
        self._encoder.out.facts.append(t.ult(some, self._word(count)))
        self._bytes(target, t.ite(succeeded, self._word(count), some), count)

    def _text(self, target: Pointer, succeeded: Term, most: int | None, longest: Term | None) -> None:
        encoder, state = self._encoder, self._state
        length = encoder.fresh(f"{self._label}.length", t.bv(encoder.width))
        limit = self._word(LONGEST if most is None else most)
        if longest is not None:
            limit = t.ite(t.ult(longest, limit), longest, limit)
        fits = t.and_(t.uge(length, self._word(1)), t.ule(length, limit))
        state.path = state.path.assume(t.or_(t.not_(succeeded), fits))
        total = t.ite(succeeded, t.bvadd(length, self._word(1)), self._word(0))
        room = total if most is None else self._word(most + 1)
        nothing = self._word(0)
        text = Text(nothing, None, False, [], [])
        put_text(encoder, self._frame, state, self._call, target, total, room, text)


def _alike(name: str, model: Model) -> dict[str, Model]:
    """The names under which headers declare a function of the scanf family."""
    return {prefix + name: model for prefix in ("", "__isoc99_", "__isoc23_")}


MODELS: dict[str, Model] = {
    **_alike("scanf", _scanned(1, "stdin")),
    **_alike("fscanf", _scanned(2, "stream")),
    **_alike("sscanf", _scanned(2, "string")),
}
