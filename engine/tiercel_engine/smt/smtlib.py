"""SMT-LIB 2 text of terms, for `--dump smt` and for solvers run by hand.

Shared nodes become `define-fun`s in dependency order, so the text is linear in the graph and never
nests deeper than `_DEEPEST`. `fp_to_bits` becomes a declared bit-vector with its defining assertion,
as in the solvers.
"""

from __future__ import annotations

from collections.abc import Iterable

from tiercel_engine.smt.sorts import BOOL, BV, INT, FloatSort
from tiercel_engine.smt.term import Term
from tiercel_engine.smt.traversal import postorder

_DEEPEST = 40

_NAMES = {
    "implies": "=>",
    "eq": "=",
    "ult": "bvult",
    "ule": "bvule",
    "slt": "bvslt",
    "sle": "bvsle",
    "sadd_overflow": "bvsaddo",
    "ssub_overflow": "bvssubo",
    "smul_overflow": "bvsmulo",
    "uadd_overflow": "bvuaddo",
    "usub_overflow": "bvusubo",
    "umul_overflow": "bvumulo",
    "int_add": "+",
    "int_sub": "-",
    "int_neg": "-",
    "int_mul": "*",
    "int_div": "div",
    "int_mod": "mod",
    "int_lt": "<",
    "int_le": "<=",
    "bv_to_int": "ubv_to_int",
    "fp_add": "fp.add RNE",
    "fp_sub": "fp.sub RNE",
    "fp_mul": "fp.mul RNE",
    "fp_div": "fp.div RNE",
    "fp_sqrt": "fp.sqrt RNE",
    "fp_neg": "fp.neg",
    "fp_abs": "fp.abs",
    "fp_eq": "fp.eq",
    "fp_lt": "fp.lt",
    "fp_le": "fp.leq",
    "fp_is_nan": "fp.isNaN",
    "fp_is_inf": "fp.isInfinite",
    "fp_is_zero": "fp.isZero",
}


def _symbol(name: str) -> str:
    return "|" + name.replace("|", "!").replace("\\", "!") + "|"


def _literal(term: Term) -> str:
    sort = term.sort
    if sort is BOOL:
        return "true" if term.data else "false"
    if sort is INT:
        return str(term.data) if term.data >= 0 else f"(- {-term.data})"
    if isinstance(sort, BV):
        if sort.width % 4 == 0:
            return f"#x{term.data:0{sort.width // 4}x}"
        return f"#b{term.data:0{sort.width}b}"
    assert isinstance(sort, FloatSort), f"a constant of sort {sort}"
    bits = f"{term.data:0{sort.width}b}"
    return f"(fp #b{bits[0]} #b{bits[1 : 1 + sort.exponent]} #b{bits[1 + sort.exponent :]})"


def _head(term: Term) -> str:
    """The operator with its indices, as it stands after the opening parenthesis."""
    op, sort = term.op, term.sort
    if op == "extract":
        return f"(_ extract {term.data[0]} {term.data[1]})"
    if op in ("zext", "sext"):
        name = "zero_extend" if op == "zext" else "sign_extend"
        return f"(_ {name} {sort.width - term.args[0].sort.width})"
    if op == "const_array":
        return f"(as const {sort!r})"
    if op == "int_to_bv":
        return f"(_ int_to_bv {sort.width})"
    if op in ("fp_to_sbv", "fp_to_ubv"):
        return f"(_ {op.replace('fp_', 'fp.')} {sort.width}) RTZ"
    if op in ("fp_from_bits", "fp_to_fp", "fp_from_sbv", "fp_from_ubv"):
        name = "to_fp_unsigned" if op == "fp_from_ubv" else "to_fp"
        rounding = "" if op == "fp_from_bits" else " RNE"
        return f"(_ {name} {sort.exponent} {sort.significand}){rounding}"
    return _NAMES.get(op, op)


def to_smtlib(terms: Iterable[Term]) -> str:
    """A script that asserts every term of `terms` and asks `(check-sat)`."""
    roots = list(terms)
    order = postorder(roots)
    uses: dict[Term, int] = {}
    for term in order:
        for arg in term.args:
            uses[arg] = uses.get(arg, 0) + 1
    lines = ["(set-logic ALL)"]
    text: dict[Term, str] = {}
    depth: dict[Term, int] = {}
    for term in order:
        if term.op == "const":
            text[term] = _literal(term)
        elif term.op == "var":
            text[term] = _symbol(term.data)
            lines.append(f"(declare-const {text[term]} {term.sort!r})")
        elif term.op == "fp_to_bits":
            text[term] = _symbol(f"bits.{term.ident}")
            lines.append(f"(declare-const {text[term]} {term.sort!r})")
            source = term.args[0].sort
            back = f"((_ to_fp {source.exponent} {source.significand}) {text[term]})"
            lines.append(f"(assert (= {back} {text[term.args[0]]}))")
        else:
            body = f"({_head(term)} {' '.join([text[arg] for arg in term.args])})"
            depth[term] = 1 + max([depth.get(arg, 0) for arg in term.args])
            if uses.get(term, 0) > 1 or depth[term] > _DEEPEST:
                text[term], depth[term] = _symbol(f"t.{term.ident}"), 0
                lines.append(f"(define-fun {text[term]} () {term.sort!r} {body})")
            else:
                text[term] = body
    lines.extend(f"(assert {text[root]})" for root in roots)
    lines.append("(check-sat)")
    return "\n".join(lines) + "\n"
