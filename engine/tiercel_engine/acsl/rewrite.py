"""Clauses → C text that stands between a contract and its function.
For each clause a function that computes it, with the parameters of the clause's function, and a record
that says to which function it belongs (`struct __tiercel_clause`, read by contracts/written.py). Nothing
moves: `#line` directives give every generated word the line and column of the word that it stands for, in
a file called `MARKER` + number of the clause, and the function that follows keeps its own.

Integers are widened to 128 bits where they are read: adding a `_BitInt(128)` zero does that to any
integer type and leaves a pointer a pointer. Signed `_BitInt` arithmetic must not overflow, so clang marks
it `nsw` and an overflow is noticed. What is not faithful in 128 bits (floats, `unsigned __int128`) is
refused by `unfaithful`, what has no C form by `_Refused`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tiercel_engine.acsl.annotations import CPROVER, DEFINED, PREFIX, RETURN_VALUE, UNDEFINED
from tiercel_engine.acsl.comments import Found, Header, Written
from tiercel_engine.acsl.parser import STRINGS
from tiercel_engine.acsl.printer import body, print_expression
from tiercel_engine.acsl.tree import (
    Binary,
    Cast,
    Chain,
    Clause,
    Complaint,
    Conditional,
    Constant,
    Expression,
    Index,
    Literal,
    Member,
    Name,
    Old,
    Predicate,
    Range,
    Sizeof,
    Unary,
    Unbounded,
    Verbatim,
    nodes,
)

__all__ = ["CODE", "MARKER", "PREAMBLE", "PREFIX", "RECORD", "Place", "Rewriter", "unfaithful"]

MARKER = "tiercel-clause:"
RECORD, CODE = f"{PREFIX}clause_", f"{PREFIX}code_"
PREAMBLE = (
    f"struct {PREFIX}clause {{ const char *kind, *text, *origin, *pattern; void *target, *code;"
    " int line, column; };\n"
    f"_Bool {PREFIX}valid(const volatile void *, unsigned long long, long long, long long, int);\n"
    f"_Bool {PREFIX}initialized(const volatile void *, unsigned long long, long long, long long);\n"
    f"_Bool {PREFIX}terminated(const volatile void *);\n"
    f"void {PREFIX}old_begin(void);\nvoid {PREFIX}old_end(void);\n"
)
_STRICT = "\n#pragma clang diagnostic push\n" + "".join(
    f'#pragma clang diagnostic error "-W{name}"\n'
    for name in ("void-ptr-dereference", "pointer-integer-compare", "compare-distinct-pointer-types")
)
_LENIENT = "\n#pragma clang diagnostic pop\n"
"""C compilers let pass what ACSL does not: `*` of a `void *`, pointers compared with numbers."""
_WIDE = "_BitInt(128)"
_INDEX = "_BitInt(63)"
"""What indices are cut to: one that does not fit is outside of any object (encode/clauses.py)."""
_END = "_BitInt(62)"
"""What the ends of ranges are cut to, having been clamped."""
_FARTHEST = "((_BitInt(128))1 << 60)"
_RESULT = f"{PREFIX}result"
_CALLED = re.compile(rf"\bcall [^\n]*?@(?!{PREFIX}|llvm\.|strlen\()[\w.$]+\(")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_INCOMPLETE = "(struct behind_a_void_pointer *)0"
"""`sizeof(void)` is 1 for the compiler."""
_CHARACTERS = ("char", "const char", "volatile char", "const volatile char")
_MOST_SHIFT = 62
_UNFAITHFUL = re.compile(
    r"= (?:fcmp|fadd|fsub|fmul|fdiv|frem|fneg|fpext|fptrunc|fptosi|fptoui|sitofp|uitofp) "
    r"|= (?:add|sub|mul|shl)(?! nsw)(?: nuw)? i128 |= (?:udiv|urem|lshr)(?: exact)? i128 "
    r"|= icmp (?:samesign )?u\w+ i128 "
)


class _Refused(Exception):
    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.complaint = Complaint(message, at)


@dataclass(frozen=True, slots=True)
class Place:
    line: int
    column: int


class Rewriter:
    """The contracts of one file, numbered from `first` on, to be woven into its text, or to be put behind the
    text that includes it, with or without some of the clauses."""

    def __init__(self, text: str, path: str, found: Found, first: int = 0) -> None:
        self.path = path
        self._text = text
        self._path = _c_string(path)
        self._found = found
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        pairs = ((written, clause) for written in found.contracts for clause in written.clauses)
        self.clauses: dict[int, tuple[Written, Clause]] = dict(enumerate(pairs, first))
        self.complaints: list[Complaint] = list(found.complaints)
        self._code: dict[int, str] = {}
        unusable: set[int] = set()
        for number, (written, clause) in self.clauses.items():
            try:
                self._code[number] = self._function(number, written.header, clause)
            except _Refused as refused:
                self.complaints.append(refused.complaint)
                unusable.add(number)
        self.unusable = self.with_siblings(unusable)

    def with_siblings(self, numbers: Collection[int]) -> set[int]:
        """The clauses and all `assigns` of the same functions, as a part of them says too much. One comment
        that could not be read as a whole has no `assigns` either."""
        found = set(numbers)
        broken = {
            self.clauses[n][0].after
            for n in numbers
            if n in self.clauses and self.clauses[n][1].kind == "assigns"
        }
        for number, (written, clause) in self.clauses.items():
            if clause.kind == "assigns" and (written.after in broken or not written.complete):
                found.add(number)
        return found

    def place(self, at: int) -> Place:
        """Line and column (in bytes, as clang counts) of an offset in the text."""
        low, high = 0, len(self._starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._starts[middle] <= at else (low, middle)
        prefix = self._text[self._starts[low] : at].encode("utf-8", "surrogateescape")
        return Place(low + 1, len(prefix) + 1)

    def rewritten(self, without: Collection[int]) -> str:
        """The text with the clauses except for some."""
        out = [PREAMBLE, f"#line 1 {self._path}\n"]
        at = 0
        for written, code in self._generated(without):
            out.append(self._text[at : written.after])
            at = written.after
            here = self.place(at)
            out += [code, f"\n#line {here.line} {self._path}\n" + " " * (here.column - 1)]
        out.append(self._text[at:])
        return "".join(out)

    def appended(self, without: Collection[int]) -> str:
        """The clauses except for some, to stand behind a text that includes this one."""
        return "".join(code for _, code in self._generated(without)) + "\n"

    def _generated(self, without: Collection[int]) -> Iterator[tuple[Written, str]]:
        for written in self._found.contracts:
            wanted = [n for n, (owner, _) in self.clauses.items() if owner is written and n not in without]
            if wanted:
                line = self.place(written.after).line
                head = f"\n#line {line} {self._path}\n{written.header.text};"
                code = "".join(self._code[n] for n in wanted)
                if CPROVER in code:
                    code = DEFINED + code + UNDEFINED
                yield written, head + _STRICT + code + _LENIENT

    # -- one clause

    def _function(self, number: int, header: Header, clause: Clause) -> str:
        place = self.place(clause.at)
        marker = f"\n#line {place.line} {_c_string(f'{MARKER}{number}')}\n"
        text = f"{print_expression(clause.parts[0])}" if clause.kind != "assigns" else body(clause)
        out = []
        for index, part in enumerate(clause.parts):
            code = f"{CODE}{number}_{index}"
            target = f"(void *){header.name}"
            result = "_Bool"
            if clause.kind == "assigns":
                result = "const volatile void *"
                value = _Writer(self, clause, header.names).location(part)
            else:
                value = _Writer(self, clause, header.names).condition(part)
            reference = "(void *)0"
            if value:
                parameters = self._parameters(header, part, clause)
                out.append(f"{marker}static {result} {code}({parameters}) {{ return {value}{marker}; }}")
                reference = f"(void *){code}"
            record = f"{RECORD}{number}_{index} __attribute__((used))"
            fields = f'{_c_string(clause.kind)}, {_c_string(text)}, "written", "", {target}, {reference}'
            fields += f", {place.line}, {place.column}"
            out.append(f"{marker}static const struct {PREFIX}clause {record} = {{ {fields} }};")
        return "".join(out)

    def _parameters(self, header: Header, part: Expression, clause: Clause) -> str:
        parameters = list(header.parameters)
        result = next((node for node in nodes(part) if _is_result(node)), None)
        if result is not None:
            if clause.kind != "ensures":
                raise _Refused("`\\result` is for `ensures` only", result.at)
            if re.match(rf"(?:\w+ )*?void {header.name} \(", header.text):
                raise _Refused("a function that returns `void` has no `\\result`", result.at)
            if "" in header.names:
                raise _Refused("`\\result` needs a function whose parameters all have names", result.at)
            parameters.append(f"__typeof__({header.name}({', '.join(header.names)})) {_RESULT}")
        return ", ".join(parameters) or "void"


class _Writer:
    """Expressions of one clause → C."""

    def __init__(self, rewriter: Rewriter, clause: Clause, parameters: tuple[str, ...]) -> None:
        self._rewriter = rewriter
        self._clause = clause
        self._parameters = parameters
        self._in_old = False

    def _leaf(self, text: str, at: int) -> str:
        place = self._rewriter.place(at)
        return f"\n#line {place.line}\n{' ' * (place.column - 1)}{text}"

    # -- what can be assigned

    def location(self, node: Expression) -> str:
        r"""The address of the object that a location of `assigns` lies in; "" for `\nothing`."""
        match node:
            case Constant(name="\\nothing") if len(self._clause.parts) == 1:
                return ""
            case Index(base=base, index=Range()):
                return self._behind(base, node.at)
            case Unary(op="*", operand=Binary(op="+", left=base, right=Range())):
                return self._behind(base, node.at)
            case Unary(op="*", operand=operand):
                return self._behind(operand, node.at)
            case Name() | Member() | Index():
                variable, element = _variable(node)
                if variable in self._parameters and not element:
                    raise _Refused("callers do not see what is assigned to a parameter", node.at)
                path = self._path(node)
                target = path
                if not variable or variable in self._parameters:  # what it points to may be `const`
                    target = f"(*(__typeof_unqual__({path}) *)0)"
                return f"((void)sizeof({target} {self._leaf('=', node.at)} {path}), &({path}))"
            case Old(operand=operand):
                return self.location(operand)
            case _:
                raise _Refused("this is no location that can be assigned", node.at)

    def _behind(self, node: Expression, at: int) -> str:
        """The address in a pointer to something of a known size."""
        pointer = self._pointer(node)
        return f"((void){self._size(pointer, at)}, ({pointer}))"

    def _size(self, pointer: str, at: int) -> str:
        nothing = f"void *: {_INCOMPLETE}, const void *: {_INCOMPLETE}, default: ({pointer})"
        return f"{self._leaf('sizeof(', at)}{self._leaf('*', at)}_Generic(({pointer}), {nothing}))"

    # -- truth

    def condition(self, node: Expression) -> str:
        match node:
            case Constant(name="\\true"):
                return "1"
            case Constant(name="\\false"):
                return "0"
            case Unary(op="!", operand=operand):
                return f"({self._leaf('!', node.at)}{self.condition(operand)})"
            case Binary(op="&&" | "||" as op, left=left, right=right):
                return f"({self.condition(left)} {self._leaf(op, node.at)} {self.condition(right)})"
            case Binary(op="==>", left=left, right=right):
                return f"(!{self.condition(left)} || {self.condition(right)})"
            case Binary(op="<==>" | "^^" as op, left=left, right=right):
                sign = "==" if op == "<==>" else "!="
                return f"(!{self.condition(left)} {sign} !{self.condition(right)})"
            case Binary(op=op, left=left, right=right) if op in _COMPARISONS:
                return self._compared(op, node.at, left, right)
            case Chain(first=first, rest=rest):
                parts = []
                for op, operand in rest:
                    parts.append(self._compared(op, node.at, first, operand))
                    first = operand
                return f"({' && '.join(parts)})"
            case Predicate():
                return self._predicate(node)
            case Name() | Member() | Index() | Unary(op="*"):
                return f"(!{self._leaf('!', node.at)}{self._path(node)})"
            case Verbatim(text=text, at=at):
                return f"({self._leaf(text, at)}\n? 1 : 0)"
            case _:
                return f"({self.value(node)})"

    def _compared(self, op: str, at: int, left: Expression, right: Expression) -> str:
        plain = _is_zero(left) or _is_zero(right)
        return f"({self._side(left, plain)} {self._leaf(op, at)} {self._side(right, plain)})"

    def _side(self, node: Expression, plain: bool) -> str:
        if isinstance(node, Literal):
            return self._leaf(node.text, node.at)
        return self._path(node) if plain and _is_path(node) else self.value(node)

    def _predicate(self, node: Predicate) -> str:
        if node.name in STRINGS:
            return self._string(node)
        low = high = ""
        match node.pointer:
            case Binary(op="+", left=base, right=Range() as range):
                pointer = self._pointer(base)
                low, high = self.value(range.low), self.value(range.high)
            case Unary(op="&", operand=Index(base=base, index=Range() as range)):
                pointer = self._pointer(base)
                low, high = self.value(range.low), self.value(range.high)
            case _:
                base, index = _place(node.pointer)
                pointer = self._pointer(base)
                if index is not None:
                    low = high = self.value(index)
        function, mode = f"{PREFIX}valid", ", 1" if node.name == "\\valid" else ", 0"
        if node.name == "\\initialized":
            function, mode = f"{PREFIX}initialized", ""
        size = self._size(pointer, node.at)
        if not low:
            return f"{function}(({pointer}), {size}, 0, 0{mode})"
        ends = f"{_clamped(low)}, {_clamped(high)}"
        return f"(({high}) < ({low}) || {function}(({pointer}), {size}, {ends}{mode}))"

    def _string(self, node: Predicate) -> str:
        """A string of `char`: other characters are no association of the selection."""
        pointer = self._pointer(node.pointer)
        choices = ", ".join(f"{type} *: ({pointer})" for type in _CHARACTERS)
        terminated = f"{PREFIX}terminated(_Generic({self._leaf('&', node.at)}({pointer})[0], {choices}))"
        if node.name == "valid_read_string":
            return terminated
        return f"({terminated} && {PREFIX}valid(({pointer}), 1, 0, 0, 1))"

    # -- values

    def value(self, node: Expression) -> str:
        """A pointer, or a number as a signed integer of 128 bits (or an `int` that is 0 or 1)."""
        match node:
            case Name() | Member() | Index() | Unary(op="*") | Constant(name="\\result"):
                return f"({self._path(node)} + ({_WIDE})0)"
            case Literal(text=text, at=at):
                return f"({self._leaf(text, at)} + ({_WIDE})0)"
            case Constant(name="\\null"):
                return "((void *)0)"
            case Unary(op="&", operand=operand):
                return f"({self._leaf('&', node.at)}{self._path(operand)})"
            case Unary(op="-" | "+" | "~" as op, operand=operand):
                return f"({self._leaf(op, node.at)}{self._number(operand)})"
            case Binary(op="<<", left=left, right=right):
                return f"({self._number(left)} * {_power(self._number(right))})"
            case Binary(op="*" | "/" | "%" | "+" | "-" | ">>" | "&" | "|" | "^" as op):
                return f"({self._number(node.left)} {self._leaf(op, node.at)} {self._number(node.right)})"
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return f"({self.condition(condition)} ? {self.value(then)} : {self.value(otherwise)})"
            case Cast(type=type, operand=operand):
                return f"(({self._leaf(f'({type})', node.at)}({self.value(operand)})) + ({_WIDE})0)"
            case Sizeof(what=what, at=at):
                return f"(({_WIDE}){self._leaf(f'sizeof({what})', at)})"
            case Old(operand=operand):
                return self._old(node, operand)
            case Range():
                raise _Refused("a range cannot stand here", node.at)
            case Unbounded():
                raise _Refused("a range without an end is for `assigns` only", node.at)
            case Constant(name="\\nothing"):
                raise _Refused("`\\nothing` is for `assigns` only", node.at)
            case _:
                return self.condition(node)

    def _number(self, node: Expression) -> str:
        """An operand of arithmetic, which truth is not."""
        match node:
            case (
                Chain()
                | Predicate()
                | Unary(op="!")
                | Binary(op="&&" | "||" | "==>" | "<==>" | "^^")
                | Constant(name="\\true" | "\\false")
            ):
                raise _Refused("what is true or false is no number", node.at)
            case Binary(op=op) if op in _COMPARISONS:
                raise _Refused("what is true or false is no number", node.at)
            case _:
                return self.value(node)

    def _old(self, node: Old, operand: Expression) -> str:
        if self._clause.kind != "ensures":
            raise _Refused(f"`\\old` cannot stand in `{self._clause.kind}`", node.at)
        if self._in_old:
            return self.value(operand)
        self._in_old = True
        value = self.value(operand)
        self._in_old = False
        kept = f"{PREFIX}kept"
        return (
            f"__extension__ ({{ {PREFIX}old_begin(); __typeof__({value}) {kept} = {value}; "
            f"{PREFIX}old_end(); {kept}; }})"
        )

    def _pointer(self, node: Expression) -> str:
        """What is indexed or followed."""
        return self._path(node) if _is_path(node) else self.value(node)

    def _path(self, node: Expression) -> str:
        """An object, not widened."""
        match node:
            case Name(name=name, at=at):
                return self._leaf(name, at)
            case Constant(name="\\result"):
                return _RESULT
            case Member(base=base, arrow=arrow, name=name, at=at):
                return f"(({self._pointer(base)}){'->' if arrow else '.'}{self._leaf(name, at)})"
            case Index(base=base, index=index):
                place = f"(long long)({_INDEX})({self._number(index)})"
                return f"(({self._pointer(base)}){self._leaf('[', node.at)}{place}])"
            case Unary(op="*", operand=operand):
                return f"({self._leaf('*', node.at)}({self._pointer(operand)}))"
            case _:
                raise _Refused("this has no address", node.at)


def _power(distance: str) -> str:
    """What shifting to the left multiplies by; a division by zero if the distance is too large for that."""
    known = f"(0 <= {distance} && {distance} <= {_MOST_SHIFT})"
    return f"(({_WIDE})(1LL << ({known} ? (int){distance} : 0)) / {known})"


def _place(node: Expression) -> tuple[Expression, Expression | None]:
    """What a pointer expression begins with and how many elements it goes on: C's pointers wrap around, an
    index does not. A number in front is left to C."""
    match node:
        case Binary(op="+" | "-" as op, left=left, right=right):
            base, before = _place(left)
            if isinstance(base, Literal):
                return node, None
            if before is None:
                return base, right if op == "+" else Unary("-", right, node.at)
            return base, Binary(op, before, right, node.at)
        case Unary(op="&", operand=Index(base=base, index=index)) if not isinstance(index, Range):
            return base, index
        case _:
            return node, None


def _clamped(end: str) -> str:
    """The end of a range that is not empty, or what is as far outside of any object as that."""
    low = f"({end}) < -{_FARTHEST} ? -{_FARTHEST} : ({end})"
    return f"(long long)({_END})(({end}) > {_FARTHEST} ? {_FARTHEST} : {low})"


def _is_path(node: Expression) -> bool:
    match node:
        case Name() | Member() | Index() | Unary(op="*") | Constant(name="\\result"):
            return True
        case _:
            return False


def _variable(node: Expression) -> tuple[str, bool]:
    """The variable that a location is in or part of ("": it is reached by `*` or `->`), and whether it is
    reached by an index."""
    element = False
    while isinstance(node, Index) or (isinstance(node, Member) and not node.arrow):
        element = element or isinstance(node, Index)
        node = node.base
    return (node.name if isinstance(node, Name) else ""), element


def _is_result(node: Expression) -> bool:
    match node:
        case Constant(name="\\result"):
            return True
        case Verbatim(text=text):
            return RETURN_VALUE in text
        case _:
            return False


def _is_zero(node: Expression) -> bool:
    match node:
        case Literal(text="0") | Constant(name="\\null") | Name(name="NULL"):
            return True
        case _:
            return False


def unfaithful(ir_text: str) -> set[int]:
    """The clauses whose IR calculates with something that 128 signed bits do not hold."""
    found = set()
    for match in re.finditer(rf"^define [^\n]*@{CODE}(\d+)_\d+\(.*?^}}", ir_text, re.MULTILINE | re.DOTALL):
        if _UNFAITHFUL.search(match[0]) or _CALLED.search(match[0]):
            found.add(int(match[1]))
    return found


def _c_string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
