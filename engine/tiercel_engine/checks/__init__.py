"""One module per check: its condition on terms and its wording.

Code, module, sample folder and documentation share one name (`null-deref`, `null_deref.py`,
`samples/null_deref/`, `docs/checks/null-deref.md`). A check knows nothing of paths, solvers or LLVM.
"""
