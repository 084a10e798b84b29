"""The contract language: function contracts of ACSL, read, printed and rewritten into C.

    comments   finds `/*@ … */` and `//@ …` above functions in C text
    annotations   contracts that are C: `__CPROVER_requires(…)`, `preCond(…)`
    lexer, parser   the text of a comment → `tree`
    printer    `tree` → text; printing and parsing again gives the same tree
    rewrite    clauses → C functions that clang types and compiles, without moving a line

A clause means what its C function computes: it holds if evaluating it reads nothing invalid and gives a
value other than zero. Arithmetic is done in 128 bits, and what does not fit there is noticed when it is
evaluated (encode/clauses.py). The room knows nothing of compilers, files or formulas; what is wrong with
a contract is a `Complaint` with its place, never an exception.
"""
