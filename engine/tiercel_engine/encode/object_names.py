"""Names for memory: `&obj`, `&arr[2]`, `&s.field`, `&obj + 3`."""

from __future__ import annotations

from dataclasses import dataclass

from tiercel_engine.ir.debug import DebugInfo, SourceType

_ALIASES = frozenset({"typedef", "const", "volatile"})


@dataclass(frozen=True, slots=True)
class ObjectName:
    """What to call a memory object: its name in the source (or a description such as
    `memory from malloc at line 5`), its debug type id (0 unknown) and its size in bytes if known. A name
    `*p` is an array of unknown length that the pointer `p` points to; the type is its element's."""

    name: str
    type: int = 0
    size: int | None = None


def strip(debug: DebugInfo, ident: int) -> tuple[int, SourceType | None]:
    """The type behind typedefs and qualifiers, with its id; None when there is nothing readable."""
    for _ in range(64):
        found = debug.type(ident) if ident else None
        if found is None or found.kind not in _ALIASES:
            return ident, found
        ident = found.target
    return ident, None


def byte_size(debug: DebugInfo, ident: int) -> int:
    """Bytes of a type, 0 when unknown (arrays may carry only their element and count)."""
    _, found = strip(debug, ident)
    if found is None:
        return 0
    if found.kind == "array" and not found.bits:
        return byte_size(debug, found.target) * (found.count or 0)
    return found.bits // 8


def address_text(debug: DebugInfo, name: ObjectName, offset: int, pointee: int = 0) -> str:
    """An address `offset` bytes into the object, as an expression where the debug type gives one.
    `pointee` (a type id or 0) decides how deep to name: `&s` and `&s.first` are the same address."""
    plain = name.name
    if plain.startswith("*"):
        return _pointed(debug, plain[1:], name.type, offset, strip(debug, pointee)[0])
    path, rest = _path(debug, name.type, offset, strip(debug, pointee)[0])
    if not _is_lvalue(plain):
        shown = plain if not path else f"{plain}{path}"
        return _plus(shown, rest) if not path else f"&{_plus(shown, rest)}"
    return _plus(f"&{plain}{path}", rest)


def lvalue_text(debug: DebugInfo, name: ObjectName, offset: int, pointee: int = 0) -> str:
    """What lies `offset` bytes into the object: `x`, `a[2]`, `p->next`."""
    text = address_text(debug, name, offset, pointee)
    if text.startswith("&"):
        return text[1:]
    return f"*{text}" if " " not in text else f"*({text})"


def _pointed(debug: DebugInfo, pointer: str, element: int, offset: int, wanted: int) -> str:
    """An address in the array that `pointer` points to."""
    size = byte_size(debug, element)
    if not size:
        return _plus(pointer, offset)
    index, inside = divmod(offset, size)
    path, rest = _path(debug, element, inside, wanted)
    if index == 0 and not path:
        return _plus(pointer, rest)
    if index == 0 and path.startswith("."):
        return _plus(f"&{pointer}->{path[1:]}", rest)
    return _plus(f"&{pointer}[{index}]{path}", rest)


def _is_lvalue(name: str) -> bool:
    return bool(name) and " " not in name and (name[0].isalpha() or name[0] in "_*(")


def _plus(text: str, rest: int) -> str:
    return text if rest == 0 else f"{text} {'+' if rest > 0 else '-'} {abs(rest)}"


def _path(debug: DebugInfo, ident: int, offset: int, wanted: int) -> tuple[str, int]:
    """The longest access path to `offset` and the bytes that it leaves over."""
    path = ""
    for _ in range(32):
        here, found = strip(debug, ident)
        if found is None or (here == wanted and offset == 0):
            break
        if found.kind == "array":
            element = byte_size(debug, found.target)
            if not element:
                break
            index, offset = divmod(offset, element)
            path += f"[{index}]"
            ident = found.target
        elif found.kind == "struct":
            if offset == 0 and byte_size(debug, wanted) in (0, found.bits // 8):
                break
            inside = [
                m for m in found.members
                if not m.bitfield and m.name and 0 <= offset * 8 - m.offset < m.bits
            ]  # fmt: skip
            if not inside:
                break
            path += f".{inside[0].name}"
            offset -= inside[0].offset // 8
            ident = inside[0].type
        else:
            break
    return path, offset


def type_at(debug: DebugInfo, ident: int, offset: int) -> int:
    """The scalar type at a byte offset of (an array of) a type, 0 if there is none."""
    for _ in range(32):
        here, found = strip(debug, ident)
        if found is None:
            return 0
        size = byte_size(debug, found.target if found.kind == "array" else here)
        offset = offset % size if size else offset
        if found.kind == "array":
            ident = found.target
        elif found.kind == "struct":
            inside = [
                m for m in found.members if not m.bitfield and 0 <= offset * 8 - m.offset < max(m.bits, 8)
            ]
            if not inside:
                return 0
            ident, offset = inside[-1].type, offset - inside[-1].offset // 8
        else:
            return here if offset == 0 else 0
    return 0
