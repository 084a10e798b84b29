"""Tiercel's verification engine: from C to verdicts. See ARCHITECTURE.md for the rooms."""
