"""What is known at a function's interface: inferred and written clauses, stubs, models of the C library."""
