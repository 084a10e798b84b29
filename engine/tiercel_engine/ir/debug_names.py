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
        front, ident, declarator = self._qualified(word, target, "")
        return front + self._spell(ident, declarator)

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

    def _qualified(self, word: str, target: int, declarator: str) -> tuple[str, int, str]:
        """What stands in front, and the type and declarator that are spelled behind it: the word
        qualifies a pointer after its star, everything else in front."""
        type = self._lookup(target)
        if type is not None and type.kind == "pointer":
            inner = f"*{word} {declarator}" if declarator[:1].isalpha() else f"*{word}{declarator}"
            return "", type.target, self._starred(type.target, inner)
        return f"{word} ", target, declarator

    def _spell(self, ident: int, declarator: str) -> str:
        front = ""
        while True:
            type = self._lookup(ident)
            if type is None:
                return front + f"{_UNKNOWN} {declarator}".rstrip()
            match type.kind:
                case "pointer":
                    declarator = self._starred(type.target, f"*{declarator}")
                case "const" | "volatile":
                    word, ident, declarator = self._qualified(type.kind, type.target, declarator)
                    front += word
                    continue
                case "array":
                    declarator += f"[{'' if type.count is None else type.count}]"
                case "function":
                    params = tuple(each.type for each in type.members)
                    declarator += f"({self._params(params, type.encoding == 'varargs')})"
                case _:
                    gap = "" if not declarator or declarator[0] == "[" else " "
                    return f"{front}{type.name}{gap}{declarator}"
            ident = type.target
