"""Guesses about what holds in every iteration of a loop; `encode.loops` keeps what is inductive."""
