"""Functions of other units that a unit calls, as text that is added to it (`TextModule.extend`).

What comes along is what the functions need: callees up to a number of calls (below that, declarations),
variables, types, attributes, debug information, contracts. Names that other units cannot mean (statics,
string literals) get the unit's tag behind a `$`, and so do types of another shape; metadata gets numbers of
its own. The result depends on nothing but the texts and the tags.

A definition is used if there is one that a linker would choose without doubt, and only if both sides agree
on its type; other calls stay calls of functions without a body. Variables come with their value if it is the
one that they keep: constants, and statics that nothing writes. With `whole`, everything has its value: for
the start of a program.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tiercel_engine.ir.lexer import Cursor, ParseError, unquote
from tiercel_engine.ir.linked_metadata import LinkedMetadata
from tiercel_engine.ir.module import LINKED
from tiercel_engine.ir.text_module import TextModule
from tiercel_engine.ir.values import Aggregate, GlobalRef, Value
from tiercel_engine.ir.woven import is_woven, subject_of
from tiercel_engine.support.hashing import stable_hash

_TOKEN = re.compile(r'("[^"]*")|%("[^"]*"|[a-zA-Z$._-][-\w.$]*)|@("[^"]*"|[-\w.$]+)|#(\d+)|!(\d+)', re.ASCII)
_ATTACHED = re.compile(r",? !(?!dbg )[a-z][\w.]* !\d+")
_PLAIN = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*")
_LINKAGE = re.compile(
    r"\b(?:private|internal|available_externally|linkonce|weak|common|appending|extern_weak|linkonce_odr|weak_odr"
    r"|external|dso_local|hidden|protected|default|unnamed_addr|local_unnamed_addr) "
)
_KEYWORD = re.compile(r" (global|constant) ")
_ANY_NAME = re.compile(r"@[-.$\w]+")
_GROUPED = re.compile(r" #\d")
_NUMBER = re.compile(r"\.\d+$")
_DETAILS = re.compile(r", !dbg !\d+$", re.MULTILINE)
_REMAINS = re.compile(
    r"^  (?:%[-\w.$]+ = (?!alloca|load|phi|bitcast|freeze)|call (?!void @llvm\.lifetime)|ret|switch)",
    re.MULTILINE,
)
_LARGE = 24
_MARK = f'"{LINKED}"'


@dataclass(frozen=True, slots=True)
class Part:
    """A unit of the project. `tag` tells its private names from other units'."""

    path: str
    tag: str
    module: TextModule


@dataclass(frozen=True, slots=True)
class Linking:
    """How to link: `find` gives the unit whose definition of a name is the program's; `keeps` says whether a
    static variable is never written; `contracts` lists the records of a function with what they say."""

    find: Callable[[str], Part | None]
    keeps: Callable[[TextModule, str], bool]
    contracts: Callable[[TextModule, str], Iterable[tuple[str, str]]]
    levels: int
    detailed: int = 0
    """Below this level, functions that are too large to be inlined there come without places."""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Addition:
    """What is added to a unit; `paths` are the units that it comes from, `sought` all names that it depends
    on who defines them."""

    text: str = ""
    paths: tuple[str, ...] = ()
    sought: frozenset[str] = frozenset()
    functions: tuple[str, ...] = ()


class _Unlinkable(Exception):
    """Something is mentioned that has no name in the other unit."""


@dataclass(frozen=True, slots=True)
class _Pending:
    """A function or variable to be written: its name in its unit and here."""

    part: Part
    name: str
    new: str
    level: int


def link(part: Part, linking: Linking) -> Addition:
    """What the unit lacks of other units; nothing if it calls none of their functions."""
    return _Linker(part, linking).linked()


class _Linker:
    def __init__(self, part: Part, linking: Linking) -> None:
        self.part = part
        self.unit = part.module
        self.linking = linking
        self.names: dict[tuple[str, str], str] = {}
        self.external: set[str] = set()
        self.taken: set[str] = set()
        self.private: dict[str, dict[str, str]] = {}
        self.pending: deque[_Pending] = deque()
        self.sought: set[str] = set()
        self.paths: set[str] = set()
        self.types: dict[str, str] = {}
        self.unwritten_types: deque[tuple[Part, str, str]] = deque()
        self.groups = {text: sign for sign, text in self.unit.groups.items()}
        self.next_group = max((int(sign[1:]) for sign in self.unit.groups), default=-1) + 1
        self.metadata = LinkedMetadata(self.unit.metadata)
        self.clauses: dict[str, set[str]] = {}
        self.written: dict[str, dict[str, str]] = {}
        self.about: dict[str, dict[str, list[str]]] = {}
        self.top: list[str] = []
        self.bodies: list[str] = []
        self.functions: list[str] = []

    def linked(self) -> Addition:
        self._start()
        while self.pending or self.unwritten_types:
            if self.unwritten_types:
                part, token, new = self.unwritten_types.popleft()
                self.top.append(
                    f"{new} = type {self._rewritten(part, part.module.printed_type(token) or '', 0)}"
                )
            else:
                self._write(self.pending.popleft())
        if not self.top and not self.bodies:
            return Addition(sought=frozenset(self.sought))
        text = "\n".join(["", *self.top, *self.bodies, *self.metadata.lines, ""])
        return Addition(text, tuple(sorted(self.paths)), frozenset(self.sought), tuple(self.functions))

    def _start(self) -> None:
        """What the unit itself mentions and does not define."""
        for name, signature in self.unit.signatures.items():
            if name.startswith("llvm.") or (signature.defined and not signature.library):
                continue
            definer = self._definer(name)
            if definer is None or self.linking.levels < 1 or not self._agree(self.part, definer, name):
                continue
            self.pending.append(_Pending(definer, name, name, 1))
        for name, line in self.unit.printed_globals.items():
            words = linkage(line)
            declared = words is not None and not words.isdisjoint(("external", "extern_weak"))
            definer = self._definer(name) if declared else None
            if definer is not None and name in definer.module.globals:
                self._complete(definer, name)

    def _complete(self, definer: Part, name: str) -> None:
        """A variable that the unit declares: its value if that is known, its size if that is not."""
        theirs = self.unit.layout.size(definer.module.globals[name].type)
        ours = self.unit.layout.size(self.unit.globals[name].type)
        if ours in (0, theirs):
            self.pending.append(_Pending(definer, name, name, 0))

    def _definer(self, name: str) -> Part | None:
        """The other unit that defines a name."""
        self.sought.add(name)
        found = self.linking.find(name)
        return found if found is not None and found.path != self.part.path else None

    def _agree(self, one: Part, other: Part, name: str) -> bool:
        signatures = one.module.signatures, other.module.signatures
        return all(name in known for known in signatures) and (
            one.module.interface(name) == other.module.interface(name)
        )

    # -- names

    def _named(self, part: Part, name: str, level: int) -> str:
        """What a name of another unit is called here. What it stands for comes along; `level` is that of the
        function that mentions it."""
        found = self.names.get((part.path, name))
        if found is None:
            module = part.module
            if name in module.aliases:
                target = module.aliases[name]
                if not isinstance(target, GlobalRef):
                    raise _Unlinkable(name)
                found = self._named(part, target.name, level)
            elif is_woven(name):
                found = self._shared(part, name, level)
            elif self._is_local(part, name):
                found = self._local(part, name, level)
            else:
                found = self._external(part, name, level)
            self.names[part.path, name] = found
            for about in self._about(part).get(name.split(".")[1] if name.startswith("llvm.") else name, ()):
                self._named(part, about, level)
        return found

    def _shared(self, part: Part, name: str, level: int) -> str:
        """What a project says about functions (woven.py) is the same in all units."""
        self.names[part.path, name] = name
        if name not in self.unit.signatures and name not in self.unit.globals and name not in self.taken:
            self.taken.add(name)
            if name in part.module.signatures:
                self._function(part, name, name, level)
            else:
                self.pending.append(_Pending(part, name, name, level))
        return name

    def _about(self, part: Part) -> dict[str, list[str]]:
        """The stubs and hooks of a unit by their functions."""
        known = self.about.get(part.path)
        if known is None:
            known = self.about[part.path] = {}
            for name in part.module.signatures:
                if subject := subject_of(name):
                    known.setdefault(subject, []).append(name)
        return known

    def _is_local(self, part: Part, name: str) -> bool:
        signature, variable = part.module.signatures.get(name), part.module.globals.get(name)
        return (signature is not None and signature.internal) or (variable is not None and variable.internal)

    def _local(self, part: Part, name: str, level: int) -> str:
        new = self._fresh(f"{self._stem(part, name)}${part.tag}")
        self.names[part.path, name] = new
        if name in part.module.signatures:
            self._function(part, name, new, level + 1)
        else:
            self.pending.append(_Pending(part, name, new, level))
        return new

    def _stem(self, part: Part, name: str) -> str:
        """A name that does not change when other literals are added: the compiler only numbers them."""
        if not part.module.is_private(name):
            return name
        known = self.private.get(part.path)
        if known is None:
            known = self.private[part.path] = {}
            seen: dict[str, int] = {}
            for each in part.module.globals:
                if part.module.is_private(each):
                    content = _without_debug(part.module.printed_global(each).partition(" = ")[2])
                    digest = stable_hash(_ANY_NAME.sub("@", content))[:8]
                    stem = f"{_NUMBER.sub('', each)}.{digest}"
                    seen[stem] = seen.get(stem, 0) + 1
                    known[each] = stem if seen[stem] == 1 else f"{stem}.{seen[stem]}"
        return known[name]

    def _external(self, part: Part, name: str, level: int) -> str:
        unit = self.unit
        ours, variable = unit.signatures.get(name), unit.globals.get(name)
        clash = (ours is not None and ours.internal) or (variable is not None and variable.internal)
        new = self._fresh(f"{name}$extern") if clash else name
        if not clash and (ours is not None or variable is not None or name in unit.aliases):
            return name  # what it is was decided for the unit
        definer = None if name.startswith("llvm.") else self._definer(name)
        if name in part.module.signatures:
            if definer is not None and self._agree(part, definer, name):
                self._function(definer, name, new, level + 1)
            else:
                self._declare(part, name, new)
        elif definer is not None and name in definer.module.globals:
            self.pending.append(_Pending(definer, name, new, level))
        elif name in part.module.globals:
            self.pending.append(_Pending(part, name, new, level))
        else:
            raise _Unlinkable(name)
        return new

    def _function(self, part: Part, name: str, new: str, level: int) -> None:
        if level <= self.linking.levels or name in self._code_of(part) or is_woven(name):
            self.external.add(new)
            self.pending.append(_Pending(part, name, new, level))
        else:
            self._declare(part, name, new)

    def _fresh(self, name: str) -> str:
        unit, number, new = self.unit, 1, name
        while new in self.taken or new in unit.signatures or new in unit.globals or new in unit.aliases:
            number += 1
            new = f"{name}.{number}"
        self.taken.add(new)
        return new

    # -- what is written

    def _write(self, pending: _Pending) -> None:
        part, name = pending.part, pending.name
        if name in part.module.signatures:
            self._define(pending)
        else:
            self._variable(pending)

    def _define(self, pending: _Pending) -> None:
        part, name, new = pending.part, pending.name, pending.new
        printed = part.module.printed_function(name)
        assert printed is not None, "who defines a function has its body"
        header, body = printed
        if pending.level > self.linking.detailed and not self.linking.whole and is_large(body):
            body = _DETAILS.sub("", body)
        try:
            head = self._head(part, name, new, header, pending.level)
            text = self._rewritten(part, body, pending.level)
        except _Unlinkable:
            if new not in self.unit.signatures:
                self._declare(part, name, new)
            return
        self.bodies.append(f"{head}\n{text}\n}}")
        self.functions.append(new)
        self.paths.add(part.path)
        self._records(part, name, new, pending.level)

    def _declare(self, part: Part, name: str, new: str) -> None:
        """A function without a body; one that the project defines is marked."""
        if new in self.external:
            return
        self.external.add(new)
        printed = part.module.printed_function(name)
        line = part.module.printed_declaration(name)
        if printed is not None:
            line = "declare " + _LINKAGE.sub("", printed[0].removeprefix("define ").rstrip("{ "))
            self.paths.add(part.path)
        self.top.append(self._head(part, name, new, line, 0, marked=printed is not None))
        self._records(part, name, new, 0)

    def _head(self, part: Part, name: str, new: str, line: str, level: int, marked: bool = True) -> str:
        self.names[part.path, name] = new
        text = self._rewritten(part, line, level, marked)
        if marked and not _GROUPED.search(text):
            place = text.rfind(" !dbg ") if text.startswith("define") else -1
            place = place if place >= 0 else len(text.rstrip("{ "))
            text = f"{text[:place]} {self._group(_MARK)}{text[place:]}"
        return text

    def _variable(self, pending: _Pending) -> None:
        part, name, new = pending.part, pending.name, pending.new
        line = _ATTACHED.sub("", part.module.printed_global(name))
        self.names[part.path, name] = new
        variable = part.module.globals[name]
        self.paths.add(part.path)
        if variable.initializer is not None and self._has_value(part, name):
            kept = variable.constant or is_woven(name)
            kept = kept or (variable.internal and self.linking.keeps(part.module, name))
            try:
                # with other linkage it may be written where nobody sees it
                plain = line if kept else line.replace(" internal ", " ", 1)
                self.top.append(self._rewritten(part, plain, pending.level))
                return
            except _Unlinkable:
                pass
        self.top.append(self._rewritten(part, _declared(part, name, line), pending.level))

    def _has_value(self, part: Part, name: str) -> bool:
        variable = part.module.globals[name]
        if variable.constant or self.linking.whole or is_woven(name):
            return True
        if _holds_functions(part.module, variable.initializer):
            return True
        return variable.internal and self.linking.keeps(part.module, name)

    # -- contracts

    def _code_of(self, part: Part) -> set[str]:
        return self.clauses.setdefault(part.path, set())

    def _records(self, part: Part, name: str, new: str, level: int) -> None:
        """The contract that another unit has for a function, but for what is known of it here."""
        known = {said for _, said in self.linking.contracts(self.unit, new)}
        for record, said in self.linking.contracts(part.module, name):
            if said not in known:
                value = part.module.globals[record].initializer
                for element in getattr(value, "elements", ()):
                    if isinstance(element, GlobalRef):
                        self._code_of(part).add(element.name)
                self._named(part, record, level)

    # -- text

    def _rewritten(self, part: Part, text: str, level: int, marked: bool = False) -> str:
        """The text with the names that its parts have here."""

        known: dict[str, str] = self.written.setdefault(part.path, {})

        def replaced(found: re.Match[str]) -> str:
            token = found[0]
            text = known.get(token)
            if text is None:
                text = new_text(found)
                if token[0] in "!%":  # which are the same wherever they stand
                    known[token] = text
            return text

        def new_text(found: re.Match[str]) -> str:
            string, type, name, group, node = found.groups()
            if string is not None:
                return string
            if type is not None:
                return self._type(part, f"%{type}")
            if name is not None:
                plain = unquote(name)
                new = self._named(part, plain, level)
                return f"@{name}" if new == plain else f"@{_printed(new)}"
            if group is not None:
                words = part.module.groups.get(f"#{group}", "")
                return self._group(f"{words} {_MARK}" if marked else words)
            return f"!{self.metadata.take(part.module.metadata, int(node))}"

        return _TOKEN.sub(replaced, _ATTACHED.sub("", text))

    def _group(self, words: str) -> str:
        sign = self.groups.get(words)
        if sign is None:
            sign = self.groups[words] = f"#{self.next_group}"
            self.next_group += 1
            self.top.append(f"attributes {sign} = {{ {words} }}")
        return sign

    def _type(self, part: Part, token: str) -> str:
        """What a named type is called here; registers keep their names."""
        shape = part.module.shape(token)
        if shape is None:
            return token
        new, number = token, 1
        while (known := self.types.get(new) or self.unit.shape(new)) is not None and known != shape:
            quoted = token.endswith('"')
            suffix = f"${part.tag}" if number == 1 else f"${part.tag}.{number}"
            new = f'{token[:-1]}{suffix}"' if quoted else f"{token}{suffix}"
            number += 1
        if known is None:
            self.types[new] = shape
            self.unwritten_types.append((part, token, new))
        return new


def _holds_functions(module: TextModule, initializer: Value | None) -> bool:
    """Whether an initialiser has pointers to functions: who calls through them wants to know (an allocator,
    callbacks), though they may be replaced."""
    pending = [initializer]
    while pending:
        match pending.pop():
            case GlobalRef(name=name) if name in module.signatures:
                return True
            case Aggregate(elements=parts):
                pending.extend(parts)
    return False


def linkage(line: str) -> frozenset[str] | None:
    """The words in front of a variable's kind; None for an alias."""
    start = line.find(" = ") + len(" = ") - 1
    kind = _KEYWORD.search(line, start)
    return frozenset(line[start : kind.start()].split()) if kind is not None else None


def is_large(body: str) -> bool:
    """Whether a printed body is too large to be that of a small function (encode/body.py), however much of it
    goes away when variables become registers."""
    return len(_REMAINS.findall(body)) > _LARGE


def _declared(part: Part, name: str, line: str) -> str:
    """The line of a variable without its value, as a declaration."""
    variable = part.module.globals[name]
    keyword = _KEYWORD.search(line)
    if variable.initializer is None or keyword is None:
        return line
    cursor = Cursor(line[keyword.end() :])
    try:
        type = part.module.type_text(cursor)
    except (ParseError, ValueError, RecursionError):
        return f"{line.partition(' = ')[0]} = external global [0 x i8], align 1"
    words = _LINKAGE.sub("", f"{line[: keyword.start()].partition(' = ')[2]} ").strip()
    start = line.partition(" = ")[0]
    debug = f", !dbg !{variable.dbg}" if variable.dbg >= 0 else ""
    kind = f"{words} " if words else ""
    place = f"section {_MARK}, align {max(variable.align, 1)}"
    return f"{start} = external {kind}{keyword[1]} {type}, {place}{debug}"


def _without_debug(text: str) -> str:
    return re.sub(r", !dbg !\d+", "", text)


def _printed(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    raw = name.encode("utf-8", "surrogateescape")
    inside = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in raw
    )
    return f'"{inside}"'
