"""The language server: what a programmer sees of the engine while typing. The only package that knows LSP.

`main` starts it, `server` is the pygls server with its state, `workspace` knows folders and their settings,
`features/` has one module for each thing that a client can ask for. Features speak the engine's types
(`project.views`); they are translated at the edge: `to_lsp` and `from_lsp`. `ranges` reads expressions in a
line of C. The event loop's thread is the only one that changes state. Tests: tests/server.
"""
