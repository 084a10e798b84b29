"""Statements about blocks of memory: strings, tables, blocks of the heap that grow, lists and trees, views.

What is allocated in a statement is freed in it, so that no program leaks. Of the results of `strcmp` and
`memcmp` only the sign is used: no more is specified.
"""

from __future__ import annotations

from .expressions import Place
from .links import Links
from .statements import Weighted

_LETTERS = "aab~Z"


class Blocks(Links):
    """Adds the statements that use the C library for more than a copy, and the heap for more than a value."""

    def simple(self) -> tuple[Weighted, ...]:
        return (
            *super().simple(),
            (4, self.string), (3, self.table), (2, self.growth), (3, self.ordered), (2, self.tree),
            (3, self.view), (2, self.callback), (2, self.flexible), (2, self.shared), (2, self.cleanup),
        )  # fmt: skip

    def result(self) -> str:
        """Something to put a result into."""
        return self.index(self.target().text, 0)

    def small(self, most: int) -> str:
        """An expression between 0 and `most`, which is one less than a power of two."""
        return f"(({self.value(1)}) & {most})"

    def letters(self, most: int) -> str:
        return "".join(self.random.choice(_LETTERS) for _ in range(self.random.randint(0, most)))

    # -- strings

    def string(self) -> None:
        """Two terminated strings, changed in one place, and a function of the library or two."""
        name, pick = self.name("z"), self.random.choice
        a, b, c = f"{name}_a", f"{name}_b", f"{name}_c"
        self.line(f'char {a}[8] = "{self.letters(6)}", {b}[8] = "{self.letters(5)}", {c}[20] = {{0}};')
        if self.chance(60):
            change = pick(("0", "'b'", f"'a' + {self.small(1)}"))
            self.line(f"{a}[{self.small(3)}] = {change};")
        letter = f"'{pick(_LETTERS)}'"
        uses = (
            f"{c}[0] = strlen({a}); {c}[1] = strlen({b} + {self.small(1)} * ({b}[0] != 0));",
            f"{c}[0] = strcmp({a}, {b}) {pick(('<', '==', '>'))} 0;",
            f"{c}[0] = strncmp({a}, {b}, {self.small(7)}) {pick(('<', '==', '>'))} 0;",
            f"{c}[0] = memcmp({a}, {b}, {self.small(7)}) {pick(('<', '==', '>'))} 0;",
            f"strcpy({c}, {a}); strcat({c}, {b});",
            f"strcpy({c} + {self.small(7)}, {b}); strncat({c}, {a}, {self.small(3)});",
            f"memset({c}, 'x', 9); strncpy({c}, {a}, {self.small(7)});",
            f"{{ char *at = strchr({a}, {letter}); {c}[0] = at ? at - {a} : -1; if (at) *at = 'q'; }}",
            f"{{ char *at = strrchr({a}, {letter}); {c}[0] = at ? at - {a} : -1; if (at) *at = 0; }}",
            f"{{ char *at = strstr({a}, {b}); {c}[0] = at ? at - {a} : -1; }}",
            f"{{ char *at = memchr({a}, {letter}, {self.small(7)}); {c}[0] = at ? at - {a} : -1; }}",
            f'{c}[0] = strspn({a}, "ab"); {c}[1] = strcspn({a}, {b});',
            f"for (char *f = {a}, *t = {c}; (*t++ = *f++);) ;",
            f"memmove({a} + {self.small(3)}, {a}, {pick((1, 3, 4))}); {a}[7] = 0; strcpy({c}, {a});",
        )
        for use in self.random.sample(uses, self.random.randint(1, 2)):
            self.line(use)
        self.scope.places += [Place(f"{c}[@7]", "i8", False), Place(f"{a}[@3]", "i8", False, True)]

    # -- tables and views

    def table(self) -> None:
        """A two-dimensional array: rows, columns, a pointer to a row, nested loops that leave early."""
        name, kind = self.name("m"), self.random.choice(["u8", "u16", "u32", "u64"])
        self.line(f"{kind} {name}[2][4] = {{{{{self.expression(kind, 1)}}}, {{1, 2}}}};")
        self.line(f"{name}[{self.small(1)}][{self.small(3)}] = {self.expression(kind, 1)};")
        uses = (
            f"for (int r = 0; r < 2; r++) for (int c = 0; c < 4; c++) {name}[r][c] += r * 4 + c;",
            f"{{ {kind} (*row)[4] = {name} + {self.small(1)}; (*row)[{self.small(3)}] ^= 5; row[0][1]++; }}",
            f"for (int c = 3; c; c--) {{ if ({name}[1][c] == 2) break; {name}[0][c] = {name}[1][3 - c]; }}",
            f"{{ {kind} *flat = &{name}[0][0]; {name}[1][0] = flat[{self.small(3)}]; }}",
            f"memmove({name}[1], {name}[0], sizeof {name}[0]);",
            f"{{ {kind} *rows[2] = {{{name}[1], {name}[0]}}, **at = rows + {self.small(1)};"
            f" (*at)[{self.small(3)}] = 9; }}",
        )
        for use in self.random.sample(uses, self.random.randint(1, 2)):
            self.line(use)
        self.scope.places.append(Place(f"{name}[@1][@3]", kind))

    def view(self) -> None:
        """One object seen as several types: a union, bytes, a struct in a larger one."""
        name = self.name("o")
        self.line(f"union {{ u8 b[8]; u16 h[4]; u32 w[2]; u64 d; struct {{ u8 t; u32 v; }} s; }} {name};")
        self.line(f"{name}.d = {self.expression('u64', 2)};")
        uses = (
            f"{name}.b[{self.small(7)}] = {self.expression('u8', 1)};",
            f"{name}.h[{self.small(3)}]++;",
            f"{name}.s.v = {self.expression('u32', 1)}; {name}.s.t ^= 3;",
            f"{{ u8 *p = (u8 *)&{name} + {self.small(3)}; p[1] = p[2]; }}",
            f"{{ u32 k; memcpy(&k, {name}.b + {self.small(3)}, 4); {name}.w[1] = k; }}",
            f"{{ u64 k = 0; memcpy((u8 *)&k + {self.small(3)}, {name}.w, 4); {name}.d = k; }}",
        )
        for use in self.random.sample(uses, self.random.randint(1, 3)):
            self.line(use)
        self.scope.places += [Place(f"{name}.d", "u64", False), Place(f"{name}.b[@7]", "u8", False)]

    def shared(self) -> None:
        """Structs with the same beginning behind a pointer to that beginning."""
        name, result = self.name("k"), self.result()
        self.line(f"struct {name}_h {{ u8 tag; u16 n; }};")
        self.line(f"struct {name}_x {{ struct {name}_h h; i32 x; }} {name}_1 = {{{{1, 2}}, 3}};")
        self.line(f"struct {name}_y {{ struct {name}_h h; u64 y[2]; }} {name}_2 = {{{{2, 5}}, {{6, 7}}}};")
        self.line(f"struct {name}_h *{name} = ({self.condition(1)}) ? &{name}_1.h : &{name}_2.h;")
        self.line(f"{name}->n = {self.expression('u16', 1)};")
        self.line(f"if ({name}->tag == 1) {{ (({'struct ' + name + '_x'} *){name})->x = {self.small(7)};")
        self.line(
            f"  {result} = {name}_1.x; }} else {result} = ((struct {name}_y *){name})->y[{self.small(1)}];"
        )
        self.line(f"{result} ^= {name}_1.h.n + {name}_2.h.n;")

    # -- the heap

    def growth(self) -> None:
        """A block that is cleared when it is made and may grow."""
        name, result, kind = self.name("h"), self.result(), self.scalar()
        self.line(f"{kind} *{name} = calloc(2, sizeof *{name});")
        self.line(f"{name}[{self.small(1)}] = {self.expression(kind, 1)};")
        if self.chance(60):
            self.line(f"if ({self.condition(1)}) {{ {name} = realloc({name}, 4 * sizeof *{name});")
            self.line(f"  {name}[2] = {name}[{self.small(1)}]; {result} ^= {name}[2]; }}")
        self.line(f"{result} ^= {name}[0] ^ {name}[1]; free({name});")

    def ordered(self) -> None:
        """A list kept in order through pointers to pointers, one element taken out, all of it freed."""
        name, result, kind = self.name("l"), self.result(), self.random.choice(["u8", "i16", "u32"])
        node = f"struct {name}_n"
        self.line(f"{node} {{ {kind} v; {node} *next; }} *{name} = 0, **{name}_at, *{name}_e;")
        self.line(f"for (int i = 0; i < {self.random.randint(1, 3)}; i++) {{")
        self.line(f"  {name}_e = {self.random.choice(['malloc(', 'calloc(1, '])}sizeof *{name}_e);")
        self.line(f"  {name}_e->v = ({self.value(1)}) >> i; {name}_at = &{name};")
        self.line(f"  while (*{name}_at && (*{name}_at)->v < {name}_e->v) {name}_at = &(*{name}_at)->next;")
        self.line(f"  {name}_e->next = *{name}_at; *{name}_at = {name}_e; }}")
        self.line(f"for ({name}_at = &{name}; *{name}_at; {name}_at = &(*{name}_at)->next)")
        self.line(f"  if (({name}_e = *{name}_at)->v & {self.random.choice([1, 4])}) {{")
        self.line(f"    *{name}_at = {name}_e->next; free({name}_e); break; }}")
        self.line(f"for ({name}_e = {name}; {name}_e; {name}_e = {name}_e->next)")
        self.line(f"  {result} = ((u64){result} << 1) ^ {name}_e->v;")
        self.line(f"while (({name}_e = {name})) {{ {name} = {name}->next; free({name}_e); }}")

    def tree(self) -> None:
        """A node with two children, one of which may be missing, and a link back."""
        name, result = self.name("n"), self.result()
        node = f"struct {name}_t"
        self.line(f"{node} {{ i32 v; {node} *son[2], *up; }} *{name} = calloc(1, sizeof *{name});")
        self.line(f"{name}->v = {self.small(15)};")
        self.line(f"for (int i = 0; i < 2; i++) if (i || ({self.condition(1)})) {{")
        self.line(f"  {name}->son[i] = malloc(sizeof *{name}); {name}->son[i]->v = {self.small(7)} + i;")
        self.line(f"  {name}->son[i]->up = {name}; }}")
        self.line(f"{node} *{name}_s = {name}->son[{self.small(1)}];")
        self.line(f"if ({name}_s) {{ {name}_s->up->v += {name}_s->v; {result} ^= {name}->v; }}")
        self.line(f"free({name}->son[0]); free({name}->son[1]); free({name});")

    def flexible(self) -> None:
        """A struct with an array at its end, of a length known when it runs."""
        name, result, kind = self.name("x"), self.result(), self.scalar()
        self.line(f"struct {name}_t {{ u32 n; {kind} v[]; }} *{name}; u32 {name}_n = {self.small(3)} + 1;")
        self.line(f"{name} = malloc(sizeof *{name} + {name}_n * sizeof({kind})); {name}->n = {name}_n;")
        self.line(f"for (u32 i = 0; i < {name}->n; i++) {name}->v[i] = {self.expression(kind, 1)};")
        self.line(f"{result} ^= {name}->v[{name}_n - 1]; {result} ^= {name}->v[0]; free({name});")

    def cleanup(self) -> None:
        """Two blocks, freed on every way out, as it is done with goto."""
        name, result = self.name("e"), self.result()
        self.line(f"u16 *{name} = 0, *{name}_2 = 0;")
        self.line(f"{name} = malloc(4); if ({self.condition(1)}) goto {name}_out;")
        self.line(f"{name}_2 = malloc(2); *{name}_2 = {self.expression('u16', 1)};")
        self.line(f"{name}[{self.small(1)}] = *{name}_2; {result} ^= *{name}_2;")
        self.line(f"{name}_out: free({name}_2); free({name});")

    # -- functions as values

    def callback(self) -> None:
        """A struct with a function in it, called through a pointer to the struct."""
        plain = [f for f in self.functions if f.name.isidentifier() and f.work < 60]
        fitting = [f for f in plain if not f.result.startswith("struct") and "*" not in "".join(f.parameters)]
        fitting = [
            f for f in fitting if "struct" not in "".join(f.parameters) and "depth" not in f.parameters
        ]
        if not fitting or self.scope.times > 8:
            return self.assign()
        function = self.random.choice(fitting)
        self.scope.work += self.scope.times * function.work
        name, result = self.name("u"), self.result()
        alike = [f for f in fitting if (f.parameters, f.result) == (function.parameters, function.result)]
        other = self.random.choice(alike).name
        kinds = ", ".join(function.parameters)
        self.line(f"struct {{ u8 id; {function.result} (*go)({kinds}); }} {name}[2] = {{{{1, {other}}}}};")
        self.line(f"{name}[1].go = {function.name}; {name}[0].id = {self.small(1)};")
        arguments = ", ".join(self.argument(kind) for kind in function.parameters)
        self.line(f"{result} = {name}[{name}[0].id & 1].go({arguments});")
