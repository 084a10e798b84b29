"""The language server.

Empty so far: here will live the state of the workspace, one module per feature, and the translation
between the engine's types and those of the protocol at the edge. The only package that will know LSP.
"""
