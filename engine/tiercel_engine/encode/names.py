"""What the source calls a value: `n`, `p->len`, `a[i] + 1`.

Names come from the body as the compiler wrote it, where every use of a variable is a load from its
stack slot; the promoted body has the same instructions by result (or, without one, by location).
"""

from __future__ import annotations

from tiercel_engine.ir.debug import SourceType
from tiercel_engine.ir.instructions import Binary, Call, Cast, GetElementPtr, ICmp, Instruction, Load, Store
from tiercel_engine.ir.module import Function, Module
from tiercel_engine.ir.types import Array, Struct, Type
from tiercel_engine.ir.values import ConstInt, GlobalRef, Null, Reg, Value

_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "sdiv": "/", "udiv": "/", "srem": "%", "urem": "%",
    "shl": "<<", "lshr": ">>", "ashr": ">>", "and": "&", "or": "|", "xor": "^",
}  # fmt: skip
_COMPARISONS = {
    "eq": "==", "ne": "!=", "ugt": ">", "uge": ">=", "ult": "<", "ule": "<=",
    "sgt": ">", "sge": ">=", "slt": "<", "sle": "<=",
}  # fmt: skip
_DEEPEST = 4
_ALIASES = ("typedef", "const", "volatile")


class Names:
    """Expressions for the operands of one function's instructions."""

    def __init__(self, module: Module, function: Function, variables: dict[str, int]) -> None:
        self._module = module
        self._variables = variables
        self._definitions: dict[str, Instruction] = {}
        self._at: dict[tuple[type, int], Instruction] = {}
        self._known: dict[tuple[int, str], tuple[str, int]] = {}
        """By the instruction's identity: a body's instructions live as long as its names."""
        self.parameters, self.parameter_types = self._of_parameters(function)
        for block in function.blocks:
            for instruction in block.instructions:
                if instruction.result:
                    self._definitions[instruction.result] = instruction
                elif instruction.loc:
                    self._at.setdefault((type(instruction), instruction.loc), instruction)

    def _of_parameters(self, function: Function) -> tuple[list[str], list[int]]:
        """Names and types of the parameters: each is first of all stored into its variable's slot."""
        slots = {
            instruction.value.name: instruction.pointer.name
            for instruction in function.blocks[0].instructions
            if isinstance(instruction, Store)
            and isinstance(instruction.value, Reg)
            and isinstance(instruction.pointer, Reg)
        }
        names, types = [], []
        for param in function.signature.params:
            found = self._module.debug.variable(self._variables.get(slots.get(param.name, param.name), 0))
            names.append(found.name if found is not None else "")
            types.append(found.type if found is not None else 0)
        return names, types

    def original(self, instruction: Instruction) -> Instruction:
        """The instruction as it was before promotion."""
        if instruction.result:
            return self._definitions.get(instruction.result, instruction)
        return self._at.get((type(instruction), instruction.loc), instruction)

    def of(self, instruction: Instruction, field: str) -> tuple[str, int]:
        """Source text and debug type of the operand in `field`; ("", 0) if there is none."""
        key = id(instruction), field
        known = self._known.get(key)
        if known is None:
            value = getattr(self.original(instruction), field, None)
            known = self.value(value) if value is not None else ("", 0)
            self._known[key] = known
        return known

    def argument(self, call: Call, index: int) -> tuple[str, int]:
        original = self.original(call)
        if isinstance(original, Call) and index < len(original.args):
            return self.value(original.args[index])
        return "", 0

    def pointer(self, instruction: Instruction) -> str:
        """What is dereferenced by an access: `p` for *p, p->f and p[i]."""
        key = id(instruction), "*"
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = (self._pointer(instruction), 0)
        return known[0]

    def _pointer(self, instruction: Instruction) -> str:
        value = getattr(self.original(instruction), "pointer", None)
        for _ in range(16):
            definition = self._definitions.get(value.name) if isinstance(value, Reg) else None
            if isinstance(definition, GetElementPtr):
                value = definition.base
            else:
                break
        return self.value(value)[0] if value is not None else ""

    def value(self, value: Value, depth: int = 0) -> tuple[str, int]:
        """Source text and debug type id of an operand of the original body."""
        match value:
            case ConstInt(value=number, type=type):
                bits = getattr(type, "bits", 64)
                return str(number - (1 << bits) if bits > 1 and number >> (bits - 1) else number), 0
            case Null():
                return "NULL", 0
            case GlobalRef(name=name):
                return (f"&{name}" if name in self._module.globals and not name.startswith(".") else name), 0
            case Reg(name=name):
                definition = self._definitions.get(name)
                if definition is None or depth > _DEEPEST:
                    return "", 0
                return self._defined(definition, depth)
            case _:
                return "", 0

    def _defined(self, definition: Instruction, depth: int) -> tuple[str, int]:
        match definition:
            case Load(pointer=pointer):
                return self.place(pointer, depth + 1)
            case Cast(value=value):
                return self.value(value, depth)
            case Binary(op=op, lhs=lhs, rhs=rhs) if op in _OPERATORS:
                left, type = self.value(lhs, depth + 1)
                right, other = self.value(rhs, depth + 1)
                if not left or not right:
                    return "", 0
                if op == "sub" and left == "0":
                    return f"-{right}", other
                left, right = (f"({part})" if " " in part else part for part in (left, right))
                return f"{left} {_OPERATORS[op]} {right}", type or other
            case ICmp(pred=pred, lhs=lhs, rhs=rhs) if depth <= 1:
                left, right = self.value(lhs, depth + 1)[0], self.value(rhs, depth + 1)[0]
                return (f"{left} {_COMPARISONS[pred]} {right}", 0) if left and right else ("", 0)
            case Call(callee=GlobalRef(name=name)) if not name.startswith("llvm."):
                return f"{name}()", 0
            case _:
                return "", 0

    def place(self, pointer: Value, depth: int = 0) -> tuple[str, int]:
        """The lvalue at an address, with its debug type."""
        if depth > _DEEPEST:
            return "", 0
        debug = self._module.debug
        match pointer:
            case GlobalRef(name=name) if name in self._module.globals:
                variable = debug.variable(self._module.globals[name].dbg)
                return (variable.name, variable.type) if variable is not None else ("", 0)
            case Reg(name=name) if name in self._variables:
                variable = debug.variable(self._variables[name])
                return (variable.name, variable.type) if variable is not None else ("", 0)
            case Reg(name=name):
                definition = self._definitions.get(name)
                if isinstance(definition, GetElementPtr):
                    return self._element(definition, depth)
                text, type = self.value(pointer, depth)
                target = self._stripped(type)
                if not text:
                    return "", 0
                text = f"({text})" if " " in text else text
                return f"*{text}", target.target if target is not None and target.kind == "pointer" else 0
            case _:
                return "", 0

    def _element(self, gep: GetElementPtr, depth: int) -> tuple[str, int]:
        base = self._definitions.get(gep.base.name) if isinstance(gep.base, Reg) else None
        direct = isinstance(gep.base, GlobalRef) or isinstance(base, GetElementPtr)
        direct = direct or (isinstance(gep.base, Reg) and gep.base.name in self._variables)
        if direct:
            text, type = self.place(gep.base, depth + 1)
        else:
            pointer, kind = self.value(gep.base, depth + 1)
            source = self._stripped(kind)
            type = source.target if source is not None and source.kind == "pointer" else 0
            if len(gep.indices) == 1 or not _is_zero(gep.indices[0]):
                index = self.value(gep.indices[0], depth + 1)[0]
                text = f"{pointer}[{index}]" if pointer and index else ""
                if len(gep.indices) == 1:
                    return text, type
            else:
                text = f"{pointer}->" if pointer else ""
        if not text:
            return "", 0
        indices = gep.indices if direct and len(gep.indices) == 1 else gep.indices[1:]
        shape: Type = gep.source
        for step in indices:
            found = self._stripped(type)
            if isinstance(shape, Struct) and isinstance(step, ConstInt):
                offset = self._module.layout.field_offset(shape, step.value) * 8
                members = found.members if found is not None else ()
                member = next((m for m in members if m.offset == offset and not m.bitfield), None)
                if member is None:
                    return "", 0
                text = f"{text}{member.name}" if text.endswith("->") else f"{text}.{member.name}"
                type, shape = member.type, shape.fields[step.value]
            else:
                index = self.value(step, depth + 1)[0]
                if not index:
                    return "", 0
                text = f"*{text[:-2]}" if text.endswith("->") else text
                text = f"({text})[{index}]" if text.startswith("*") else f"{text}[{index}]"
                type = found.target if found is not None and found.kind == "array" else 0
                shape = shape.element if isinstance(shape, Array) else shape
        return text, type

    def _stripped(self, ident: int) -> SourceType | None:
        found = self._module.debug.type(ident) if ident else None
        for _ in range(32):
            if found is None or found.kind not in _ALIASES:
                return found
            found = self._module.debug.type(found.target)
        return None


def _is_zero(value: Value) -> bool:
    return isinstance(value, ConstInt) and value.value == 0
