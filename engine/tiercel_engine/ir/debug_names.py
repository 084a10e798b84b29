"""C spelling of types: `const char *`, `int (*)(int, char *)`, `struct S[4]`.

C declarators read inside out: a type is spelled around a declarator, starting from the empty one.
"""

from __future__ import annotations

from collections.abc import Callable

from tiercel_engine.ir.debug import SourceType

_UNKNOWN = "<unknown>"


class TypeNames:
    """Spells types that `lookup` knows; structs and typedefs are named, so recursion ends there."""

    def __init__(self, lookup: Callable[[int], SourceType | None]) -> None:
        self._lookup = lookup

    def pointer(self, target: int) -> str:
        return self._spell(target, self._starred(target, "*"))

    def qualified(self, word: str, target: int) -> str:
        """`word` is const, volatile, restrict or _Atomic."""
        return self._qualified(word, target, "")

    def array(self, element: int, count: int | None) -> str:
        return self._spell(element, f"[{'' if count is None else count}]")

    def function(self, result: int, params: tuple[int, ...], varargs: bool) -> str:
        return self._spell(result, f"({self._params(params, varargs)})")

    def _params(self, params: tuple[int, ...], varargs: bool) -> str:
        names = [self._spell(each, "") for each in params]
        if varargs and names:
            names.append("...")
        return ", ".join(names) or ("" if varargs else "void")

    def _starred(self, target: int, declarator: str) -> str:
        kind = self._kind(target)
        return f"({declarator})" if kind in ("array", "function") else declarator

    def _kind(self, ident: int) -> str:
        type = self._lookup(ident)
        return type.kind if type is not None else "unknown"

    def _qualified(self, word: str, target: int, declarator: str) -> str:
        type = self._lookup(target)
        if type is not None and type.kind == "pointer":
            inner = f"*{word} {declarator}" if declarator[:1].isalpha() else f"*{word}{declarator}"
            return self._spell(type.target, self._starred(type.target, inner))
        return f"{word} {self._spell(target, declarator)}"

    def _spell(self, ident: int, declarator: str) -> str:
        type = self._lookup(ident)
        if type is None:
            return f"{_UNKNOWN} {declarator}".rstrip()
        match type.kind:
            case "pointer":
                return self._spell(type.target, self._starred(type.target, f"*{declarator}"))
            case "const" | "volatile":
                return self._qualified(type.kind, type.target, declarator)
            case "array":
                count = "" if type.count is None else type.count
                return self._spell(type.target, f"{declarator}[{count}]")
            case "function":
                params = self._params(tuple(each.type for each in type.members), type.encoding == "varargs")
                return self._spell(type.target, f"{declarator}({params})")
            case _:
                gap = "" if not declarator or declarator[0] == "[" else " "
                return f"{type.name}{gap}{declarator}"
