"""Statements of random C programs: assignments, control flow, calls, and all that touches memory.

Loops end by construction and nothing is used outside its lifetime: a pointer points only to what was
there when it was declared.
"""

from __future__ import annotations

from collections.abc import Callable

from .expressions import WIDTHS, Expressions, Function, Place, Record

SPOT = "/* spot */"
_MOST_WORK = 1200

Weighted = tuple[int, Callable[[], None]]


class Statements(Expressions):
    """Writes statements into the lines of `scope`."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.records: list[Record] = []
        self.functions: list[Function] = []
        self.probe = ""
        self._until_spot = self.random.randint(0, 12)

    def line(self, text: str) -> None:
        self.scope.lines.append("  " * self.scope.indent + text)

    def statement(self) -> None:
        scope = self.scope
        scope.work += scope.times
        self.spot()
        is_deep = scope.indent > 3 or scope.times > 60
        kinds = (
            self.simple() + (() if is_deep else self.nested()) + (((10, self.jump),) if scope.loops else ())
        )
        self.random.choices([write for _, write in kinds], [weight for weight, _ in kinds])[0]()

    def simple(self) -> tuple[Weighted, ...]:
        """Kinds of statements without others in them, with how often they are chosen."""
        return (
            (30, self.assign), (8, self.declare), (3, self.declare_late), (10, self.call), (10, self.pointer),
            (4, self.walk), (8, self.copy_record), (5, self.copy_bytes), (5, self.byte), (4, self.heap),
        )  # fmt: skip

    def nested(self) -> tuple[Weighted, ...]:
        """Kinds of statements with others in them."""
        return (
            (16, self.branch), (6, self.switch), (8, self.for_loop), (4, self.while_loop), (4, self.do_loop),
            (3, self.forward_goto), (2, self.backward_goto),
        )  # fmt: skip

    def spot(self) -> None:
        """Marks one place of the program, and something that can be read there."""
        self._until_spot -= 1
        places = [place for place in self.visible() if not place.fixed]
        if self._until_spot == 0 and places:
            self.probe = self.index(self.random.choice(places).text, 0)
            self.line(SPOT)

    def block(self, times: int = 1, loop: bool = False, extra: str = "") -> None:
        """One to three statements after an opened brace; what they declare ends with them."""
        scope = self.scope
        known = len(scope.places), len(scope.records), len(scope.arrays), len(scope.pointers)
        scope.indent += 1
        scope.times *= times
        scope.loops += loop
        if extra:
            scope.places.append(Place(extra, "i32", pointable=False, fixed=True))
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        scope.loops -= loop
        scope.times //= times
        scope.indent -= 1
        del scope.places[known[0] :], scope.records[known[1] :], scope.arrays[known[2] :]
        del scope.pointers[known[3] :]

    # -- places

    def target(self) -> Place:
        """A place that may be assigned."""
        return self.random.choice([place for place in self.visible() if not place.fixed])

    def address(self, kind: str, limit: int) -> str | None:
        """The address of something of type `kind` among the globals and the first `limit` places."""
        known = self.globals.places + (self.scope.places[:limit] if self.scope is not self.globals else [])
        found = [p for p in known if p.type == kind and p.pointable and not p.fixed]
        return f"&{self.index(self.random.choice(found).text)}" if found else None

    def of_record(self, name: str) -> str:
        known = self.scope.records + self.globals.records
        found = [text for text, kind in known if f"struct {kind}" == name]
        return self.index(self.random.choice(found)) if found else f"({name}){{0}}"

    def argument(self, kind: str) -> str:
        if kind == "depth":
            return str(self.random.randint(0, 3))
        if kind.endswith("*"):
            return f"&{self.of_record(kind[:-1])}"
        return self.of_record(kind) if kind.startswith("struct") else self.expression(kind, 2)

    def variable(self, constant: bool = False) -> str:
        """The definition of a variable, initialised; its places are added to the scope."""
        name, kind, what = self.name("v"), self.scalar(), self.random.randrange(10)
        scope = self.scope
        if what < 5 or (what >= 8 and not self.records):
            text = self.constant(kind) if constant else self.expression(kind)
            scope.places.append(Place(name, kind))
            return f"{kind} {name} = {text};"
        if what < 8:
            count = self.random.choice([2, 4, 8])
            values = [self.constant(kind) if constant else self.expression(kind, 1) for _ in range(count)]
            scope.places.append(Place(f"{name}[@{count - 1}]", kind))
            scope.arrays.append((name, kind, count))
            casted = [f"({kind})({value})" for value in values[: self.random.randint(1, count)]]
            return f"{kind} {name}[{count}] = {{{', '.join(casted)}}};"
        record = self.random.choice(self.records)
        suffix, shape = ("[@3]", "[4]") if self.chance(25) else ("", "")
        scope.places += [Place(f"{name}{suffix}{p.text}", p.type, p.pointable) for p in record.places]
        scope.records.append((f"{name}{suffix}", record.name))
        return f"struct {record.name} {name}{shape} = {{0}};"

    # -- assignments and calls

    def assign(self) -> None:
        place = self.target()
        if self.chance(25):
            operator = self.random.choice(["|=", "&=", "^="])
            self.line(f"{self.index(place.text)} {operator} {self.value(2)};")
        elif self.chance(15) and place.type[0] == "u":
            self.line(f"{self.index(place.text)}{self.random.choice(['++', '--'])};")
        elif self.chance(15) and place.type in ("u32", "u64"):
            self.line(f"{self.index(place.text)} {self.random.choice(['+=', '*='])} (u32)({self.value(2)});")
        else:
            self.line(f"{self.index(place.text, 2)} = {self.expression(place.type)};")

    def declare(self) -> None:
        self.line(self.variable())

    def declare_late(self) -> None:
        """A variable that gets its value on every path before it is read."""
        name, kind = self.name("d"), self.scalar()
        self.line(f"{kind} {name};")
        self.line(f"if ({self.condition()}) {name} = {self.expression(kind, 2)};")
        self.line(f"else {name} = {self.expression(kind, 2)};")
        self.scope.places.append(Place(name, kind))

    def call(self) -> None:
        scope = self.scope
        fitting = [f for f in self.functions if scope.work + scope.times * f.work < _MOST_WORK]
        if not fitting:
            return self.assign()
        function = self.random.choice(fitting)
        scope.work += scope.times * function.work
        text = f"{function.name}({', '.join(self.argument(p) for p in function.parameters)})"
        if not function.result.startswith("struct"):
            return self.line(f"{self.index(self.target().text)} = {text};")
        name = self.name("r")
        self.line(f"{function.result} {name} = {text};")
        record = next(r for r in self.records if f"struct {r.name}" == function.result)
        scope.places += [Place(f"{name}{p.text}", p.type, p.pointable) for p in record.places]
        scope.records.append((name, record.name))

    # -- control flow

    def branch(self) -> None:
        self.line(f"if ({self.condition()}) {{")
        self.block()
        if self.chance(50):
            self.line("} else {")
            self.block()
        self.line("}")

    def switch(self) -> None:
        self.line(f"switch (({self.value(2)}) & 7) {{")
        cases = self.random.sample(range(8), self.random.randint(1, 4))
        default = self.random.randrange(len(cases) + 1)
        for number, case in enumerate(cases):
            self.line(f"case {case}:" + (" default:" if number == default else "") + " {")
            self.block()
            self.line("}" if self.chance(30) else "} break;")
        self.line("}")

    def count(self) -> tuple[str, int]:
        """A number of iterations: its text, and what it is at most."""
        most = self.random.choice([1, 2, 3, 7])
        return (str(most), most) if self.chance(50) else (f"(int)(({self.value(1)}) & {most})", most)

    def for_loop(self) -> None:
        counter, (text, most) = self.name("i"), self.count()
        self.line(f"for (int {counter} = 0; {counter} < {text}; {counter}++) {{")
        self.block(most, loop=True, extra=counter)
        self.line("}")

    def while_loop(self) -> None:
        counter, (text, most) = self.name("n"), self.count()
        self.line(f"int {counter} = {text};")
        self.line(f"while ({counter}-- > 0) {{")
        self.block(most, loop=True, extra=counter)
        self.line("}")

    def do_loop(self) -> None:
        counter, (text, most) = self.name("n"), self.count()
        self.line(f"int {counter} = 0, {counter}_end = {text};")
        self.line("do {")
        self.block(most + 1, loop=True, extra=counter)
        self.line(f"}} while (++{counter} < {counter}_end);")

    def forward_goto(self) -> None:
        label = self.name("L")
        self.line(f"if ({self.condition()}) goto {label};")
        self.line("{")
        self.block()
        self.line(f"}} {label}:;")

    def backward_goto(self) -> None:
        counter, label, (text, most) = self.name("n"), self.name("L"), self.count()
        self.line(f"int {counter} = 0, {counter}_end = {text};")
        self.line(f"{label}:; {{")
        self.block(most + 1, extra=counter)
        self.line(f"}} if (++{counter} < {counter}_end) goto {label};")

    def jump(self) -> None:
        self.line(f"if ({self.condition()}) {self.random.choice(['break', 'continue'])};")

    # -- memory

    def pointer(self) -> None:
        """Declares a pointer, or moves one, or writes through one."""
        scope = self.scope
        if scope.pointers and self.chance(70):
            name, kind, limit = self.random.choice(scope.pointers)
            address = self.address(kind, limit)
            if address is not None and self.chance(50):
                other = self.address(kind, limit)
                chosen = f"({self.condition(1)}) ? {address} : {other}" if self.chance(40) else address
                return self.line(f"{name} = {chosen};")
            if self.chance(30):
                return self.line(f"{{ {kind} **q = &{name}; **q = {self.expression(kind, 2)}; }}")
            return self.line(f"*{name} = {self.expression(kind, 2)};")
        kind = self.target().type
        address = self.address(kind, len(scope.places))
        if address is None:
            return self.assign()
        name = self.name("p")
        self.line(f"{kind} *{name} = {address};")
        scope.pointers.append((name, kind, len(scope.places)))
        scope.places.append(Place(f"(*{name})", kind))

    def walk(self) -> None:
        """A pointer that runs over an array, or a difference of two."""
        known = self.scope.arrays + self.globals.arrays
        if not known:
            return self.assign()
        name, kind, count = self.random.choice(known)
        result = self.index(self.target().text)
        if self.chance(30):
            ends = [f"&{name}[({self.value(1)}) & {count - 1}]" for _ in range(2)]
            return self.line(f"{result} = (i8)({ends[0]} - {ends[1]});")
        use = f"*p = {self.expression(kind, 1)};" if self.chance(40) else f"{result} ^= *p;"
        if self.chance(50):
            return self.line(f"for ({kind} *p = {name}; p < {name} + {count}; p++) {{ {use} }}")
        return self.line(f"for ({kind} *p = {name} + {count}; p-- != {name};) {{ {use} }}")

    def copy_record(self) -> None:
        known = self.scope.records + self.globals.records
        if not known:
            return self.assign()
        text, kind = self.random.choice(known)
        to, source = self.index(text), self.of_record(f"struct {kind}")
        if self.chance(60):
            return self.line(f"{to} = {source};")
        if self.chance(50):
            return self.line(f"memset(&{to}, {self.random.choice([0, 0, 1, 255])}, sizeof {to});")
        return self.line(f"memmove(&{to}, &{source if '{' not in source else to}, sizeof {to});")

    def copy_bytes(self) -> None:
        """memcpy, memmove and memset between and within arrays, at bytes' offsets."""
        known = self.scope.arrays + self.globals.arrays
        if not known:
            return self.assign()
        (to, kind, count), (source, other, number) = self.random.choice(known), self.random.choice(known)
        room = min(count * WIDTHS[kind], number * WIDTHS[other]) // 8
        size = self.random.randint(1, room)
        at = [self.random.randint(0, n * WIDTHS[k] // 8 - size) for k, n in ((kind, count), (other, number))]
        if self.chance(30):
            return self.line(f"memset((char *){to} + {at[0]}, (int)({self.value(1)}), {size});")
        source_text = f"(char *){source} + {at[1]}"
        if self.chance(30) and number * WIDTHS[other] // 8 - size >= 3:
            source_text = f"(char *){source} + (({self.value(1)}) & 3)"
        return self.line(f"memmove((char *){to} + {at[0]}, {source_text}, {size});")

    def byte(self) -> None:
        """Reads or writes one byte of something that has no padding."""
        known = [(f"&{n}", k, WIDTHS[k] * c // 8) for n, k, c in self.scope.arrays + self.globals.arrays]
        places = [p for p in self.visible() if p.pointable and not p.fixed]
        known += [(f"&{self.index(p.text)}", p.type, WIDTHS[p.type] // 8) for p in places[:4]]
        name, _, size = self.random.choice(known)
        byte = f"((u8 *){name})[({self.value(1)}) & {size - 1}]"
        if self.chance(50):
            return self.line(f"{byte} = {self.expression('u8', 2)};")
        return self.line(f"{self.index(self.target().text)} = {byte};")

    def heap(self) -> None:
        """A struct or an array on the heap, or a list."""
        pointer, result = self.name("h"), self.index(self.target().text)
        what = self.random.randrange(3)
        if what == 0 and self.records:
            record = self.random.choice(self.records)
            self.line(f"struct {record.name} *{pointer} = malloc(sizeof *{pointer});")
            self.line(f"*{pointer} = {self.of_record('struct ' + record.name)};")
            place = self.random.choice(record.places)
            self.line(f"(*{pointer}){self.index(place.text)} = {self.expression(place.type, 2)};")
            return self.line(f"{result} ^= (*{pointer}){self.index(place.text)}; free({pointer});")
        if what == 1:
            kind, count = self.scalar(), self.random.choice([2, 4])
            self.line(f"{kind} *{pointer} = malloc({count} * sizeof *{pointer});")
            self.line(f"for (int i = 0; i < {count}; i++) {pointer}[i] = {self.expression(kind, 1)};")
            self.line(f"{pointer}[({self.value(1)}) & {count - 1}] = {self.expression(kind, 1)};")
            return self.line(f"{result} ^= {pointer}[({self.value(1)}) & {count - 1}]; free({pointer});")
        kind = self.scalar()
        node = f"{pointer}_node"
        one, each = f"{pointer}_1", f"{pointer}_e"
        self.line(f"struct {node} {{ {kind} v; struct {node} *next; }} *{pointer} = 0, *{one}, *{each};")
        self.line(f"for (int i = 0; i < {self.random.randint(1, 3)}; i++) {{")
        self.line(f"  {one} = malloc(sizeof *{one}); {one}->v = {self.expression(kind, 2)};")
        self.line(f"  {one}->next = {pointer}; {pointer} = {one}; }}")
        self.line(f"for ({each} = {pointer}; {each}; {each} = {each}->next) {result} ^= {each}->v;")
        self.line(f"while ({pointer}) {{ {each} = {pointer}->next; free({pointer}); {pointer} = {each}; }}")
