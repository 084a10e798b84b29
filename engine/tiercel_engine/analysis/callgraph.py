"""Who calls whom, and which memory a function may write.

Everything here over-approximates: more callees, more written memory, never less. Two things are
assumed because the checks prove them separately: an access stays inside the object that its pointer
was made from, and inline assembly reaches only what it names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tiercel_engine.analysis.operands import global_names, global_refs, operands, texts
from tiercel_engine.ir.instructions import (
    Alloca,
    AtomicRMW,
    Call,
    Cast,
    CmpXchg,
    Freeze,
    GetElementPtr,
    Instruction,
    Phi,
    Select,
    Store,
    Unsupported,
    VaArg,
)
from tiercel_engine.ir.module import Function, Module
from tiercel_engine.ir.recording import original
from tiercel_engine.ir.values import ConstExpr, GlobalRef, InlineAsm, Reg, Value
from tiercel_engine.ir.woven import stub_name

WRITES = "writes"
"""The name of the fact `ModRef.writes_memory`."""

# Intrinsics that write no memory a program can see. `llvm.` is left out; a name matches with its
# overload suffix (`llvm.umax.i32`).
_PURE = {
    "abs", "allow.runtime.check", "allow.ubsan.check", "annotation", "arithmetic.fence", "assume",
    "bitreverse", "bswap", "canonicalize", "ceil", "copysign", "cos", "ctlz", "ctpop", "cttz",
    "dbg.assign", "dbg.declare", "dbg.label", "dbg.value", "debugtrap", "donothing", "exp", "exp10",
    "exp2", "expect", "expect.with.probability", "experimental.noalias.scope.decl", "fabs", "floor",
    "fma", "fmuladd", "frameaddress", "fshl", "fshr", "invariant.end", "invariant.start", "is.constant",
    "is.fpclass", "ldexp", "lifetime.end", "lifetime.start", "llrint", "llround", "log", "log10", "log2",
    "lrint", "lround", "maximum", "maxnum", "minimum", "minnum", "nearbyint", "objectsize", "pow", "powi",
    "prefetch", "ptr.annotation", "ptrmask", "returnaddress", "rint", "round", "roundeven", "sadd.sat",
    "sadd.with.overflow", "scmp", "sideeffect", "sin", "sincos", "smax", "smin", "smul.with.overflow",
    "sponentry", "sqrt", "sshl.sat", "ssub.sat", "ssub.with.overflow", "stackrestore", "stacksave", "tan",
    "threadlocal.address", "trap", "trunc", "uadd.sat", "uadd.with.overflow", "ubsantrap", "ucmp", "umax",
    "umin", "umul.with.overflow", "ushl.sat", "usub.sat", "usub.with.overflow", "var.annotation",
}  # fmt: skip
_PURE_FAMILIES = ("llvm.vector.reduce.", "llvm.fptosi.sat.", "llvm.fptoui.sat.", "llvm.get.dynamic.area.")
_WRITES_FIRST_ARGUMENT = (
    "llvm.memcpy.", "llvm.memmove.", "llvm.memset.", "llvm.va_start", "llvm.va_copy", "llvm.va_end",
)  # fmt: skip
_RECORDS = ("__tiercel_clause_", "llvm.")
"""Globals that no code reads: records of contracts, lists for the linker."""
_RETURNS_FIRST_ARGUMENT = ("llvm.threadlocal.address.", "llvm.ptr.annotation.", "llvm.ptrmask.")
_SAME_POINTER = ("bitcast", "addrspacecast")


def direct_callees(function: Function) -> frozenset[str]:
    """Functions that are called by name, declarations and intrinsics included."""
    return frozenset(
        callee
        for instruction in _instructions(function)
        if isinstance(instruction, Call) and (callee := _callee_name(instruction.callee)) is not None
    )


def address_taken(module: Module) -> frozenset[str]:
    """Functions whose address appears in an initialiser or as an operand that is not called."""
    names: set[str] = set()
    for variable in module.globals.values():
        if variable.initializer is not None and not variable.name.startswith(_RECORDS):
            names.update(global_refs(variable.initializer))
    for function in _bodies(module):
        for instruction in _instructions(function):
            names.update(_mentioned(instruction, callee=False))
    pending = [name for name in names if name in module.aliases]
    while pending:
        for name in global_refs(module.aliases[pending.pop()]):
            if name not in names:
                names.add(name)
                pending.extend([name] if name in module.aliases else [])
    return frozenset(name for name in names if name in module.signatures)


def reachable_from(module: Module, entry: str) -> frozenset[str]:
    """Functions that may run when `entry` is called, itself and declarations included: those that
    reached code mentions (to call, or to hand to someone who may), also through aliases and through
    initialisers of globals it mentions, and all address-taken ones once a call through a pointer is
    reached."""
    reached: set[str] = set()
    pending = [entry]
    pointers_called = False
    while pending:
        name = pending.pop()
        if name in reached:
            continue
        reached.add(name)
        variable = module.globals.get(name)
        if variable is not None and variable.initializer is not None:
            pending.extend(global_refs(variable.initializer))
        if name in module.aliases:
            pending.extend(global_refs(module.aliases[name]))
        instead = _instead(module, name) if name != entry else name
        if instead != name:
            pending.append(instead)
            continue
        function = module.function(name) if name in module.signatures else None
        if function is None:
            continue
        for instruction in _instructions(function):
            pending.extend(_mentioned(instruction, callee=True))
            if not pointers_called and _calls_pointer(instruction):
                pointers_called = True
                pending.extend(address_taken(module))
    return frozenset(name for name in reached if name in module.signatures)


@dataclass(frozen=True, slots=True)
class Effects:
    """Memory that a call may write and its caller can see. `globals` are written by name;
    `through_pointers`: whatever some pointer that is not made here points to; `calls_unknown`:
    whatever code that is not seen here can reach."""

    globals: frozenset[str] = frozenset()
    through_pointers: bool = False
    calls_unknown: bool = False

    def __or__(self, other: Effects) -> Effects:
        return Effects(
            self.globals | other.globals,
            self.through_pointers or other.through_pointers,
            self.calls_unknown or other.calls_unknown,
        )


class ModRef:
    """Write summaries of one module's functions, each computed when first asked for."""

    def __init__(self, module: Module) -> None:
        self._asked = module
        self._module = original(module)
        self._summaries: dict[str, Effects] = {}
        self._own: dict[str, tuple[Effects, tuple[str, ...]]] = {}

    def writes_memory(self, name: str) -> Effects:
        """What a call of `name` may write, its callees' writes included."""
        return self._asked.fact(WRITES, name, lambda _: self._summary(name))

    def _summary(self, name: str) -> Effects:
        if name not in self._summaries:
            self._summarise(name)
        return self._summaries[name]

    def _summarise(self, entry: str) -> None:
        """Tarjan's components come callees first; all members of one have the same effects."""
        index: dict[str, int] = {entry: 0}
        low: dict[str, int] = {entry: 0}
        stack = [entry]
        path = [(entry, iter(self._local(entry)[1]))]
        while path:
            name, remaining = path[-1]
            for callee in remaining:
                if callee in self._summaries:
                    continue
                if callee in index:
                    low[name] = min(low[name], index[callee])
                    continue
                index[callee] = low[callee] = len(index)
                stack.append(callee)
                path.append((callee, iter(self._local(callee)[1])))
                break
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[name])
                if low[name] == index[name]:
                    self._close(stack, name)

    def _close(self, stack: list[str], root: str) -> None:
        members: list[str] = []
        while not members or members[-1] != root:
            members.append(stack.pop())
        total = Effects()
        for member in members:
            own, callees = self._local(member)
            total |= own
            for callee in callees:
                total |= self._summaries.get(callee, Effects())
        for member in members:
            self._summaries[member] = total

    def _local(self, name: str) -> tuple[Effects, tuple[str, ...]]:
        """A function's own effects and the defined functions it calls."""
        known = self._own.get(name)
        if known is None:
            known = self._own[name] = local_effects(self._module, name)
        return known


def writes_memory(module: Module, name: str) -> Effects:
    """`ModRef(module).writes_memory(name)`; keep a `ModRef` to ask more than once."""
    return ModRef(module).writes_memory(name)


def local_effects(module: Module, name: str) -> tuple[Effects, tuple[str, ...]]:
    """A function's own effects and the defined functions it calls."""
    function = module.function(name) if name in module.signatures else None
    if function is None:
        return Effects(calls_unknown=not _is_pure(name)), ()
    definitions = {instruction.result: instruction for instruction in _instructions(function)}
    private = frozenset(p.name for p in function.signature.params if p.byval is not None)
    written: set[str] = set()
    through_pointers = calls_unknown = False
    callees: dict[str, None] = {}
    for instruction in _instructions(function):
        pointer = _written_pointer(instruction)
        if pointer is not None:
            for root in _roots(pointer, definitions, private):
                if root is not None and root in module.globals:
                    written.add(root)
                else:
                    through_pointers = True
        elif isinstance(instruction, Unsupported):
            through_pointers = calls_unknown = True
        elif isinstance(instruction, Call):
            callee = _callee_name(instruction.callee)
            if callee is not None:
                callee = _instead(module, callee)
            if callee is not None and callee in module.signatures and module.signatures[callee].defined:
                callees[callee] = None
            elif callee is None or not _is_pure(callee):
                calls_unknown = True
    return Effects(frozenset(written), through_pointers, calls_unknown), tuple(callees)


def _instead(module: Module, name: str) -> str:
    """What runs where `name` is called: the user's stub of it, if there is one."""
    stub = module.signatures.get(stub_name(name))
    return stub.name if stub is not None and stub.defined else name


def _written_pointer(instruction: Instruction) -> Value | None:
    match instruction:
        case Store(pointer=pointer) | AtomicRMW(pointer=pointer) | CmpXchg(pointer=pointer):
            return pointer
        case VaArg(list=pointer):
            return pointer
        case Call(callee=GlobalRef(name=name), args=(pointer, *_)) if name.startswith(_WRITES_FIRST_ARGUMENT):
            return pointer
        case _:
            return None


def _roots(
    pointer: Value, definitions: dict[str, Instruction], private: frozenset[str]
) -> Iterator[str | None]:
    """Names of the globals that `pointer` may be made from, and None if it may be made from something
    else than those and this function's own allocas and `private` (byval) parameters."""
    seen: set[str] = set()
    pending = [pointer]
    while pending:
        match pending.pop():
            case GlobalRef(name=name):
                yield name
            case ConstExpr(op=op, operands=(base, *_)) if op == "getelementptr" or op in _SAME_POINTER:
                pending.append(base)
            case Reg(name=name) if name in seen or name in private:
                pass
            case Reg(name=name):
                seen.add(name)
                match definitions.get(name):
                    case Alloca():
                        pass
                    case GetElementPtr(base=base):
                        pending.append(base)
                    case Cast(op=op, value=value) if op in _SAME_POINTER:
                        pending.append(value)
                    case Freeze(value=value):
                        pending.append(value)
                    case Select(then=then, otherwise=otherwise):
                        pending.extend((then, otherwise))
                    case Phi(incoming=incoming):
                        pending.extend(value for value, _ in incoming)
                    case Call(callee=GlobalRef(name=callee), args=(base, *_)) if callee.startswith(
                        _RETURNS_FIRST_ARGUMENT
                    ):
                        pending.append(base)
                    case _:
                        yield None
            case _:
                yield None


def _is_pure(name: str) -> bool:
    """Whether `name` is an intrinsic that writes nothing; its dotted name, or a prefix of it."""
    if not name.startswith("llvm."):
        return False
    if name.startswith(_PURE_FAMILIES):
        return True
    parts = name.split(".")[1:]
    return any(".".join(parts[:length]) in _PURE for length in range(1, len(parts) + 1))


def _callee_name(callee: Value) -> str | None:
    while isinstance(callee, ConstExpr) and callee.op in _SAME_POINTER:
        callee = callee.operands[0]
    return callee.name if isinstance(callee, GlobalRef) else None


def _calls_pointer(instruction: Instruction) -> bool:
    match instruction:
        case Call(callee=InlineAsm()):
            return False
        case Call(callee=callee):
            return _callee_name(callee) is None
        case _:
            return isinstance(instruction, Unsupported)


def _mentioned(instruction: Instruction, *, callee: bool) -> Iterator[str]:
    """Globals and functions that the instruction's operands mention, with or without whom it calls."""
    values = operands(instruction)
    if isinstance(instruction, Call) and not callee and _callee_name(instruction.callee) is not None:
        values = values[1:]
    for value in values:
        yield from global_refs(value)
    for text in texts(instruction):
        yield from global_names(text)


def _instructions(function: Function) -> Iterator[Instruction]:
    for block in function.blocks:
        yield from block.instructions


def _bodies(module: Module) -> Iterator[Function]:
    for name, signature in module.signatures.items():
        function = module.function(name) if signature.defined else None
        if function is not None:
            yield function
