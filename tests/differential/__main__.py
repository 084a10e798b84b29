"""`python -m tests.differential FIRST LAST [KIND ...]`: a campaign over seeds, with kinds of `campaign`.

Prints the wrong answers as they are found, and counts in the end.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .campaign import Tally, functions, loops, programs, undefined_pieces

_KINDS = {"programs": programs, "loops": loops, "undefined": undefined_pieces, "functions": functions}
_BATCH = 10


def main(first: int, last: int, kinds: list[str]) -> None:
    for kind in kinds:
        total = Tally()
        for start in range(first, last, _BATCH):
            with tempfile.TemporaryDirectory() as folder:
                tally = _KINDS[kind](range(start, min(start + _BATCH, last)), Path(folder))
            for sentence in [*tally.wrong, *(f"seed {seed} is invalid" for seed in tally.invalid)]:
                sys.stdout.write(f"{kind}: {sentence}\n")
            total.add(tally)
            sys.stdout.write(f"{kind} < {start + _BATCH}: {total.asked} asked, {total.decided} decided, ")
            sys.stdout.write(f"{len(total.wrong)} wrong\n")
            sys.stdout.flush()
        for reason, count in total.reasons.most_common():
            sys.stdout.write(f"{kind}: {count} × {reason}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(_KINDS))
