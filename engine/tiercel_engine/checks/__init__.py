"""What can go wrong: one module per check, with its condition, wording, severity and CWE number."""
