"""Imported by the fork server alone, for its effect: workers write nothing to the terminal.

A pool that stops closes its pipes before it kills its workers, so one that is just starting would
print a traceback; solvers written in C++ complain on stderr before they abort. Neither tells anything
that the verdict does not. `Workers(quiet=False)` leaves this module out.
"""

from __future__ import annotations

import os

_nowhere = os.open(os.devnull, os.O_WRONLY)
os.dup2(_nowhere, 2)
os.close(_nowhere)
