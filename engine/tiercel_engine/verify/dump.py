"""`--dump model|smt`: an encoding as text for developers."""

from __future__ import annotations

import sys

from tiercel_engine.encode.model import Encoding
from tiercel_engine.smt import terms as t


def show(what: str, function: str, encoding: Encoding) -> None:
    """Writes to standard error, which the command line leaves open for dumps."""
    write = sys.stderr.write
    if what == "model":
        write(f"; {function}: {len(encoding.checks)} checks, {len(encoding.cuts)} cuts\n")
        for object in encoding.table.objects[3:]:
            write(f"object {object.ident} {object.kind} {object.name} size {object.size!r} {object.init}\n")
            for line in encoding.table.describe(object):
                write(f"    {line}\n")
        for check in encoding.checks:
            mark = "check" if check.wanted else "assumed"
            write(f"{mark} {check.site} guard {check.guard!r} violated {check.violated!r}\n")
        for cut in encoding.cuts:
            write(f"cut {cut.reason}: {cut.guard!r}\n")
    if what == "smt":
        for check in encoding.checks:
            write(f"; {check.site}\n")
            write(t.to_smtlib([*encoding.facts, t.and_(check.guard, check.violated)]))
            write("\n")
