"""Small things that every room may use: errors, hashing. No domain knowledge, no I/O."""
