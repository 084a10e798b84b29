"""Differential tests: random C programs whose real behaviour is known, against the engine's verdicts."""
