"""Checks in blocks that no path leads to, so that they are listed all the same.

What a check is about is read off the instruction alone; its guard is FALSE. Behind a reachable cut it
still is `bounded` or `unknown`, since the block may be reached there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiercel_engine.checks import (
    assertion,
    div_by_zero,
    null_deref,
    out_of_bounds,
    shift_range,
    signed_overflow,
    unreachable,
)
from tiercel_engine.checks.wording import Finding
from tiercel_engine.encode.model import Check
from tiercel_engine.encode.state import Frame
from tiercel_engine.ir.instructions import Binary, Call, Instruction, Load, Store, Unreachable
from tiercel_engine.ir.types import Int
from tiercel_engine.ir.values import GlobalRef, Reg, Value
from tiercel_engine.smt.terms import FALSE

if TYPE_CHECKING:
    from tiercel_engine.encode.encoder import Encoder

_POINTS = ("__assert_fail", "__assert_rtn", "__assert", "reach_error", "__VERIFIER_error")


def record(encoder: Encoder, frame: Frame) -> None:
    """Records the checks of the frame's blocks that were never run."""
    known = {check.site for check in encoder.out.checks}
    for name, block in frame.body.cfg.blocks.items():
        if (frame.name, name) in encoder.visited:
            continue
        ended = False
        for instruction in block.instructions:
            if isinstance(instruction, Unreachable) and ended:
                continue
            ended = isinstance(instruction, Call) and _does_not_return(encoder, instruction)
            for finding in _findings(frame, instruction):
                site = (finding.kind, frame.name, instruction.loc, 0)
                if finding.kind not in encoder.settings.checks or site in known:
                    continue
                known.add(site)
                encoder.out.checks.append(
                    Check(
                        finding, FALSE, FALSE, site, instruction.loc, frame.name, frame.depth,
                        len(encoder.out.events), len(encoder.out.checks),
                    )
                )  # fmt: skip


def _does_not_return(encoder: Encoder, call: Call) -> bool:
    signature = (
        encoder.module.signatures.get(call.callee.name) if isinstance(call.callee, GlobalRef) else None
    )
    return "noreturn" in call.attrs or (signature is not None and "noreturn" in signature.attrs)


def _findings(frame: Frame, instruction: Instruction) -> list[Finding]:
    match instruction:
        case Binary(op="udiv" | "urem" as op):
            return [div_by_zero.finding("%" if op == "urem" else "/")]
        case Binary(op="sdiv" | "srem" as op, type=Int(bits=bits)):
            return [div_by_zero.finding("%" if op == "srem" else "/"), signed_overflow.finding(op, bits)]
        case Binary(op="add" | "sub" | "mul" as op, flags=flags, type=Int(bits=bits)) if "nsw" in flags:
            return [signed_overflow.finding(op, bits)]
        case Binary(op="shl" | "lshr" | "ashr", type=Int(bits=bits)):
            return [shift_range.finding(bits)]
        case Load(pointer=pointer) if not _is_named(frame, pointer):
            return [null_deref.finding("read"), out_of_bounds.finding(1, write=False)]
        case Store(pointer=pointer) if not _is_named(frame, pointer):
            return [null_deref.finding("written"), out_of_bounds.finding(1, write=True)]
        case Call(callee=GlobalRef(name=name)) if name in _POINTS:
            return [assertion.reached(name) if "assert" not in name else assertion.failed("")]
        case Unreachable():
            return [unreachable.promised()]
        case _:
            return []


def _is_named(frame: Frame, pointer: Value) -> bool:
    return isinstance(pointer, GlobalRef) or (
        isinstance(pointer, Reg) and pointer.name in frame.body.variables
    )
