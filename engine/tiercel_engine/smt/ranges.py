"""Bounds of bit-vectors' signed values, read off their terms.

Sound and cheap, not exact: what C's promotions and masks leave of a value is usually enough to see that
a sum in a wider type cannot overflow, which spares the solver a 128-bit multiplication.
"""

from __future__ import annotations

from tiercel_engine.smt.term import Term, table

Range = tuple[int, int]

_DEEPEST = 24
_known: dict[Term, Range] = table()


def signed_range(t: Term, depth: int = 0) -> Range:
    """Least and greatest value that the term can have, taken as signed."""
    if t.op == "const":
        return t.signed, t.signed
    found = _known.get(t)
    if found is not None:
        return found
    sign = 1 << (t.width - 1)
    whole = -sign, sign - 1
    if depth > _DEEPEST:
        return whole
    low, high = _computed(t, whole, depth + 1)
    result = (low, high) if -sign <= low and high < sign else whole
    _known[t] = result
    return result


def _computed(t: Term, whole: Range, depth: int) -> Range:
    """A range that may lie outside of the sort, which means that the operation may wrap."""
    match t.op:
        case "sext":
            return signed_range(t.args[0], depth)
        case "zext":
            low, high = signed_range(t.args[0], depth)
            return (low, high) if low >= 0 else (0, (1 << t.args[0].width) - 1)
        case "ite":
            then, otherwise = signed_range(t.args[1], depth), signed_range(t.args[2], depth)
            return min(then[0], otherwise[0]), max(then[1], otherwise[1])
        case "extract" if t.data[1] == 0:
            return signed_range(t.args[0], depth)
        case "bvadd":
            a, b = (signed_range(arg, depth) for arg in t.args)
            return a[0] + b[0], a[1] + b[1]
        case "bvsub":
            a, b = (signed_range(arg, depth) for arg in t.args)
            return a[0] - b[1], a[1] - b[0]
        case "bvneg":
            low, high = signed_range(t.args[0], depth)
            return -high, -low
        case "bvmul":
            a, b = (signed_range(arg, depth) for arg in t.args)
            corners = [i * j for i in a for j in b]
            return min(corners), max(corners)
        case "bvand":
            bounds = [high for low, high in (signed_range(arg, depth) for arg in t.args) if low >= 0]
            return (0, min(bounds)) if bounds else whole
        case "bvlshr" if t.args[1].is_const and 0 < t.args[1].data < t.width:
            return 0, ((1 << t.width) - 1) >> t.args[1].data
        case "bvashr" if t.args[1].is_const and t.args[1].data < t.width:
            low, high = signed_range(t.args[0], depth)
            return low >> t.args[1].data, high >> t.args[1].data
        case "bvurem" if t.args[1].is_const and 0 < t.args[1].data <= whole[1]:
            return 0, t.args[1].data - 1
        case "bvsrem" if t.args[1].is_const and t.args[1].data:
            most = abs(t.args[1].signed) - 1
            low, _ = signed_range(t.args[0], depth)
            return (0, most) if low >= 0 else (-most, most)
        case "bvudiv" if t.args[1].is_const and t.args[1].data > 1:
            return 0, ((1 << t.width) - 1) // t.args[1].data
        case _:
            return whole
