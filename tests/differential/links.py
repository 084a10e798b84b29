"""Statements about pointers in memory: in arrays, structs and on the heap, as bytes and as integers."""

from __future__ import annotations

from .expressions import Place
from .statements import Statements, Weighted


class Links(Statements):
    """Adds to the statements those in which pointers themselves are stored, copied and changed."""

    def simple(self) -> tuple[Weighted, ...]:
        return (*super().simple(), (3, self.array), (3, self.chain), (2, self.buffer), (2, self.integer))

    def targets(self, count: int) -> tuple[str, list[str]] | None:
        """Addresses of `count` things of one type."""
        kind = self.target().type
        found = [self.address(kind, len(self.scope.places)) for _ in range(count)]
        return (kind, [text for text in found if text is not None]) if None not in found else None

    def array(self) -> None:
        """An array of pointers; two are swapped, one is written through."""
        found = self.targets(4)
        if found is None:
            return self.assign()
        kind, addresses = found
        name = self.name("q")
        self.line(f"{kind} *{name}[4] = {{{', '.join(addresses)}}};")
        one, other = (f"({self.value(1)}) & 3" for _ in range(2))
        self.line(f"{{ {kind} *keep = {name}[{one}]; {name}[{other}] = keep; }}")
        if self.chance(40):
            self.line(
                f"{{ {kind} **walk = {name}; while (walk < {name} + 3 && *walk != {addresses[0]}) walk++;"
            )
            return self.line(f"  **walk = {self.expression(kind, 1)}; }}")
        self.scope.places.append(Place(f"(*{name}[@3])", kind))
        self.line(f"*{name}[{one}] = {self.expression(kind, 2)};")

    def chain(self) -> None:
        """Structs that point to each other and to other things."""
        found = self.targets(3)
        if found is None:
            return self.assign()
        kind, addresses = found
        name = self.name("c")
        self.line(f"struct {name}_t {{ u8 tag; {kind} *to; struct {name}_t *next; {kind} own; }} {name}[3];")
        for number, address in enumerate(addresses):
            after = f"&{name}[{self.random.choice([(number + 1) % 3, (number + 2) % 3, number])}]"
            end = f"({self.condition(1)}) ? 0 : {after}" if self.chance(40) else after
            to = f"&{name}[{self.random.randrange(3)}].own" if self.chance(30) else address
            fields = f"{self.random.randrange(4)}, {to}, {end}, ({kind})({self.value(1)})"
            self.line(f"{name}[{number}] = (struct {name}_t){{{fields}}};")
        if self.chance(50):
            self.line(f"{name}[{self.random.randrange(3)}] = {name}[({self.value(1)}) & 1];")
        result = self.index(self.target().text)
        self.line(f"struct {name}_t *{name}_p = {name} + (({self.value(1)}) & 1);")
        self.line(
            f"for (int n = 0; n < {self.random.randint(1, 4)} && {name}_p; n++, {name}_p = {name}_p->next) {{"
        )
        self.line(f"  {result} ^= *{name}_p->to; *{name}_p->to = {self.expression(kind, 1)};")
        self.line(
            f"  if ({name}_p->tag == 2) {name}_p->own++; {result} += {name}_p->own & 63; }}"
            if kind[0] == "u"
            else "}"
        )

    def buffer(self) -> None:
        """A struct through a buffer of bytes, at an offset that is not known to be aligned."""
        if not self.records:
            return self.assign()
        record = self.random.choice(self.records)
        name, whole = self.name("b"), f"struct {record.name}"
        self.line(f"{whole} {name}_1 = {self.of_record(whole)}, {name}_2;")
        self.line(f"u32 {name}_at = ({self.value(1)}) & {self.random.choice([0, 4, 7])};")
        self.line(f"u8 {name}[sizeof {name}_1 + 8];")
        self.line(
            f"memset({name}, 0, sizeof {name}); memcpy({name} + {name}_at, &{name}_1, sizeof {name}_1);"
        )
        if self.chance(50):
            self.line(f"{name}[{name}_at + (({self.value(1)}) % sizeof {name}_1)] = 0;")
            self.line(f"{name}[0] = {self.expression('u8', 1)};")
        self.line(f"memcpy(&{name}_2, {name} + {name}_at, sizeof {name}_2);")
        self.scope.places += [Place(f"{name}_2{p.text}", p.type, p.pointable) for p in record.places]
        self.scope.records.append((f"{name}_2", record.name))

    def integer(self) -> None:
        """A pointer as an integer and back, or copied byte by byte."""
        found = self.targets(2)
        if found is None:
            return self.assign()
        kind, (one, other) = found
        name = self.name("w")
        if self.chance(50):
            self.line(f"u64 {name} = (u64)({one});")
            self.line(f"if ({self.condition(1)}) {name} = (u64)({other});")
            there, back = self.random.choice([("^= 1", "^= 1"), ("+= 5", "-= 5"), ("= ~", "= ~")])
            self.line(f"{name} {there}{name * ('~' in there)}; {name} {back}{name * ('~' in back)};")
            return self.line(f"*({kind} *){name} = {self.expression(kind, 2)};")
        self.line(f"{kind} *{name} = {one}, *{name}_2 = {other};")
        self.line(f"for (int n = 0; n < 8; n++) ((u8 *)&{name}_2)[n] = ((u8 *)&{name})[n];")
        return self.line(f"*{name}_2 = {self.expression(kind, 2)};")
