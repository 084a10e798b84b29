"""One piece of undefined behaviour, put into a random program where it is known to be executed.

What stands at the program's spot is undefined the first time it is executed, and only because of the value
that something has there, which a native run tells. Its twin is the same but for a constant and defined.
`SAME` is whether the value is that one.
"""

from __future__ import annotations

from dataclasses import dataclass

from .programs import Program
from .statements import SPOT

_MIN32, _MIN64 = "(-2147483647 - 1)", "(-9223372036854775807ll - 1)"
_NEW = "i32 *h = malloc(16); h[0] = 1; h[1] = 2; h[2] = 3; h[3] = 4;"
_PAIR = "struct { i32 a, b; } s"
_NODE = "struct n { struct n *next; i32 v; } *p = malloc(16); p->v = 1; p->next = malloc(16);"
_BYTES = "u8 b[4]; b[0] = b[1] = b[3] = 0; if (!SAME) b[2] = 0;"
_FLEX = "struct f { u32 n; u16 v[]; } *h = malloc(8 + 2 * SAME); h->n = 2;"
_MAX64 = "9223372036854775807ll"
PIECES: tuple[tuple[str, str, str], ...] = (
    ("div-by-zero", "sink = 7 / (i32)!SAME;", "sink = 7 / (i32)(1 + !SAME);"),
    ("div-by-zero", "sink = 7u % (u32)(SAME ? 0 : 3);", "sink = 7u % (u32)(SAME ? 2 : 3);"),
    ("div-by-zero", "sink = (i64)-7 % (i8)(SAME ? 256 : 3);", "sink = (i64)-7 % (i8)(SAME ? 257 : 3);"),
    ("signed-overflow", "sink = (SAME ? 2147483647 : 5) + 1;", "sink = (SAME ? 2147483646 : 5) + 1;"),
    ("signed-overflow", f"sink = (SAME ? {_MIN32} : 5) - 1;", "sink = (SAME ? -2147483647 : 5) - 1;"),
    ("signed-overflow", "sink = (SAME ? 65536 : 5) * 32768;", "sink = (SAME ? -65536 : 5) * 32768;"),
    ("signed-overflow", f"sink = -(SAME ? {_MIN32} : 5);", "sink = -(SAME ? 2147483647 : 5);"),
    ("signed-overflow", f"sink = (SAME ? {_MIN32} : 5) / -1;", "sink = (SAME ? -2147483647 : 5) / -1;"),
    ("signed-overflow", f"sink = (SAME ? {_MIN64} : 5) % -1ll;", "sink = (SAME ? -2147483648ll : 5) % -1ll;"),
    ("signed-overflow", f"i64 w = SAME ? {_MAX64} : 1; w++;", "i8 w = SAME ? 127 : 1; w++;"),
    ("signed-overflow", "sink = (u16)(SAME ? 65535 : 1) * (u16)65535;",
     "sink = (u16)(SAME ? 32768 : 1) * (u16)65535;"),
    ("shift-range", "sink = 1u << (SAME ? 32 : 3);", "sink = 1u << (SAME ? 31 : 3);"),
    ("shift-range", "sink = 1u >> (SAME ? -1 : 3);", "sink = 1u >> (SAME ? 0 : 3);"),
    ("shift-range", "sink = 1ull << (SAME ? 64 : 3) != 0;", "sink = 1ull << (SAME ? 63 : 3) != 0;"),
    ("null-deref", "i32 *q = SAME ? 0 : &sink; *q = 1;", "i32 *q = SAME ? &sink : &other; *q = 1;"),
    ("null-deref", f"{_PAIR}, *q = SAME ? 0 : &s; q->b = 1;",
     f"{_PAIR}, *q = SAME ? &s : 0; if (q) q->b = 1;"),
    ("null-deref", "i32 *q = SAME ? 0 : &sink; memset(q, 0, 4);",
     "i32 *q = SAME ? 0 : &sink; if (q) memset(q, 0, 4);"),
    ("out-of-bounds", "i32 z[4] = {1}; sink = z[SAME ? 4 : 1];", "i32 z[4] = {1}; sink = z[SAME ? 3 : 1];"),
    ("out-of-bounds", "i8 z[4]; z[SAME ? -1 : 1] = 2;", "i8 z[4]; z[SAME ? 0 : 1] = 2;"),
    ("out-of-bounds", "static i16 z[4]; i16 *q = z + 2; q[SAME ? 2 : 1] = 2;",
     "static i16 z[4]; i16 *q = z + 2; q[SAME ? -2 : 1] = 2;"),
    ("out-of-bounds", f"{_NEW} sink = h[SAME ? 4 : 1]; free(h);", f"{_NEW} sink = h[SAME ? 3 : 1]; free(h);"),
    ("out-of-bounds", f"{_NEW} memset(h, 0, SAME ? 17 : 1); free(h);",
     f"{_NEW} memset(h, 0, SAME ? 16 : 1); free(h);"),
    ("out-of-bounds", f"{_NEW} memcpy(&sink, (char *)h + (SAME ? 13 : 1), 4); free(h);",
     f"{_NEW} memcpy(&sink, (char *)h + (SAME ? 12 : 1), 4); free(h);"),
    ("use-after-free", f"{_NEW} if (SAME) free(h); sink = h[1]; if (!SAME) free(h);",
     f"{_NEW} i32 k = h[1]; if (SAME) free(h); sink = k; if (!SAME) free(h);"),
    ("use-after-free", f"{_NEW} i32 *g = h + 1; free(SAME ? h : 0); *g = 3; free(SAME ? 0 : h);",
     f"{_NEW} i32 *g = h + 1; free(SAME ? 0 : h); if (SAME) {{ *g = 3; free(h); }}"),
    ("use-after-free", f"{_NODE} free(p->next); if (SAME) free(p); p->next = 0; if (!SAME) free(p);",
     f"{_NODE} free(p->next); p->next = 0; if (SAME) free(p); else free(p);"),
    ("use-after-free", "i32 *q; { i32 in = 1; q = SAME ? &in : &sink; } sink = *q;",
     "i32 *q; { i32 in = 1; q = SAME ? &sink : &in; } sink = SAME ? *q : 0;"),
    ("invalid-free", f"{_NEW} if (SAME) free(h); free(h);",
     f"{_NEW} if (SAME) {{ free(h); h = 0; }} free(h);"),
    ("invalid-free", f"{_NEW} free(h + (SAME ? 1 : 0));", f"{_NEW} i32 *q = h + 3; free(q - 3);"),
    ("invalid-free", f"{_NEW} i32 z = 0; free(SAME ? &z : h); if (SAME) free(h);",
     f"{_NEW} i32 z = 0; free(SAME ? h : 0); if (!SAME) free(h);"),
    ("memory-leak", f"{_NEW} if (!SAME) free(h);", f"{_NEW} i32 *q = h; if (SAME) q = 0; free(q ? q : h);"),
    ("memory-leak", f"{_NODE} i32 *q = 0; if (!SAME) free(p->next); free(p);",
     f"{_NODE} struct n *q = p->next; free(p); if (SAME) free(q); else free(q);"),
    ("uninit-read", "i32 u; if (!SAME) u = 1; if (u) sink = 1;",
     "i32 u; if (!SAME) u = 1; else u = 2; if (u) sink = 1;"),
    ("uninit-read", "i32 u[3]; u[SAME ? 1 : 2] = 7; sink = u[2] + 1;",
     "i32 u[3]; u[1] = u[2] = 7; sink = u[SAME ? 1 : 2] + 1;"),
    ("uninit-read", f"{_PAIR}; s.a = 1; if (!SAME) s.b = 2; if (s.b == 1) sink = 2;",
     f"{_PAIR}; s.a = 1; s.b = SAME; if (s.b == 1) sink = 2;"),
    ("uninit-read", "i16 *h = malloc(4); h[0] = 1; if (h[SAME]) sink = 1; free(h);",
     "i16 *h = malloc(4); h[SAME] = 1; if (h[SAME]) sink = 1; free(h);"),
    ("uninit-read", f"{_BYTES} u32 w; memcpy(&w, b, 4); if (w > 4) sink = 1;",
     f"{_BYTES} u16 w; memcpy(&w, b, 2); if (w > 4) sink = 1;"),
    ("out-of-bounds", "char z[4]; strcpy(z, SAME ? \"abcd\" : \"ab\"); sink = z[0];",
     "char z[4]; strcpy(z, SAME ? \"abc\" : \"ab\"); sink = z[0];"),
    ("out-of-bounds", "char z[3] = {1, 2, SAME ? 3 : 0}; sink = strlen(z);",
     "char z[3] = {1, SAME ? 0 : 1, 0}; sink = strlen(z);"),
    ("out-of-bounds", "char z[4] = \"abc\"; strcat(z, SAME ? \"d\" : \"\");",
     "char z[5] = \"abc\"; strcat(z, SAME ? \"d\" : \"\");"),
    ("out-of-bounds", "u8 z[4] = {0}, y[5] = {0}; sink = memcmp(y, z, SAME ? 5 : 4);",
     "u8 z[4] = {0}, y[5] = {0}; sink = memcmp(y + 1, z, SAME ? 4 : 3);"),
    ("out-of-bounds", "i32 z[2][3] = {{1}}; sink = z[SAME ? 2 : 1][0];",
     "i32 z[2][3] = {{1}}; sink = z[SAME ? 1 : 0][2];"),
    ("out-of-bounds", "u8 *h = calloc(SAME ? 2 : 3, 2); h[4] = 1; free(h);",
     "u8 *h = calloc(SAME ? 3 : 4, 2); sink = h[4]; free(h);"),
    ("out-of-bounds", f"{_FLEX} h->v[SAME ? 3 : 1] = 4; free(h);",
     f"{_FLEX} h->v[SAME ? 2 : 1] = 4; free(h);"),
    ("null-deref", "char *q = SAME ? 0 : \"a\"; sink = strlen(q);",
     "char *q = SAME ? \"\" : 0; sink = q ? strlen(q) : 0;"),
    ("null-deref", "char z[4] = \"a\"; *strchr(z, SAME ? 'b' : 'a') = 'c';",
     "char z[4] = \"a\"; *strchr(z, SAME ? 0 : 'a') = 'c';"),
    ("null-deref", "i32 z = 1, *p = &z, **q = SAME ? 0 : &p; sink = **q;",
     "i32 z = 1, *p = SAME ? &z : 0, **q = &p; if (*q) sink = **q;"),
    ("use-after-free", f"{_NEW} i32 *g = SAME ? realloc(h, 32) : h; sink = h[0]; free(g);",
     f"{_NEW} i32 *g = SAME ? realloc(h, 32) : h; sink = g != 0; free(g);"),
    ("use-after-free",
     f"{_NODE} struct n *q = p->next; if (SAME) free(q); q->v = 0; if (!SAME) free(q); free(p);",
     f"{_NODE} struct n *q = p->next; free(SAME ? p : 0); q->v = 0; free(q); if (!SAME) free(p);"),
    ("uninit-read", "char z[4]; z[0] = 1; z[1] = SAME; z[3] = 0; sink = strlen(z);",
     "char z[4]; z[0] = SAME; z[1] = 0; sink = strlen(z);"),
    ("uninit-read", "u8 z[4], y[4] = {0}; memset(z, 0, 3); if (!SAME) z[3] = 0; sink = memcmp(z, y, 4);",
     "u8 z[4], y[4] = {0}; memset(z, 0, 3); if (!SAME) z[3] = 0; sink = memcmp(z, y, 3);"),
    ("uninit-read", "struct { u8 a : 3, b : 5; } s; s.a = 1; if (!SAME) s.b = 2; if (s.b == 2) sink = 1;",
     "struct { u8 a : 3, b : 5; } s; s.a = 1; if (!SAME) s.b = 2; if (s.a == 2) sink = 1;"),
    ("uninit-read",
     "union { u32 w; u8 b[4]; } s; s.b[0] = s.b[1] = s.b[3 - SAME] = s.b[2] = 0; if (s.w) sink = 1;",
     "union { u32 w; u16 b[2]; } s; s.b[SAME] = 0; s.b[!SAME] = 0; if (s.w) sink = 1;"),
    ("uninit-read", f"{_PAIR}, r; s.a = 1; if (!SAME) s.b = 1; r = s; sink = r.b / 3;",
     f"{_PAIR}, r; s.a = 1; if (!SAME) s.b = 1; r = s; sink = r.a / 3;"),
    ("invalid-free", f"{_NEW} i32 **q = malloc(8); *q = h; free(h); if (SAME) free(*q); free(q);",
     f"{_NEW} i32 **q = malloc(8); *q = h; if (SAME) free(*q); free(q); if (!SAME) free(h);"),
    ("invalid-free", "static i32 z; free(SAME ? &z : 0);",
     "static i32 z; free(SAME ? 0 : (void *)0); z = 1;"),
    ("invalid-free", "char *q = SAME ? \"a\" : 0; free(q);", "char *q = SAME ? calloc(1, 1) : 0; free(q);"),
    ("memory-leak", f"{_NEW} if (SAME) h = malloc(4); free(h);",
     f"{_NEW} if (SAME) {{ free(h); h = malloc(4); }} free(h);"),
    ("memory-leak", f"{_NODE} if (!SAME) free(p->next); memset(p, 0, 16); free(p);",
     f"{_NODE} struct n q; memcpy(&q, p, 16); free(p); if (SAME) p = q.next; else p = q.next; free(p);"),
    ("memory-leak",
     "char *q[2] = {calloc(1, 3), calloc(2, 1)}; free(q[0]); free(q[!SAME] == q[0] ? 0 : q[!SAME]);",
     "char *q[2] = {calloc(1, 3), calloc(2, 1)}; free(q[SAME]); free(q[!SAME]);"),
    ("unreachable", "if (SAME) __builtin_unreachable();", "if (SAME) sink++; sink &= 3;"),
)  # fmt: skip
"""Kinds of checks, with what fails one and its twin that fails none."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """A program with an undefined piece in `bad`, and its twin; `line` of the text is where."""

    kind: str
    bad: str
    good: str
    line: int


def probed(program: Program) -> str:
    """The program, changed to count how often it gets to its spot, in `s<seed>_count`, and to note what its
    probe is the first time, in `s<seed>_value`."""
    name = f"s{program.seed}"
    note = f"if (!{name}_count++) {name}_value = (i64)({program.probe});"
    head = f"static u32 {name}_count; static i64 {name}_value;\n"
    return head + program.text.replace(SPOT, note)


def undefined(program: Program, value: int, which: int) -> Undefined:
    """`value` is what the probe is (as 64 bits) the first time."""
    kind, bad, good = PIECES[which]
    name = f"s{program.seed}"
    head = f"static i32 {name}_sink, {name}_other;\n"
    same = f"((u64)(i64)({program.probe}) == {value}ull)"
    texts = []
    for piece in (bad, good):
        piece = piece.replace("SAME", same).replace("sink", f"{name}_sink").replace("other", f"{name}_other")
        texts.append(head + program.text.replace(SPOT, f"{{ {piece} }}"))
    line = (head + program.text).split(SPOT)[0].count("\n") + 1
    return Undefined(kind, texts[0], texts[1], line)
