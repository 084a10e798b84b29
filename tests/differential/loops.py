"""Random loops that go round as often as an input says, and what is really reachable after them.

The same text is run natively, where the values that its variables have are seen after every iteration, and
given to the engine with an arbitrary number of iterations. A value that first shows after more iterations
than the engine unrolls can be reached: saying that it cannot would be a wrong invariant.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from .expressions import INDEX, WIDTHS, Place, Scope
from .programs import Writer

OFTEN = 40
"""How many iterations are run natively."""
LATE = 8
"""Values that show this late are asked about; the engine must unroll less."""
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

    @property
    def is_free(self) -> bool:
        """Whether there are executions in which more happens than natively, so that all may come earlier."""
        return "GO_INSIDE" in self.body

    def native(self) -> str:
        """A function that prints what is watched whenever its loop may end."""
        values = ", ".join(f"(u64){text}" for text in self.watched)
        show = f'printf("{"%llu " * len(self.watched)}\\n", {values})'
        body = self.body.replace("GO_INSIDE", f"inside-- > 0 || (inside = {self.inside}, 0)")
        body = body.replace("GO", f"({show}, again-- > 0)").replace("TEST", "")
        head = f"int s{self.seed}_loop(void) {{\nint again = {OFTEN}, inside = {self.inside};"
        return f"{self.top}{head}\n{body}\n{show}; return 0; }}\n"

    def question(self, name: str, condition: str, within: bool) -> str:
        """A function with an error where `condition` holds, after the loop or at the start of its body."""
        test = f"if ({condition}) reach_error();"
        body = self.body.replace("GO_INSIDE", _ANY)
        body = body.replace("GO", _ANY).replace("TEST", test if within else "")
        return f"int {name}(void) {{\n{body}\n{'' if within else test} return 0; }}\n"


def generate_loop(seed: int, size: int = 2) -> Loop:
    """The loop of a seed, with about `size` random statements in it."""
    return _LoopWriter(seed, size).loop()


def questions(loop: Loop, rows: Sequence[tuple[int, ...]], most: int = 6) -> list[str]:
    """Functions `s<seed>_q<n>` whose errors are reached, though late. `rows` are what `native` prints."""
    chosen = random.Random(loop.seed)
    numbers = range(len(loop.watched))
    groups = [(n,) for n in numbers] + [tuple(chosen.sample(numbers, 2)) for _ in range(len(numbers))]
    chosen.shuffle(groups)
    made: list[str] = []
    for group in groups:
        found = _late([tuple(row[n] for n in group) for row in rows])
        if not found or len(made) >= most:
            continue
        at, values = chosen.choice(found)
        condition = " && ".join(
            f"(u64){loop.watched[n]} == {v}ull" for n, v in zip(group, values, strict=True)
        )
        within = at + 1 < len(rows) and chosen.random() < 0.3
        made.append(loop.question(f"s{loop.seed}_q{len(made)}", condition, within))
    return made


def _late(values: Sequence[tuple[int, ...]]) -> list[tuple[int, tuple[int, ...]]]:
    """Which of the tuples, one per iteration, show for the first time at LATE or later, and when."""
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
            [
                ("while (GO) { TEST", "}"),
                ("for (; 1;) { if (!(GO)) break; TEST", "}"),
                ("do { TEST", "} while (GO);"),
            ]
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
            Place("(at - row)", "i64", False, True), Place("row[@15]", "u32"),
            Place("(head ? head->v : -1)", "i32", False, True), Place("block[@15]", "u32"),
            Place("(u64)(both.p - row)", "u64", False, True), Place("(last == &turn)", "i32", False, True),
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
            "memcpy(&word, row + (i & 31), 8); row[i & 31] = i;",
            f"if (i > {number}) both.p = row + (i & 15); else both.p = at;",
            f"last = i == {number} ? &flag : &turn;",
            "*last ^= 2;",
            f"word = i < {number} ? 0 : word + 3;",
            f"turn += 2; if (turn > {2 * number}) turn = 1;",
            f"memset(row, i > {number}, sizeof row);",
            f"{{ u32 keep[2]; if (i > {number}) keep[0] = 5; else keep[0] = 0; word += keep[0]; }}",
            f"if (flag) {text} = 77;",
            f"switch (i) {{ case {number}: flag ^= 1; break; case {number + 1}: turn = -5; default:; }}",
        ]))  # fmt: skip
