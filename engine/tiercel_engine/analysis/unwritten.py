"""Static variables that nothing ever writes: they keep their initial value without being `const`.

Only what is plain counts: every use in the unit is a load, or an address computed for one. A variable
whose address goes anywhere else may be written there.
"""

from __future__ import annotations

from tiercel_engine.analysis.operands import global_names, global_refs, operands, texts
from tiercel_engine.ir.instructions import Cast, DbgValue, GetElementPtr, ICmp, Instruction, Load
from tiercel_engine.ir.module import Function, Module
from tiercel_engine.ir.values import ConstExpr, GlobalRef, Reg, Value

_SAME_OBJECT = ("getelementptr", "bitcast", "addrspacecast")


KEEPS = "keeps"
"""The name of the fact `keeps_its_value`."""


def keeps_its_value(module: Module, name: str) -> bool:
    """Whether the global `name` holds its initial value for ever."""
    return module.fact(KEEPS, name, lambda whole: _kept(whole, name))


def _kept(module: Module, name: str) -> bool:
    variable = module.globals.get(name)
    if variable is None or not variable.internal or variable.initializer is None:
        return False
    if any(name in global_refs(target) for target in module.aliases.values()):
        return False
    for other in module.globals.values():
        if other.initializer is not None and name in global_refs(other.initializer):
            return False
    for mentioning in module.mentions(name):
        function = module.function(mentioning)
        if function is None or not _only_reads(function, name):
            return False
    return True


def _only_reads(function: Function, name: str) -> bool:
    instructions = [i for block in function.blocks for i in block.instructions]
    addresses: set[str] = set()
    """Registers that hold an address inside the variable."""
    while True:
        known = len(addresses)
        for instruction in instructions:
            if not _reads(instruction, name, addresses):
                return False
        if len(addresses) == known:
            return True


def _reads(instruction: Instruction, name: str, addresses: set[str]) -> bool:
    """Whether the instruction uses the variable for reading only; notes an address made from it."""
    if any(name in global_names(text) for text in texts(instruction)):
        return False
    uses = [value for value in operands(instruction) if _inside(value, name, addresses)]
    hidden = [value for value in operands(instruction) if value not in uses and name in global_refs(value)]
    if hidden:
        return False
    if not uses:
        return True
    match instruction:
        case Load(volatile=False) | ICmp() | DbgValue():
            return True
        case GetElementPtr(base=base, result=result) if uses == [base]:
            addresses.add(result)
            return True
        case Cast(op="bitcast" | "addrspacecast", result=result):
            addresses.add(result)
            return True
        case _:
            return False


def _inside(value: Value, name: str, addresses: set[str]) -> bool:
    while isinstance(value, ConstExpr) and value.op in _SAME_OBJECT:
        value = value.operands[0]
    match value:
        case GlobalRef(name=found):
            return found == name
        case Reg(name=register):
            return register in addresses
        case _:
            return False
