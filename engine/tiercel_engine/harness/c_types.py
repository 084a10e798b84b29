"""C types from debug information: declarations, and the paths that lead to a byte of an object."""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.encode.object_names import byte_size, strip
from tiercel_engine.ir.debug import DebugInfo, SourceType
from tiercel_engine.ir.types import Float, Int, Ptr, Type, Void

_NAMED = ("base", "typedef", "struct", "union", "enum")
_QUALIFIERS = ("const", "volatile")
_DEEPEST = 24
_LIST = "__va_list_tag"
"""What a parameter of type `va_list` points to on x86-64."""


class Unprintable(Exception):
    """The type has no name by which C could say it (an anonymous struct, a type that is not known)."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar inside an object: the path to it behind the object's name (`.next`, `[2].x`), its debug type,
    and whether something on the way is `const`."""

    path: str
    type: int
    constant: bool


@dataclass(frozen=True, slots=True)
class CTypes:
    """Types of one translation unit."""

    debug: DebugInfo

    def declared(self, ident: int, name: str = "") -> str:
        """`name` declared with the type, or the type's name if there is none."""
        return self._declared(ident, name, 0).strip()

    def _declared(self, ident: int, inner: str, depth: int) -> str:
        if ident == 0:
            return f"void {inner}"
        found = self.debug.type(ident)
        if found is None or depth > _DEEPEST:
            raise Unprintable
        if found.kind in _NAMED:
            if not found.name or "<" in found.name:
                raise Unprintable
            return f"{found.name} {inner}"
        if found.kind in _QUALIFIERS:
            target = self.debug.type(found.target) if found.target else None
            if target is not None and target.kind == "pointer":
                return self._declared(found.target, f"{found.kind} {inner}", depth + 1)
            return f"{found.kind} {self._declared(found.target, inner, depth + 1)}"
        if found.kind == "pointer":
            target = self.debug.type(found.target) if found.target else None
            if target is not None and target.kind == "struct" and target.name.endswith(_LIST):
                return f"__builtin_va_list {inner}"
            wrapped = target is not None and target.kind in ("array", "function")
            return self._declared(found.target, f"(*{inner})" if wrapped else f"*{inner}", depth + 1)
        if found.kind == "array":
            count = "" if found.count is None else str(found.count)
            return self._declared(found.target, f"{inner}[{count}]", depth + 1)
        if found.kind == "function":
            return self._declared(found.target, f"{inner}({self.parameters(found)})", depth + 1)
        raise Unprintable

    def parameters(self, function: SourceType, names: tuple[str, ...] = ()) -> str:
        """The parameter list of a function type."""
        given = [*names, *("" for _ in function.members)]
        parts = [self.declared(member.type, given[i]) for i, member in enumerate(function.members)]
        if function.encoding == "varargs":
            parts.append("...")
        return ", ".join(parts) or "void"

    def printable(self, ident: int) -> bool:
        try:
            self.declared(ident, "x")
        except Unprintable:
            return False
        return True

    def stripped(self, ident: int) -> SourceType | None:
        return strip(self.debug, ident)[1]

    def size(self, ident: int) -> int:
        return byte_size(self.debug, ident)

    def is_constant(self, ident: int) -> bool:
        for _ in range(_DEEPEST):
            found = self.debug.type(ident) if ident else None
            if found is None or found.kind not in ("typedef", *_QUALIFIERS):
                return False
            if found.kind == "const":
                return True
            ident = found.target
        return False

    def leaf(self, ident: int, offset: int, size: int) -> Leaf | None:
        """The scalar of `size` bytes at `offset` of an object of the type; None if there is no such one."""
        path, constant = "", False
        for _ in range(_DEEPEST):
            constant = constant or self.is_constant(ident)
            here, found = strip(self.debug, ident)
            if found is None:
                return None
            if found.kind == "array":
                element = self.size(found.target)
                if not element or (found.count is not None and offset // element >= max(found.count, 1)):
                    return None
                path += f"[{offset // element}]"
                ident, offset = found.target, offset % element
            elif found.kind in ("struct", "union"):
                member = next(
                    (
                        m for m in found.members
                        if m.name and not m.bitfield and 0 <= offset * 8 - m.offset < m.bits
                    ), None,
                )  # fmt: skip
                if member is None:
                    return None
                path += f".{member.name}"
                ident, offset = member.type, offset - member.offset // 8
            else:
                scalar = found.kind in ("base", "enum", "pointer") and found.encoding != "complex"
                if offset or not scalar or found.bits != 8 * size:
                    return None
                return Leaf(path, ident if ident else here, constant)
        return None


def plain_type(type: Type) -> str:
    """A C type for an IR type where there is no debug information."""
    match type:
        case Void():
            return "void"
        case Ptr():
            return "void *"
        case Int(bits=bits) if bits in (8, 16, 32, 64):
            return {8: "signed char", 16: "short", 32: "int", 64: "long long"}[bits]
        case Int(bits=1):
            return "_Bool"
        case Float(kind="float" | "double" as name):
            return name
    raise Unprintable
