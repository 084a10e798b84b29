"""A witness called false becomes a better contract (CEGER, 002 section V.B).

    Opened (verify/refining.py)   the function encoded again, with a solver
      │ places    the source's words for what callers control, and for what calls beyond the scope gave
      │ cube      the literals that hold in the model and make the check fail: the weakest precondition along
      │           the witness, sliced by construction; made smaller with the solver
      │ sums, formulas   literals and sizes → ACSL, with what it means in mathematical integers
      │ candidates       what a person would write instead of the bare negation
      ▼ search    the cheapest clauses that the solver finds to exclude the witness
    Refinement    refused only if nothing can be said, with the reason

A formula's words and its meaning are made together, and every clause is judged by its meaning: a candidate
that is wrong (because something wraps around, say) is found out and not offered. What is offered is compiled
and verified once more before a user sees it (project/refining.py).

Not known here: files, text, processes, solvers' libraries.
"""
