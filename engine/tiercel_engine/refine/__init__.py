"""A witness called false becomes a better contract (CEGER).

Empty so far: here will live the weakest precondition along a witness, its slicing and generalisation,
and the clauses that are offered to the user.
"""
