"""Verdicts kept between runs.

`database` is the SQLite file: keys and texts, nothing else. `codec` turns a verdict into text and back, with
every place in it as "the n-th instruction of function f" (`placing`), so that a verdict follows its code when
lines move. `fingerprint` names the engine that a verdict came from. Nothing here decides whether a verdict
still holds: project/plan.py does. A store that cannot be read or written costs time, never a wrong answer:
rows have checksums, and what is wrong with one makes it a miss. Tests: tests/engine/store.
"""
