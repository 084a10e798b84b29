"""What to ask the solver in which order, and the verdicts that follow from its answers.

`function.py` is the strategy for one function, `ask.py` puts an encoding's questions to a solver,
`results.py` words the answers. Nothing here knows of files, processes or the command line.
"""
