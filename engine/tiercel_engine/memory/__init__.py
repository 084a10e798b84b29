"""How memory is represented in terms: one interface, one module per memory model."""
