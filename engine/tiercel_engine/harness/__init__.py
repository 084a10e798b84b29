"""A trace becomes a C test that is compiled, run and judged.

Empty so far: here will live the faithful replay (instrumented IR) and the real one (a C file that calls
the function with the inputs found). With `frontend` the only room that starts programs.
"""
