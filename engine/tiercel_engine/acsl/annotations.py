"""Contracts that are C: CBMC's `__CPROVER_requires(…)` and `__CPROVER_ensures(…)` behind a declarator, and
`preCond(…)` of tiercel.h at the start of a body. What is in the parentheses means what it means in C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tiercel_engine.acsl.tree import Clause, Complaint, Verbatim

PREFIX = "__tiercel_"
"""What the engine's own functions and records begin with."""
CPROVER = "__CPROVER_"
RETURN_VALUE = "__CPROVER_return_value"
PRECONDITION = "preCond"
WRITTEN = re.compile(rf"\b(?:__CPROVER_(?:requires|ensures|assigns|frees)|{PRECONDITION})\b")
STUB_API = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]tiercel\.h[">]', re.MULTILINE)
CLAUSES = {"__CPROVER_requires": "requires", "__CPROVER_ensures": "ensures"}
_CHANGES = re.compile(r"(?<![=<>!])=(?!=)|<<=|>>=|\+\+|--")
_UNSUPPORTED = ("__CPROVER_assigns", "__CPROVER_frees")
_KNOWN = (
    RETURN_VALUE,
    "__CPROVER_old",
    "__CPROVER_r_ok",
    "__CPROVER_w_ok",
    "__CPROVER_rw_ok",
    "__CPROVER_is_fresh",
)

_MACROS = {
    RETURN_VALUE: (RETURN_VALUE, f"{PREFIX}result"),
    "__CPROVER_old": (
        "__CPROVER_old(x)",
        f"(__extension__ ({{ {PREFIX}old_begin(); __typeof__(x) {PREFIX}kept = (x); {PREFIX}old_end();"
        f" {PREFIX}kept; }}))",
    ),
    **{
        f"__CPROVER_{name}": (
            f"__CPROVER_{name}(p, ...)",
            f"{PREFIX}valid((p), 1, 0, __CPROVER_last(sizeof(*(p)) __VA_OPT__(* 0 + (__VA_ARGS__))), {mode})",
        )
        for name, mode in (("r_ok", 0), ("w_ok", 1), ("rw_ok", 1), ("is_fresh", 1))
    },
    "__CPROVER_last": (
        "__CPROVER_last(n)",
        "((unsigned long long)(n) > (1ULL << 60) ? 1LL << 60 : (long long)(n) - 1)",
    ),
}
"""What CBMC's names mean in a clause. To be fresh is to be valid here: that inputs are objects of their own
is what `--alias distinct` says."""
DEFINED = "\n" + "".join(
    f'#pragma push_macro("{name}")\n#undef {name}\n#define {head} {body}\n'
    for name, (head, body) in _MACROS.items()
)
UNDEFINED = "\n" + "".join(f'#undef {name}\n#pragma pop_macro("{name}")\n' for name in _MACROS)


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a C text, or the space, comment or directive between two."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Annotated:
    """Clauses that are C, what is wrong with them, and the pieces that are left without them."""

    clauses: tuple[Clause, ...]
    complaints: tuple[Complaint, ...]
    rest: tuple[Piece, ...]


def behind_declarator(pieces: Sequence[Piece], text: str) -> Annotated:
    """The clauses among the words of a declaration."""
    clauses: list[Clause] = []
    complaints: list[Complaint] = []
    rest: list[Piece] = []
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        end = _closed(pieces, at + 1)
        if piece.text not in (*CLAUSES, *_UNSUPPORTED) or end is None:
            rest.append(piece)
            at += 1
            continue
        if piece.text in _UNSUPPORTED:
            complaints.append(Complaint(f"`{piece.text}` is not supported", piece.start))
        else:
            _read(CLAUSES[piece.text], pieces[at : end + 1], text, clauses, complaints)
        at = end + 1
    return Annotated(tuple(clauses), tuple(complaints), tuple(rest))


def at_start(pieces: Sequence[Piece], text: str) -> Annotated:
    """The preconditions that a body begins with; `rest` are the words `preCond` of these."""
    clauses: list[Clause] = []
    complaints: list[Complaint] = []
    names: list[Piece] = []
    words = [piece for piece in pieces if piece.kind not in ("space", "block", "line")]
    at = 0
    while at < len(words) and words[at].text == PRECONDITION:
        end = _closed(words, at + 1)
        if end is None or [piece.text for piece in words[end + 1 : end + 2]] != [";"]:
            break
        _read("requires", words[at : end + 1], text, clauses, complaints)
        names.append(words[at])
        at = end + 2
    return Annotated(tuple(clauses), tuple(complaints), tuple(names))


def _closed(pieces: Sequence[Piece], start: int) -> int | None:
    """Where the parenthesis that opens at `start` closes."""
    if [piece.text for piece in pieces[start : start + 1]] != ["("]:
        return None
    depth = 0
    for at in range(start, len(pieces)):
        depth += {"(": 1, ")": -1}.get(pieces[at].text, 0)
        if pieces[at].text in ("{", "}", ";") or pieces[at].kind == "directive":
            return None
        if not depth:
            return at
    return None


def _read(
    kind: str, pieces: Sequence[Piece], text: str, clauses: list[Clause], complaints: list[Complaint]
) -> None:
    """One clause: its keyword, and the words in parentheses."""
    inner = pieces[2:-1]
    if not inner:
        complaints.append(Complaint("expected a condition", pieces[-1].start))
        return
    for piece in inner:
        fresh = kind == "ensures" and piece.text == "__CPROVER_is_fresh"
        if piece.text.startswith(CPROVER) and (fresh or piece.text not in _KNOWN):
            complaints.append(Complaint(f"`{piece.text}` is not supported in `{kind}`", piece.start))
            return
        if piece.text == RETURN_VALUE and kind != "ensures":
            complaints.append(Complaint(f"`{RETURN_VALUE}` is for `ensures` only", piece.start))
            return
        if piece.text == "__CPROVER_old" and kind != "ensures":
            complaints.append(Complaint(f"`__CPROVER_old` cannot stand in `{kind}`", piece.start))
            return
    start = inner[0].start
    spelled = list(re.sub(r"[^\n]", " ", text[start : inner[-1].end]))
    for piece in inner:
        spelled[piece.start - start : piece.end - start] = piece.text
    condition = "".join(spelled)
    changes = _CHANGES.search(condition)
    if changes is not None:
        complaints.append(Complaint("a condition changes nothing", start + changes.start()))
        return
    clauses.append(Clause(kind, (Verbatim(condition, start),), pieces[0].start))
