"""From a model to what happened, in the programmer's terms.

Input are the encoder's events, an evaluation of terms in a satisfying model and the debug
information; output is a `Trace` of source-level steps, and its text and JSON forms. This room asks
no solver itself (it is handed `evaluate`) and reads no files (it is handed source lines).
Tests: tests/engine/trace.
"""
