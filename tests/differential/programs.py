"""Random C programs without undefined behaviour, the same one for the same seed.

A program is a function `u64 s<seed>_run(int x, int y)` with all that it needs, every name prefixed so that
many programs fit into one file. It computes a checksum of everything it can see at its end.
"""

from __future__ import annotations

from dataclasses import dataclass

from .blocks import Blocks
from .expressions import INDEX, WIDTHS, Function, Place, Record, Scope

PRELUDE = """\
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned int u32; typedef long long i64; typedef unsigned long long u64;
#include <stdlib.h>
#include <string.h>
"""


@dataclass(frozen=True, slots=True)
class Program:
    """`text` defines `entry`; `inputs` are arguments to call it with. Somewhere in it is a line SPOT, where
    `probe` can be read (empty if there is none); it may be executed many times or never. `functions` can
    be called with any arguments without anything undefined; others want valid pointers."""

    seed: int
    text: str
    inputs: tuple[int, int]
    probe: str
    functions: tuple[str, ...]

    @property
    def entry(self) -> str:
        return f"s{self.seed}_run"


def generate(seed: int, size: int = 8) -> Program:
    """The program of a seed, with about `size` statements at the top of each function."""
    return Writer(seed, size).program()


class Writer(Blocks):
    def __init__(self, seed: int, size: int) -> None:
        super().__init__(seed)
        self.size = size

    def program(self) -> Program:
        top = [self.record() for _ in range(self.random.randint(1, 3))]
        top += ["static " + self.variable(constant=True) for _ in range(self.random.randint(2, 4))]
        self.globals.places.append(Place(self.name("g"), "u32"))
        top.append(f"static u32 {self.globals.places[-1].text} = {self.constant('u32')};")
        table, kind = self.name("t"), self.scalar()
        top.append(
            f"static const {kind} {table}[8] = {{{', '.join(self.constant(kind) for _ in range(8))}}};"
        )
        self.globals.places.append(Place(f"{table}[@7]", kind, pointable=False, fixed=True))
        top += [self.function() for _ in range(self.random.randint(1, 4))]
        if self.chance(40):
            pair = self.name("pair")
            top += [self.function(("i32", "u16"), "i32") for _ in range(2)]
            one, two = self.functions[-2:]
            top.append(f"static i32 (*const {pair}[2])(i32, u16) = {{{one.name}, {two.name}}};")
            self.functions.append(Function(f"{pair}[x & 1]", "i32", one.parameters, one.work + two.work))
        top.append(self.run())
        x = self.random.choice([0, 1, -1, 7, 100, -77, 12345])
        inputs = x, self.random.randrange(-(2**31), 2**31)
        free = [f.name for f in self.functions if f.name.isidentifier() and "*" not in "".join(f.parameters)]
        return Program(self.seed, "\n".join(top) + "\n", inputs, self.probe, (*free, f"s{self.seed}_run"))

    def record(self) -> str:
        """A struct of scalars, arrays, structs, unions and bit-fields."""
        name = self.name("T")
        packed = self.chance(10)
        parts: list[str] = []
        places: list[Place] = []
        for index in range(self.random.randint(1, 5)):
            kind, what = self.scalar(), self.random.randrange(10)
            if what < 5:
                parts.append(f"{kind} f{index};")
                places.append(Place(f".f{index}", kind))
            elif what < 7:
                count = self.random.choice([2, 4, 8])
                parts.append(f"{kind} f{index}[{count}];")
                places.append(Place(f".f{index}[@{count - 1}]", kind))
            elif what == 7 and self.records:
                inner = self.random.choice(self.records)
                suffix, shape = ("[@1]", "[2]") if self.chance(40) else ("", "")
                parts.append(f"struct {inner.name} f{index}{shape};")
                places += [Place(f".f{index}{suffix}{p.text}", p.type, p.pointable) for p in inner.places]
            elif what == 8:
                other = self.random.choice(["u8", "u16", "u32", "i16"])
                count = 64 // WIDTHS[other]
                parts.append(f"union {{ u64 w; {other} v[{count}]; struct {{ i32 lo, hi; }} s; }} f{index};")
                members = (".w", "u64"), (f".v[@{count - 1}]", other), (".s.lo", "i32"), (".s.hi", "i32")
                places += [Place(f".f{index}{text}", type, pointable=False) for text, type in members]
            else:
                for bit in range(self.random.randint(1, 4)):
                    kind = self.random.choice(["i32", "u32", "u8", "u64"])
                    parts.append(f"{kind} f{index}b{bit} : {self.random.randint(1, WIDTHS[kind] - 1)};")
                    places.append(Place(f".f{index}b{bit}", kind, pointable=False))
        if packed:
            places = [Place(place.text, place.type, pointable=False) for place in places]
        self.records.append(Record(name, tuple(places)))
        return f"struct {name} {{ {' '.join(parts)} }}{' __attribute__((packed))' if packed else ''};"

    def function(self, parameters: tuple[str, ...] = (), result: str = "") -> str:
        """A function that later ones may call, with scalars, structs and pointers as parameters."""
        name, given = self.name("f"), bool(parameters)
        self.scope = Scope()
        result = result or self.scalar()
        if not given:
            parameters = tuple(self.parameter() for _ in range(self.random.randint(1, 3)))
            if self.chance(25):
                result = f"struct {self.random.choice(self.records).name}"
        texts = [self.declared(kind) for kind in parameters]
        recursive = self.chance(25) and not given and not result.startswith("struct")
        if recursive:
            texts.append("int depth")
            self.line(f"if (depth <= 0) return {self.expression(result)};")
        self.body()
        if recursive:
            inner = ", ".join(self.argument(kind) for kind in parameters)
            self.line(f"{result} again = {name}({inner}, depth - {self.random.randint(1, 2)});")
            self.line(f"return ({result})(again ^ ({self.expression(result)}));")
        elif result.startswith("struct"):
            self.line(f"return {self.of_record(result)};")
        else:
            self.line(f"return {self.expression(result)};")
        work = self.scope.work * (4 if recursive else 1) + 1
        self.functions.append(Function(name, result, (*parameters, *(["depth"] if recursive else [])), work))
        return "\n".join([f"static {result} {name}({', '.join(texts)}) {{", *self.scope.lines, "}"])

    def parameter(self) -> str:
        if self.chance(55):
            return self.scalar()
        return f"struct {self.random.choice(self.records).name}{'*' if self.chance(50) else ''}"

    def declared(self, kind: str) -> str:
        """A parameter's declaration; what it is goes into the scope."""
        name = self.name("a")
        if not kind.startswith("struct"):
            self.scope.places.append(Place(name, kind))
            return f"{kind} {name}"
        record = next(r for r in self.records if f"struct {r.name}" == kind.rstrip("*"))
        whole = f"(*{name})" if kind.endswith("*") else name
        self.scope.places += [Place(f"{whole}{p.text}", p.type, p.pointable) for p in record.places]
        self.scope.records.append((whole, record.name))
        return f"{kind} {name}"

    def run(self) -> str:
        """The entry: statements, then everything goes into the checksum."""
        self.scope = Scope([Place("x", "i32"), Place("y", "i32")])
        self.line("u64 sum = 0;")
        self.body()
        for place in self.scope.places + self.globals.places:
            text = place.text
            for each in dict.fromkeys((INDEX.sub("0", text), INDEX.sub(lambda m: m[1], text))):
                self.line(f"sum = (sum << 7 | sum >> 57) ^ (u64){each};")
        self.line("return sum;")
        return "\n".join([f"u64 s{self.seed}_run(int x, int y) {{", *self.scope.lines, "}"])

    def body(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.declare()
        for _ in range(self.random.randint(self.size // 2, self.size)):
            self.statement()
