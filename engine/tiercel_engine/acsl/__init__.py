"""The contract language: read, print and rewrite ACSL into C.

Empty so far: here will live the reader of `/*@ requires … */` comments, the printer of clauses and the
rewriting of contracts into calls that clang types, without moving a line.
"""
