"""`DebugInfo` over a module's metadata: locations, variables and C types, each computed once.

An array of several dimensions is one metadata node with several subranges; its inner arrays get
synthetic negative ids, so that `SourceType.target` always leads to one dimension less. Id 0 is `void`:
clang prints a compile unit or a global's expression as `!0`, never a type.
"""

from __future__ import annotations

import posixpath

from tiercel_engine.ir.debug import Location, Member, SourceType, Variable
from tiercel_engine.ir.debug_metadata import Metadata, Node
from tiercel_engine.ir.debug_names import TypeNames

_VOID = SourceType("void", "void")
_DIMENSIONS = 1 << 12  # more than a C compiler takes
_ENCODINGS = {
    "DW_ATE_signed": "signed",
    "DW_ATE_unsigned": "unsigned",
    "DW_ATE_boolean": "boolean",
    "DW_ATE_float": "float",
    "DW_ATE_signed_char": "signed_char",
    "DW_ATE_unsigned_char": "unsigned_char",
    "DW_ATE_UTF": "unsigned",
    "DW_ATE_complex_float": "complex",
}
_COMPOSITES = {
    "DW_TAG_structure_type": "struct",
    "DW_TAG_class_type": "struct",
    "DW_TAG_union_type": "union",
}
_ALIASES = {
    "DW_TAG_typedef": "typedef",
    "DW_TAG_const_type": "const",
    "DW_TAG_volatile_type": "volatile",
}
_TRANSPARENT = frozenset(("DW_TAG_restrict_type", "DW_TAG_atomic_type"))


class DebugReader:
    """Implements `DebugInfo`."""

    def __init__(self, metadata: Metadata) -> None:
        self._metadata = metadata
        self._names = TypeNames(self.type)
        self._types: dict[int, SourceType | None] = {0: _VOID}
        self._locations: dict[int, Location | None] = {}
        self._scopes: dict[int, tuple[str, str]] = {}
        self._files: dict[int, str] = {}
        self._variables: dict[int, Variable | None] = {}

    def location(self, loc: int) -> Location | None:
        if loc not in self._locations:
            self._locations[loc] = self._location(loc)
        return self._locations[loc]

    def _location(self, loc: int) -> Location | None:
        node = self._metadata.of_kind(loc, "DILocation")
        if node is None:
            return None
        file, function = self._scope(node.ref("scope"))
        return Location(file, node.number("line"), node.number("column"), function)

    def scope_file(self, ident: int) -> str:
        """The file that a scope stands in."""
        return self._scope(ident)[0]

    def _scope(self, ident: int) -> tuple[str, str]:
        """File and function of a scope: those of the next scope around it that names one."""
        chain: list[tuple[int, str]] = []
        seen: set[int] = set()
        around = ("", "")
        while ident not in seen and (scope := self._metadata.node(ident)) is not None:
            if ident in self._scopes:
                around = self._scopes[ident]
                break
            seen.add(ident)
            chain.append((ident, self._file(scope.ref("file"))))
            if scope.kind == "DISubprogram":
                around = ("", scope.text("name"))
                break
            ident = scope.ref("scope")
        for inner, file in reversed(chain):
            around = self._scopes[inner] = (file or around[0], around[1])
        return around

    def _file(self, ident: int) -> str:
        known = self._files.get(ident)
        if known is None:
            node = self._metadata.of_kind(ident, "DIFile")
            known = posixpath.join(node.text("directory"), node.text("filename")) if node else ""
            self._files[ident] = known
        return known

    def variable(self, ident: int) -> Variable | None:
        """A DILocalVariable, a DIGlobalVariable or the expression that wraps one."""
        if ident not in self._variables:
            self._variables[ident] = self._variable(ident)
        return self._variables[ident]

    def _variable(self, ident: int) -> Variable | None:
        node = self._metadata.node(ident)
        if node is not None and node.kind == "DIGlobalVariableExpression":
            node = self._metadata.node(node.ref("var"))
        if node is None or node.kind not in ("DILocalVariable", "DIGlobalVariable"):
            return None
        file = self._file(node.ref("file"))
        return Variable(node.text("name"), node.ref("type"), node.number("arg"), file, node.number("line"))

    def subprogram(self, ident: int) -> Location | None:
        node = self._metadata.of_kind(ident, "DISubprogram")
        if node is None:
            return None
        return Location(self._file(node.ref("file")), node.number("line"), 0, node.text("name"))

    def subprogram_types(self, ident: int) -> tuple[int, ...]:
        node = self._metadata.of_kind(ident, "DISubprogram")
        signature = self._metadata.of_kind(node.ref("type"), "DISubroutineType") if node else None
        if signature is None:
            return ()
        return _without_ellipsis(self._metadata.items(signature.ref("types")))

    def type(self, ident: int) -> SourceType | None:
        for each in self._unread(ident):
            self._types[each] = None  # what a type that contains itself sees of itself
            self._types[each] = self._type(each)
        return self._types[ident]

    def _unread(self, ident: int) -> list[int]:
        """The types that `ident` is written around and that were not read yet, the innermost first: a
        pointer to a pointer to … is as deep as someone cared to write it."""
        chain: dict[int, None] = {}
        while ident not in self._types and ident not in chain:
            chain[ident] = None
            ident = self._target(ident)
        return list(reversed(chain))

    def _target(self, ident: int) -> int:
        """What a type is written around, an array's element for one; 0 if there is nothing."""
        outer, depth = divmod(-ident, _DIMENSIONS) if ident < 0 else (ident, 0)
        node = self._metadata.node(outer)
        if node is None:
            return 0
        if node.word("tag") == "DW_TAG_array_type":
            dimensions = len(self._metadata.items(node.ref("elements")))
            if depth + 1 < min(dimensions, _DIMENSIONS):
                return -(outer * _DIMENSIONS + depth + 1)
        return node.ref("baseType")

    def _type(self, ident: int) -> SourceType | None:
        if ident < 0:
            outer, depth = divmod(-ident, _DIMENSIONS)
            node = self._metadata.node(outer)
            return self._array(ident, node, depth) if node is not None else None
        node = self._metadata.node(ident)
        if node is None:
            return None
        match node.kind:
            case "DIBasicType":
                encoding = _ENCODINGS.get(node.word("encoding"), "")
                return SourceType("base", node.text("name"), node.number("size"), encoding)
            case "DIDerivedType":
                return self._derived(ident, node)
            case "DICompositeType":
                return self._composite(ident, node)
            case "DISubroutineType":
                return self._function(node)
            case _:
                return None

    def _derived(self, ident: int, node: Node) -> SourceType:
        tag = node.word("tag")
        target = node.ref("baseType")
        if tag == "DW_TAG_pointer_type":
            return SourceType("pointer", self._names.pointer(target), node.number("size"), target=target)
        under = self.type(target)
        bits = under.bits if under is not None else 0
        if tag in _ALIASES:
            kind = _ALIASES[tag]
            name = node.text("name") if kind == "typedef" else self._names.qualified(kind, target)
            return SourceType(kind, name, bits, target=target)
        if tag in _TRANSPARENT and under is not None:
            word = "restrict" if tag == "DW_TAG_restrict_type" else "_Atomic"
            name = self._names.qualified(word, target)
            return SourceType(
                under.kind, name, under.bits, under.encoding, under.target, under.count, under.members,
                under.enumerators,
            )  # fmt: skip
        name = node.text("name") or f"!{ident}"
        return SourceType("unknown", name, node.number("size") or bits, target=target)

    def _composite(self, ident: int, node: Node) -> SourceType:
        tag = node.word("tag")
        name = node.text("name")
        if tag == "DW_TAG_array_type":
            return self._array(ident, node, 0)
        if tag == "DW_TAG_enumeration_type":
            return SourceType(
                "enum", f"enum {name or '<anonymous>'}", node.number("size"), self._enum_encoding(node),
                node.ref("baseType"), enumerators=self._enumerators(node),
            )  # fmt: skip
        kind = _COMPOSITES.get(tag)
        if kind is None:
            return SourceType("unknown", name or f"!{ident}", node.number("size"))
        members = tuple(
            member for item in self._metadata.items(node.ref("elements")) if (member := self._member(item))
        )
        return SourceType(kind, f"{kind} {name or '<anonymous>'}", node.number("size"), members=members)

    def _enum_encoding(self, node: Node) -> str:
        base = self.type(node.ref("baseType"))
        seen: set[int] = set()
        while base is not None and base.kind == "typedef" and base.target not in seen:
            seen.add(base.target)
            base = self.type(base.target)
        return base.encoding if base is not None else ""

    def _enumerators(self, node: Node) -> tuple[tuple[str, int], ...]:
        elements = self._metadata.items(node.ref("elements"))
        found = (self._metadata.of_kind(item, "DIEnumerator") for item in elements)
        return tuple((each.text("name"), each.number("value")) for each in found if each is not None)

    def _member(self, ident: int) -> Member | None:
        node = self._metadata.of_kind(ident, "DIDerivedType")
        if node is None or node.word("tag") != "DW_TAG_member":
            return None
        return Member(
            node.text("name"), node.ref("baseType"), node.number("offset"), node.number("size"),
            "DIFlagBitField" in node.word("flags"),
        )  # fmt: skip

    def _array(self, ident: int, node: Node, depth: int) -> SourceType:
        ranges = self._metadata.items(node.ref("elements"))
        count = self._count(ranges[depth]) if depth < len(ranges) else None
        target = self._target(ident)
        element = self.type(target)
        bits = element.bits * (count or 0) if element is not None else 0
        encoding = "vector" if "DIFlagVector" in node.word("flags") else ""
        return SourceType("array", self._names.array(target, count), bits, encoding, target, count)

    def _count(self, ident: int) -> int | None:
        """A subrange's count; None when it is flexible (-1, absent) or a variable."""
        node = self._metadata.of_kind(ident, "DISubrange")
        word = node.word("count") if node is not None else ""
        return int(word) if word.isdigit() else None

    def _function(self, node: Node) -> SourceType:
        items = self._metadata.items(node.ref("types"))
        types = _without_ellipsis(items) or (0,)
        params = tuple(Member("", each, 0, 0) for each in types[1:])
        varargs = len(items) > len(types)
        name = self._names.function(types[0], types[1:], varargs)
        return SourceType("function", name, 0, "varargs" if varargs else "", types[0], members=params)


def _without_ellipsis(types: tuple[int, ...]) -> tuple[int, ...]:
    """`…` is printed as a null after the parameters; a null in front is the result void."""
    return types[:-1] if len(types) > 1 and types[-1] == 0 else types
