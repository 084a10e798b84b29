"""Abstract domains and the fixpoint that discharges checks before the solver.

Empty so far: here will live intervals, pointer facts and symbolic bounds, widening and narrowing, and
the invariants that strengthen induction. Over-approximates: what it discharges holds in every run.
"""
