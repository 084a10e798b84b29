"""Random loops that go round as often as an input says, and what is really reachable after them.

The same text is run natively for 0, 1, 2, … iterations, where every value that its variables take is seen,
and given to the engine with an arbitrary number of iterations. A value that first shows after more
iterations than the engine unrolls can be reached: saying that it cannot would be a wrong invariant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .expressions import INDEX, WIDTHS, Place, Scope
from .programs import Writer

OFTEN = 40
"""How many iterations are run natively."""
LATE = 8
"""Values that show this late are asked about; the engine must unroll less."""
_TIMES = "again-- > 0"
_ANY = "__VERIFIER_nondet_int()"


@dataclass(frozen=True, slots=True)
class Loop:
    """`top` are definitions, `body` is a function's body from its variables to the end of its loop with
    GO and GO_INSIDE as the conditions of the loop and one inside it. `watched` are expressions over its
    variables."""

    seed: int
    top: str
    body: str
    watched: tuple[str, ...]
    inside: int

    def native(self) -> str:
        """A function of the number of iterations and of what is watched."""
        cases = " ".join(f"case {number}: return (u64){text};" for number, text in enumerate(self.watched))
        body = self.body.replace("GO_INSIDE", f"inside-- > 0 || (inside = {self.inside}, 0)")
        begin = f"int inside = {self.inside};\n"
        head = f"u64 s{self.seed}_loop(int again, int which) {{"
        return f"{self.top}{head}\n{begin}{body.replace('GO', _TIMES).replace('TEST', '')}\nswitch (which) {{ {cases} }}\nreturn 0; }}\n"

    def question(self, name: str, condition: str, within: bool) -> str:
        """A function with an error where `condition` holds, after the loop or at the start of its body."""
        test = f"if ({condition}) reach_error();"
        body = self.body.replace("GO_INSIDE", _ANY)
        body = body.replace("GO", _ANY).replace("TEST", test if within else "")
        return f"int {name}(void) {{\n{body}\n{'' if within else test} return 0; }}\n"


def generate_loop(seed: int, size: int = 2) -> Loop:
    """The loop of a seed, with about `size` random statements in it."""
    return _LoopWriter(seed, size).loop()


def late(values: Sequence[tuple[int, ...]]) -> list[tuple[int, tuple[int, ...]]]:
    """Which of the tuples, one per iteration, shows for the first time at LATE or later."""
    seen: set[tuple[int, ...]] = set()
    found = []
    for number, value in enumerate(values):
        if value not in seen and number >= LATE:
            found.append((number, value))
        seen.add(value)
    return found


class _LoopWriter(Writer):
    def loop(self) -> Loop:
        top = [self.record()] if self.chance(60) else []
        self.globals.places.append(Place(self.name("g"), "u32"))
        top.append(f"static u32 {self.globals.places[-1].text} = {self.constant('u32')};")
        if self.chance(50):
            top.append("static " + self.variable(constant=True))
        if self.chance(30) and self.records:
            top.append(self.function())
        self.scope = Scope()
        for _ in range(self.random.randint(1, 3)):
            self.line(self.variable(constant=True))
        self.line("i32 i = 0;")
        self.scope.places.append(Place("i", "i32", pointable=False, fixed=True))
        watched = len(self.scope.places)
        opening, closing = self.random.choice(
            [("while (GO) { TEST", "}"), ("for (; 1;) { if (!(GO)) break; TEST", "}"), ("do { TEST", "} while (GO);")]
        )
        self.prepare()
        self.line(opening)
        self.line("  i++;")
        for _ in range(self.random.randint(1, 3)):
            self.step()
        self.block(self.size, loop=True)
        inside = self.random.randint(0, 3)
        if self.chance(25):
            self.line("while (GO_INSIDE) {")
            self.step()
            self.line("}")
        self.line(closing)
        places = self.scope.places[:watched] + self.globals.places
        texts = [INDEX.sub(lambda m: str(self.random.randint(0, int(m[1]))), p.text) for p in places]
        body = "\n".join(self.scope.lines)
        return Loop(self.seed, "\n".join(top) + "\n", body, tuple(dict.fromkeys(texts)), inside)

    def prepare(self) -> None:
        """Variables that only `step` uses: a pointer into an array, a list, a flag, memory as integers."""
        self.line("static u32 row[64]; u32 *at = row; i32 turn = 0, flag = 0; u8 old = 0; u64 word = 0;")
        self.line("struct node { struct node *next; i32 v; } *head = 0, *cell; u32 *block = malloc(64);")
        self.line("memset(block, 0, 64); union { u32 *p; u64 n; } both; both.p = row; i32 *last = &turn;")
        self.scope.places += [
            Place("turn", "i32"), Place("flag", "i32", fixed=True), Place("old", "u8"), Place("word", "u64"),
            Place("(at - row)", "i64", False, True), Place("row[@15]", "u32"), Place("(head ? head->v : -1)", "i32", False, True),
            Place("block[@15]", "u32"), Place("(u64)(both.p - row)", "u64", False, True),
            Place("(last == &turn)", "i32", False, True),
        ]  # fmt: skip

    def step(self) -> None:
        """A change that is easy to generalise, and to get wrong in doing so."""
        number = self.random.randint(9, 30)
        place = self.random.choice([p for p in self.visible() if not p.fixed and WIDTHS[p.type] >= 8])
        text = INDEX.sub(lambda m: str(self.random.randint(0, int(m[1]))), place.text)
        self.line(self.random.choice([
            f"if (i == {number}) flag = 1;",
            f"if (i >= {number}) {text} = {self.constant(place.type)};",
            f"turn = turn == {number} ? 0 : turn + 1;",
            f"if (at < row + {number + 20}) at++;",
            f"*at = i; if (at != row + {number}) at++; else at = row;",
            "cell = malloc(sizeof *cell); cell->v = i; cell->next = head; head = cell;",
            f"if (head && i == {number}) head = head->next;",
            f"block[i & 15] = {self.value(1)};",
            f"old = word; word = {self.value(1)};",
            f"memcpy(&word, row + (i & 31), 8); row[i & 31] = i;",
            f"if (i > {number}) both.p = row + (i & 15); else both.p = at;",
            f"last = i == {number} ? &flag : &turn;",
            "*last ^= 2;",
            f"word = i < {number} ? 0 : word + 3;",
            f"turn += 2; if (turn > {2 * number}) turn = 1;",
            f"memset(row, i > {number}, sizeof row);",
            f"{{ u32 keep[2]; if (i > {number}) keep[0] = 5; else keep[0] = 0; word += keep[0]; }}",
            f"if (flag) {text} = 77;",
            f"switch (i) {{ case {number}: flag ^= 1; break; case {number + 1}: turn = -5; break; default: break; }}",
        ]))  # fmt: skip
