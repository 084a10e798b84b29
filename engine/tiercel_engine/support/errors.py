"""What the user got wrong, as opposed to what we got wrong.

A `TiercelError` is a message for a person (a missing file, a syntax error, an unknown option) and ends
in exit status 2 or in a diagnostic, never in a traceback. What *we* got wrong stays an assertion.
"""

from __future__ import annotations


class TiercelError(Exception):
    """Something is wrong with the input or its surroundings; `hint` says what to do about it.

    All fields travel in `args`, so that an error raised in a worker process arrives whole.
    """

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, file, line, column, hint)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.hint = hint

    @property
    def place(self) -> str:
        """`file:line:column` as far as it is known, else the empty string."""
        if self.file is None:
            return ""
        numbers = [str(n) for n in (self.line, self.column) if n is not None]
        return ":".join([self.file, *numbers])

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message
