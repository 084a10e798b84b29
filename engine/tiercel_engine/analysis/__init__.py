"""Facts about one function or module that need no solver: control flow, loops, SSA form, call graph.

Input: `ir` values. Output: frozen facts, or a rewritten `Function`. This room knows nothing of C, of
checks or of formulas; every walk is iterative, since a function may have thousands of blocks.
"""
