"""A function made ready for encoding: promoted, with its graph, loops and the names of its values."""

from __future__ import annotations

from dataclasses import dataclass, field

from tiercel_engine.analysis.cfg import Cfg, cfg_of
from tiercel_engine.analysis.loops import LoopForest, loop_forest
from tiercel_engine.analysis.operands import operands
from tiercel_engine.analysis.promote import promote
from tiercel_engine.analysis.reducible import reducible
from tiercel_engine.encode.names import Names
from tiercel_engine.ir.instructions import Cast, DbgValue, Instruction, Phi, Ret
from tiercel_engine.ir.module import Function, Module
from tiercel_engine.ir.values import Reg, Undef, Value
from tiercel_engine.memory.classes import classes_of

SMALL = "small"
"""The name of the fact `is_small`."""

_FEW_INSTRUCTIONS = 16


@dataclass(frozen=True, slots=True)
class Body:
    """`carried` are registers that are defined in a loop and used after it: they travel along paths.
    `returned` are phis whose value only ever is returned, `phis` all of them. `variables` maps the
    allocas that stay in memory to their debug variables. `small`: a wrapper or accessor, a few
    instructions without a loop."""

    function: Function
    cfg: Cfg
    forest: LoopForest
    names: Names
    carried: frozenset[str]
    returned: frozenset[str]
    phis: frozenset[str]
    small: bool
    variables: dict[str, int] = field(default_factory=dict)
    addresses: dict[str, Value] = field(default_factory=dict)
    """The pointers that integers were made of, by register."""
    classes: dict[str, str] = field(default_factory=dict)
    """The access classes of the addresses that the function computes (memory/classes.py)."""

    @property
    def name(self) -> str:
        return self.function.name


def prepare(module: Module, name: str) -> Body | None:
    """The body of `name`, or None for a declaration."""
    parsed = module.function(name)
    if parsed is None or not parsed.blocks:
        return None
    original = reducible(parsed)
    function = promote(original)
    cfg = cfg_of(function)
    forest = loop_forest(cfg)
    variables: dict[str, int] = {}
    for block in original.blocks:
        for instruction in block.instructions:
            match instruction:
                case DbgValue(kind="declare", value=Reg(name=register), variable=variable, expression=""):
                    variables.setdefault(register, variable)
                case _:
                    pass
    names = Names(module, original, variables)
    phis = frozenset(i.result for b in cfg.blocks.values() for i in b.instructions if isinstance(i, Phi))
    return Body(
        function, cfg, forest, names, _carried(cfg, forest), _returned(cfg), phis, _small(cfg, forest),
        variables, _addresses(cfg), classes_of(function),
    )  # fmt: skip


def _addresses(cfg: Cfg) -> dict[str, Value]:
    instructions = (i for block in cfg.blocks.values() for i in block.instructions)
    return {i.result: i.value for i in instructions if isinstance(i, Cast) and i.op == "ptrtoint"}


def is_small(body: Body | None) -> bool:
    """Whether calls of the function are inlined beyond the depth."""
    return body is not None and body.small


def _small(cfg: Cfg, forest: LoopForest) -> bool:
    work = [i for block in cfg.blocks.values() for i in block.instructions if not isinstance(i, DbgValue)]
    return len(work) <= _FEW_INSTRUCTIONS and not forest.roots and not forest.irreducible


def _carried(cfg: Cfg, forest: LoopForest) -> frozenset[str]:
    defined: dict[str, str] = {}
    for name, block in cfg.blocks.items():
        for instruction in block.instructions:
            if instruction.result and name in forest.innermost:
                defined[instruction.result] = name
    carried: set[str] = set()
    for name, block in cfg.blocks.items():
        for instruction in block.instructions:
            for register, user in _uses(instruction, name):
                if register in defined and user not in forest.innermost[defined[register]].blocks:
                    carried.add(register)
    return frozenset(carried)


def _uses(instruction: Instruction, block: str) -> list[tuple[str, str]]:
    """Registers that are read, each with the block at whose end or in which it is read."""
    if isinstance(instruction, Phi):
        return [(value.name, source) for value, source in instruction.incoming if isinstance(value, Reg)]
    return [(value.name, block) for value in operands(instruction) if isinstance(value, Reg)]


def _returned(cfg: Cfg) -> frozenset[str]:
    """Phis that lead to a return only, if one of them takes an undefined value that no variable
    explains: the slot of a function's result before a `return` has written it."""
    phis = {i.result: i for block in cfg.blocks.values() for i in block.instructions if isinstance(i, Phi)}
    users: dict[str, list[Instruction]] = {}
    for block in cfg.blocks.values():
        for instruction in block.instructions:
            if not isinstance(instruction, DbgValue):
                for value in operands(instruction):
                    if isinstance(value, Reg):
                        users.setdefault(value.name, []).append(instruction)
    kept = {
        name for name in phis if name in users and all(isinstance(user, Ret | Phi) for user in users[name])
    }
    while True:
        wrong = {
            name
            for name in kept
            if any(isinstance(user, Phi) and user.result not in kept for user in users[name])
        }
        if not wrong:
            break
        kept -= wrong
    for name in kept:
        if any(isinstance(value, Undef) and not value.variable for value, _ in phis[name].incoming):
            return frozenset(kept)
    return frozenset()
