"""Terms and solvers. The only room that imports z3 or bitwuzla.

`terms` builds hash-consed terms that fold at construction; `solver` answers questions about them
honestly (SAT, UNSAT, TIMEOUT and ERROR are different answers, a model can be had only after SAT).
Tests: tests/engine/smt.
"""
