"""A counterexample becomes a C test that is compiled, run and judged.

In: a counterexample as numbers (`trace.counterexample`) and the file that it is about. Out: the files of
a harness (`generate`), a verdict (`replay`). With `frontend` the only room that starts programs; what it
starts runs within limits (`sandbox`). It must not know how a counterexample was found.
"""
