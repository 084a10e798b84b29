"""SPECTACKLE: likely preconditions and certain postconditions of functions (002, section IV).

    infer.py        the entry point: one unit's functions, callees first; what is remembered
    flow.py         a body made ready: what leads to a block, what decides it, what it always comes to
    evaluation.py   what registers hold, in terms of the entry (values.py, writes.py, types.py)
    conditions.py   facts and guards of blocks (comparisons.py)
    induction.py    counted loops
    requires.py     what instructions need: claims (callees.py, relations.py, library.py)
    claims.py       `pre`, guards, and which claims of a function become clauses
    ensures.py      what is certain when a function returns (ranges.py)
    summary.py      what callers are told

Preconditions are guesses: they over- or under-approximate what the function needs, and whoever assumes
one says so. Evaluation is therefore lenient where it reads memory. Postconditions are facts: they hold
whenever the function returns, whatever it was called with, as far as it kept from failing; what is not
certain is left out, and nothing of evaluation.py is used for them.
"""
