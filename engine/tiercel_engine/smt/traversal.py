"""Iterative walks over term graphs: order, size, variables, substitution.

Nothing here recurses: a loop unrolled many times gives terms far deeper than Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tiercel_engine.smt import arrays, bitvectors, booleans, comparisons, floats, integers
from tiercel_engine.smt.term import Term


def postorder(terms: Iterable[Term]) -> list[Term]:
    """Every distinct subterm once, arguments before what uses them."""
    seen: set[Term] = set()
    order: list[Term] = []
    for root in terms:
        if root in seen:
            continue
        stack = [root]
        while stack:
            term = stack[-1]
            if term in seen:
                stack.pop()
                continue
            height = len(stack)
            for arg in term.args:
                if arg not in seen:
                    stack.append(arg)
            if len(stack) == height:
                seen.add(term)
                order.append(term)
                stack.pop()
    return order


def _reachable(terms: Iterable[Term]) -> set[Term]:
    seen = set(terms)
    stack = list(seen)
    while stack:
        for arg in stack.pop().args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return seen


def size(terms: Term | Iterable[Term]) -> int:
    """The number of distinct subterms."""
    return len(_reachable([terms] if isinstance(terms, Term) else terms))


def variables(terms: Term | Iterable[Term]) -> list[Term]:
    """The free variables, in order of creation."""
    found = _reachable([terms] if isinstance(terms, Term) else terms)
    return sorted((t for t in found if t.op == "var"), key=lambda t: t.ident)


def _by_args(function: Callable[..., Term]) -> Callable[[Term, tuple[Term, ...]], Term]:
    return lambda term, args: function(*args)


def _by_width(function: Callable[[Term, int], Term]) -> Callable[[Term, tuple[Term, ...]], Term]:
    return lambda term, args: function(args[0], term.sort.width)


def _by_sort(function: Callable[..., Term]) -> Callable[[Term, tuple[Term, ...]], Term]:
    return lambda term, args: function(args[0], term.sort)


def _builders() -> dict[str, Callable[[Term, tuple[Term, ...]], Term]]:
    table = {
        "not": _by_args(booleans.not_),
        "and": _by_args(booleans.and_),
        "or": _by_args(booleans.or_),
        "extract": lambda term, args: bitvectors.extract(term.data[0], term.data[1], args[0]),
        "const_array": lambda term, args: arrays.const_array(term.sort, args[0]),
    }
    plain = {
        booleans: "implies ite",
        bitvectors: "bvadd bvsub bvmul bvudiv bvurem bvsdiv bvsrem bvand bvor bvxor bvnot bvneg "
        "bvshl bvlshr bvashr concat",
        comparisons: "eq ult ule slt sle sadd_overflow ssub_overflow smul_overflow "
        "uadd_overflow usub_overflow umul_overflow",
        arrays: "select store",
        integers: "int_add int_sub int_mul int_neg int_div int_mod int_lt int_le bv_to_int",
        floats: "fp_add fp_sub fp_mul fp_div fp_neg fp_abs fp_sqrt fp_eq fp_lt fp_le "
        "fp_is_nan fp_is_inf fp_is_zero fp_to_bits",
    }
    for module, names in plain.items():
        for name in names.split():
            table[name] = _by_args(getattr(module, name))
    to_width = [bitvectors.zext, bitvectors.sext, integers.int_to_bv, floats.fp_to_sbv, floats.fp_to_ubv]
    for function in to_width:
        table[function.__name__] = _by_width(function)
    for conversion in (floats.fp_from_bits, floats.fp_to_fp, floats.fp_from_sbv, floats.fp_from_ubv):
        table[conversion.__name__] = _by_sort(conversion)
    return table


BUILDERS = _builders()
"""For each operator, the folding constructor of `term`'s operator on other arguments."""


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """`term` with other arguments, folded."""
    return BUILDERS[term.op](term, args)


def substitute(term: Term, replacement: Mapping[Term, Term]) -> Term:
    """`term` with variables (or any subterms) replaced simultaneously, folded anew."""
    return substitute_all([term], replacement)[0]


def substitute_all(terms: Iterable[Term], replacement: Mapping[Term, Term]) -> list[Term]:
    """`substitute` on several terms, sharing the work."""
    roots = list(terms)
    done: dict[Term, Term] = dict(replacement)
    for term in postorder(roots):
        if term in done:
            continue
        args = tuple([done[arg] for arg in term.args])
        done[term] = term if args == term.args else rebuild(term, args)
    return [done[root] for root in roots]
