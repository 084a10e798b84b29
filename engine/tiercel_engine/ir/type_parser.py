"""Types from text. Named structs resolve to their shape, once per module.

Pointers are opaque, so a type's text never refers to itself and resolution needs no fixpoint. Equal
texts give the same objects where that is cheap (`i32`, named structs), which keeps comparison fast.
"""

from __future__ import annotations

from tiercel_engine.ir.lexer import Cursor, ParseError, unquote
from tiercel_engine.ir.types import PTR, VOID, Array, Float, Fn, Int, Other, Ptr, Struct, Type, Vector

_FLOATS = ("half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128")
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

    def define(self, name: str, text: str) -> None:
        """`%name = type text`; `name` as printed, with the sigil."""
        self._definitions[name] = text

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
        if known is not None:
            return known
        text = self._definitions.get(token)
        if text is None:
            raise ParseError(f"unknown type {token}")
        if token in self._resolving:
            raise ParseError(f"{token} contains itself")
        self._resolving.add(token)
        try:
            struct = self._named[token] = self._resolve(token, text)
        finally:
            self._resolving.discard(token)
        return struct

    def _resolve(self, token: str, text: str) -> Struct:
        name = unquote(token[1:])
        if text.strip() == "opaque":
            return Struct((), name=name, opaque=True)
        body = self.parse(Cursor(text))
        if not isinstance(body, Struct):
            raise ParseError(f"{token} is not a struct")
        return Struct(body.fields, body.packed, name)

    def shape_text(self, token: str) -> str:
        """`%name`'s definition with every named struct inside spelled out; `opaque` ones by name."""
        return shape(self.named(token))


def shape(type: Type) -> str:
    """A type's text with structs spelled out instead of named."""
    match type:
        case Int(bits=bits):
            return f"i{bits}"
        case Float(kind=kind):
            return kind
        case Ptr(space=space):
            return f"ptr({space})" if space else "ptr"
        case Array(count=count, element=element):
            return f"[{count} x {shape(element)}]"
        case Vector(count=count, element=element):
            return f"<{count} x {shape(element)}>"
        case Struct(fields=fields, packed=packed, name=name, opaque=opaque):
            if opaque:
                return f"opaque({name})"
            inside = "{" + ", ".join(map(shape, fields)) + "}"
            return f"<{inside}>" if packed else inside
        case Fn(result=result, params=params, varargs=varargs):
            return f"{shape(result)}({', '.join([*map(shape, params), *['...'] * varargs])})"
        case Other(text=text):
            return text
        case _:
            return "void"
