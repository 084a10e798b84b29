"""Types from text. Named structs resolve to their shape, once per module.

Pointers are opaque, so a type's text never refers to itself and resolution needs no fixpoint. Equal
texts give the same objects where that is cheap (`i32`, named structs), which keeps comparison fast.
"""

from __future__ import annotations

import re
import threading

from tiercel_engine.ir.lexer import Cursor, ParseError, unquote
from tiercel_engine.ir.types import PTR, VOID, Array, Float, Fn, Int, Other, Ptr, Struct, Type, Vector

_FLOATS = ("half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128")
_NAME = re.compile(r'%(?:"[^"]*"|[-\w.$]+)', re.ASCII)
_OTHERS = ("label", "metadata", "token", "x86_mmx", "x86_amx")


class TypeParser:
    """Knows a module's named structs. `define` them all before parsing what uses them."""

    def __init__(self) -> None:
        self._simple: dict[str, Type] = {"void": VOID, "ptr": PTR}
        self._simple.update((kind, Float(kind)) for kind in _FLOATS)
        self._simple.update((text, Other(text)) for text in _OTHERS)
        self._definitions: dict[str, str] = {}
        self._named: dict[str, Struct] = {}
        self._resolving: set[str] = set()
        self._failed: dict[str, str] = {}  # why a name could not be resolved
        self._lock = threading.RLock()  # several threads may link from one module

    def define(self, name: str, text: str) -> None:
        """`%name = type text`; `name` as printed, with the sigil."""
        self._definitions[name] = text

    def text(self, token: str) -> str | None:
        """The right side of a definition, None if there is none."""
        return self._definitions.get(token)

    def is_named(self, token: str) -> bool:
        return token in self._definitions

    def starts_type(self, token: str) -> bool:
        """Whether a type, not an attribute word, starts with this token."""
        if token in self._simple or token[:1] in ("%", "[", "{", "<"):
            return True
        return (token[:1] == "i" and token[1:].isdigit()) or token == "target"

    def parse(self, cursor: Cursor) -> Type:
        token = cursor.tokens[cursor.pos]
        result = self._simple.get(token)
        if result is not None:
            cursor.pos += 1
            if result is PTR and cursor.tokens[cursor.pos] == "addrspace":
                cursor.pos += 1
                space = cursor.group()
                result = Ptr(int(space)) if space.isdigit() else Other(f"ptr addrspace({space})")
        else:
            result = self._compound(cursor)
        while cursor.tokens[cursor.pos] == "(":
            result = self._function(cursor, result)
        return result

    def _compound(self, cursor: Cursor) -> Type:
        token = cursor.next()
        if token[0] == "i" and token[1:].isdigit():
            return self._simple.setdefault(token, Int(int(token[1:])))
        if token[0] == "%":
            return self.named(token)
        if token == "[":
            count, element = self._counted(cursor)
            cursor.expect("]")
            return Array(count, element)
        if token == "{":
            return Struct(self._fields(cursor))
        if token == "<":
            if cursor.accept("{"):
                fields = self._fields(cursor)
                cursor.expect(">")
                return Struct(fields, packed=True)
            if cursor.peek() == "vscale":
                raise ParseError("scalable vector")
            count, element = self._counted(cursor)
            cursor.expect(">")
            return Vector(count, element)
        if token == "target":
            return Other(f"target({cursor.group()})")
        raise ParseError(f"not a type: {token!r}")

    def _counted(self, cursor: Cursor) -> tuple[int, Type]:
        count = cursor.integer()
        cursor.expect("x")
        return count, self.parse(cursor)

    def _fields(self, cursor: Cursor) -> tuple[Type, ...]:
        if cursor.accept("}"):
            return ()
        fields = [self.parse(cursor)]
        while cursor.accept(","):
            fields.append(self.parse(cursor))
        cursor.expect("}")
        return tuple(fields)

    def _function(self, cursor: Cursor, result: Type) -> Type:
        cursor.expect("(")
        params: list[Type] = []
        varargs = False
        while not cursor.accept(")"):
            if params or varargs:
                cursor.expect(",")
            if cursor.accept("..."):
                varargs = True
            else:
                params.append(self.parse(cursor))
        return Fn(result, tuple(params), varargs)

    def named(self, token: str) -> Struct:
        """The shape of `%name`; raises `ParseError` when the module does not define it."""
        known = self._named.get(token)
        if known is None:
            with self._lock:
                self._resolve_nested(token)
            if token in self._failed:
                raise ParseError(self._failed[token])
            known = self._named[token]
        return known

    def _resolve_nested(self, token: str) -> None:
        """Resolves or fails `token`, and first the names in its text: they nest deeper than Python's
        stack if someone cared to write that."""
        pending = [token]
        while pending:
            top = pending[-1]
            text = self._definitions.get(top)
            if top in self._named or top in self._failed:
                self._resolving.discard(pending.pop())
            elif text is None:
                self._failed[top] = f"unknown type {top}"
            elif top in self._resolving:
                self._resolve(top, text)
            else:
                self._resolving.add(top)
                inside = _NAME.findall(text)
                if self._resolving.intersection(inside):
                    self._failed[top] = f"{top} contains itself"
                pending.extend(inside)

    def _resolve(self, token: str, text: str) -> None:
        name = unquote(token[1:])
        try:
            if text.strip() == "opaque":
                self._named[token] = Struct((), name=name, opaque=True)
                return
            body = self.parse(Cursor(text))
            if not isinstance(body, Struct):
                raise ParseError(f"{token} is not a struct")
            self._named[token] = Struct(body.fields, body.packed, name)
        except (ParseError, ValueError, RecursionError) as why:
            self._failed[token] = str(why)
