"""Files, functions and the processes that verify them.

`workers` runs jobs in processes that can be killed; `worker` is the part that lives in those
processes; `selection` says which functions of a unit are the user's; `warnings` turns compiler
warnings that are checks in themselves into verdicts. A job never raises: what goes wrong in a worker
is a verdict (`unknown` or `error`) with its reason. Tests: tests/engine/project.
"""
