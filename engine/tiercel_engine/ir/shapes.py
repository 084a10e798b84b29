"""Types as text, with what structs contain in place of their names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from tiercel_engine.ir.types import Array, Float, Fn, Int, Other, Ptr, Struct, Type, Vector, structs_in


def shape(type: Type, inner: Callable[[Struct], str] | None = None) -> str:
    """A type's text with structs spelled out instead of named; `inner` spells those inside a struct."""
    match type:
        case Int(bits=bits):
            return f"i{bits}"
        case Float(kind=kind):
            return kind
        case Ptr(space=space):
            return f"ptr({space})" if space else "ptr"
        case Array(count=count, element=element):
            return f"[{count} x {_inside(element, inner)}]"
        case Vector(count=count, element=element):
            return f"<{count} x {_inside(element, inner)}>"
        case Struct(fields=fields, packed=packed, name=name, opaque=opaque):
            if opaque:
                return f"opaque({name})"
            inside = "{" + ", ".join([_inside(field, inner) for field in fields]) + "}"
            return f"<{inside}>" if packed else inside
        case Fn(result=result, params=params, varargs=varargs):
            inside = ", ".join([*[_inside(each, inner) for each in params], *["..."] * varargs])
            return f"{_inside(result, inner)}({inside})"
        case Other(text=text):
            return text
        case _:
            return "void"


def _inside(type: Type, inner: Callable[[Struct], str] | None) -> str:
    return inner(type) if inner is not None and isinstance(type, Struct) else shape(type, inner)


class ShapeDigests:
    """Digests of structs, equal for equal shapes and remembered per struct object.

    Spelled out, a struct that contains another twice is twice as long, and so on for every level: a
    digest of the fields' digests is as long for all."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Struct, str]] = {}  # with the struct, to keep its identity alive

    def of(self, struct: Struct) -> str:
        pending = [struct]  # inner structs first, for they may be nested deeper than Python's stack
        while pending:
            unknown = [each for each in structs_in(pending[-1]) if id(each) not in self._known]
            if unknown:
                pending.extend(unknown)
            else:
                top = pending.pop()
                text = shape(top, lambda each: self._known[id(each)][1])
                digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
                self._known[id(top)] = (top, digest)
        return self._known[id(struct)][1]
