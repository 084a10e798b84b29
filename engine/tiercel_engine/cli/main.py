"""Entry point of `tiercel`. Imports next to nothing at the top: worker processes re-import the main
module, and `svcomp` counts its time from here."""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import os
import sys
import time

STARTED = time.monotonic()

FOUND_NOTHING, FOUND_ALARMS, BAD_INPUT, UNKNOWN = 0, 1, 2, 3
INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Runs one command line and returns its exit status; never raises."""
    ours, flags = arguments, []
    if "--" in arguments:
        cut = arguments.index("--")
        ours, flags = arguments[:cut], arguments[cut + 1 :]
    try:
        from tiercel_engine.cli.application import application

        application(args=ours, prog_name="tiercel", obj=tuple(flags))
    except SystemExit as stop:
        return _status(stop.code)
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output left; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_INPUT
    except Exception as failure:
        return _report(failure)
    return FOUND_NOTHING


def _report(failure: Exception) -> int:
    from tiercel_engine.support.errors import TiercelError

    if os.environ.get("TIERCEL_DEBUG"):
        import traceback

        traceback.print_exc()
    if isinstance(failure, TiercelError):
        _complain(f"error: {failure}" + (f" ({failure.hint})" if failure.hint else ""))
    else:
        said = " ".join(str(failure).split())
        _complain(
            f"internal error {type(failure).__name__}{': ' if said else ''}{said}, please report "
            "(TIERCEL_DEBUG=1 shows where)"
        )
    return BAD_INPUT


def _complain(text: str) -> None:
    print(f"tiercel: {text}", file=sys.stderr)


def _status(code: object) -> int:
    if code is None:
        return FOUND_NOTHING
    return code if isinstance(code, int) else BAD_INPUT


def app() -> None:
    """The console script."""
    raise SystemExit(main(sys.argv[1:]))


if __name__ == "__main__":
    app()
