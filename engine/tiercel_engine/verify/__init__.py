"""What to ask the solver in which order, and the verdicts that follow from its answers."""
