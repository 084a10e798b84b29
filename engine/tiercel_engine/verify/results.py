"""Answers as verdicts: places, messages, assumptions and traces."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tiercel_engine.checks import assertion, contract, rule, unreachable
from tiercel_engine.encode.model import PLACE, UNSIGNED, Check, Cut, Encoding, Site
from tiercel_engine.encode.object_names import ObjectName, lvalue_text, type_at
from tiercel_engine.ir.module import Module
from tiercel_engine.memory.linear import signed
from tiercel_engine.memory.state import Object
from tiercel_engine.memory.values import Pointer, Scalar
from tiercel_engine.smt import terms as t
from tiercel_engine.smt.solver import Solver
from tiercel_engine.smt.terms import FALSE, Term
from tiercel_engine.trace.build import VALID, Violation, build_trace, entry_values
from tiercel_engine.trace.counterexample import Counterexample, Failure
from tiercel_engine.trace.extract import extract
from tiercel_engine.trace.steps import Trace
from tiercel_engine.trace.values import ValuePrinter
from tiercel_engine.verify.ask import Answers
from tiercel_engine.verify.hypotheses import Needs
from tiercel_engine.verify.verdicts import CheckResult, Place, assumed, worst

_NOT_EXECUTED = {contract.KIND: "a contract is not executed", rule.KIND: "a rule is not executed"}


@dataclass(frozen=True, slots=True)
class Witness:
    """What a model says about an alarm."""

    message: str
    assumptions: tuple[str, ...]
    trace: Trace
    inputs: dict[str, str]
    cwe: int
    counterexample: Counterexample
    unseen: str = ""
    """Why no execution can show it."""


class Teller:
    """Turns models and answers about one encoding into what the user sees."""

    def __init__(self, module: Module, encoding: Encoding, solver: Solver) -> None:
        self._module = module
        self._encoding = encoding
        self._solver = solver
        self.ends: dict[Site, str] = {}
        """The ends of the ids that `results` gave."""

    def witness(self, check: Check) -> Witness:
        """The counterexample in the solver's current model."""
        printer = ValuePrinter(self._value, self._module.debug, self._object)
        shown = []
        for name, value, type in check.operands:
            if type == PLACE and isinstance(value, Pointer):
                text = self._inside(value)
            elif type == UNSIGNED and isinstance(value, Scalar):
                text = str(self._value(value.term))
            else:
                text = printer.text(value, max(type, 0))
            shown.append(("" if name == text else name, text))
        inside = check.inside
        message = check.finding.told(shown) + self._context(check)
        loc, function, depth = check.loc, check.function, check.depth
        if inside is not None:
            loc, function, depth = inside.loc, inside.function, inside.depth
        violation = Violation(loc, message, function, depth)
        trace = build_trace(
            self._encoding.events, self._value, self._module.debug, self._object, violation, check.events
        )
        assumptions = dict.fromkeys(
            remark.text
            for remark in self._encoding.assumptions
            if remark.order <= check.order and self._value(remark.guard)
        )
        inputs = {**entry_values(trace), **self._memory_inputs(check, printer)}
        place = self._location(loc, function)
        failure = Failure(
            check.site[0], function, place.file, place.line, place.column, message, check.finding.cwe,
            check.context,
        )  # fmt: skip
        extracted = extract(self._module, self._encoding, self._solver.value, check, failure)
        extracted = replace(extracted, assumptions=tuple(assumptions))
        return Witness(message, tuple(assumptions), trace, inputs, check.finding.cwe, extracted, check.unseen)

    def _context(self, check: Check) -> str:
        """Where a check fails that is reported at a call."""
        if check.inside is None:
            return f" (in {check.context})" if check.context else ""
        inside = check.inside
        broken = next((each for each in inside.broken if self._value(each.term)), inside.broken[0])
        line = self._location(inside.loc, inside.function).line
        return f" (in {inside.function}, line {line}; {assumed(broken.function, broken.text)})"

    def _inside(self, pointer: Pointer) -> str:
        """A place as `offset 5 of `*p``."""
        name = self._object(int(self._value(pointer.object)))
        offset = signed(int(self._value(pointer.offset)), pointer.offset.width)
        what = name.name if name is not None else "an unknown object"
        return f"offset {offset} of " + (what if " " in what else f"`{what}`")

    def _memory_inputs(self, check: Check, printer: ValuePrinter) -> dict[str, str]:
        """What the counterexample needs to find in memory: cells of inputs that the violation depends on."""
        needed = set(t.variables([check.guard, check.violated]))
        found: dict[str, str] = {}
        for cell in self._encoding.table.inputs(self._solver.value):
            if not needed.intersection(t.variables(cell.terms)):
                continue
            known = ObjectName(cell.object.name, cell.object.type)
            name = lvalue_text(self._module.debug, known, cell.offset)
            value = printer.text(cell.value, self._type(cell.object, cell.offset))
            found[name] = VALID if value == name else value
        return found

    def _type(self, object: Object, offset: int) -> int:
        return type_at(self._module.debug, object.type, offset)

    def _value(self, term: Term) -> int | bool:
        value: int | bool = self._solver.value(term)
        return value

    def _object(self, ident: int) -> ObjectName | None:
        objects = self._encoding.table.objects
        if ident >= len(objects):
            return None
        object = objects[ident]
        size = int(object.size.data) if object.size.is_const else None
        return ObjectName(object.name, object.type, size)

    def results(self, answers: Answers, proved: set[Site], needs: Needs, function: str) -> list[CheckResult]:
        """One verdict for each check in the source, in the order of the source. `proved` are sites for
        which more than the bounded answer is known."""
        sites: dict[Site, list[Check]] = {}
        for check in self._encoding.checks:
            if check.wanted:
                sites.setdefault(check.site, []).append(check)
        decided = answers.alarms.keys() | answers.unknown.keys()
        for site, checks in list(sites.items()):
            if checks[0].inside is not None and site not in decided:
                del sites[site]  # the callee's own check says it
        placed = sorted(sites.items(), key=lambda item: self._order(item[1][0]))
        counts: dict[tuple[str, str, str], int] = {}
        found = []
        for site, checks in placed:
            place = self.place(checks[0])
            key = (place.file, checks[0].function, site[0])
            counts[key] = counts.get(key, 0) + 1
            self.ends[site] = f"{checks[0].function}:{site[0]}:{counts[key]}"
            ident = f"{place.file}:{self.ends[site]}"
            result = self._result(ident, place, site, checks, answers, proved)
            rests = tuple(assumed(function, each.clause.text) for each in needs.by_site.get(site, ()))
            if rests and result.status != "alarm":
                result = replace(result, assumptions=(*result.assumptions, *rests))
            found.append(result)
        return found

    def _result(
        self, ident: str, place: Place, site: Site, checks: list[Check], answers: Answers, proved: set[Site]
    ) -> CheckResult:
        first = checks[0]
        finding = first.finding
        witness = answers.alarms.get(site)
        if isinstance(witness, Witness):
            return CheckResult(
                ident, site[0], place, "alarm", witness.message, witness.cwe, "", witness.assumptions,
                witness.inputs, witness.trace, witness.counterexample,
                replay_reason=_NOT_EXECUTED.get(site[0], "") or witness.unseen,
            )  # fmt: skip
        last = max(check.order for check in checks)
        assumptions = tuple(dict.fromkeys(r.text for r in self._encoding.assumptions if r.order <= last))
        status, reason = "proved", ""
        if site in answers.unknown:
            status, reason = "unknown", answers.unknown[site]
        elif site not in proved:
            cuts = [cut for cut in answers.open_cuts if last >= cut.since]
            status, reason = _hidden(cuts)
        is_point = site[0] in (
            assertion.KIND,
            unreachable.KIND,
            rule.KIND,
        )  # not reaching it is what is to be proved
        if status == "proved" and not is_point and all(check.guard is FALSE for check in checks):
            status = "unreachable"
        return CheckResult(ident, site[0], place, status, finding.text, finding.cwe, reason, assumptions)

    def place(self, check: Check) -> Place:
        return self._location(check.loc, check.function)

    def _location(self, loc: int, function: str) -> Place:
        found = self._module.debug.location(loc) if loc else None
        if found is None:
            signature = self._module.signatures.get(function)
            found = self._module.debug.subprogram(signature.dbg) if signature is not None else None
        if found is None:
            return Place(self._module.source_name, 0)
        return Place(found.file, found.line, max(found.column, 1))

    def _order(self, check: Check) -> tuple[str, int, int, int]:
        place = self.place(check)
        return place.file, place.line, place.column, check.order


def _hidden(cuts: list[Cut]) -> tuple[str, str]:
    """The verdict on a check that holds wherever the encoding went, given the cuts that it may lie
    behind."""
    unknown = next((cut for cut in cuts if not cut.bound), None)
    if unknown is not None:
        return "unknown", unknown.reason
    if cuts:
        return "bounded", cuts[0].reason
    return "proved", ""


def overall(statuses: list[str], cuts: list[Cut], settled: bool) -> tuple[str, str]:
    """A function's status and reason: the worst check, or what a cut hides of code not even seen."""
    hidden, reason = ("proved", "") if settled else _hidden(cuts)
    status = worst([*statuses, hidden])
    return status, reason if status == hidden and status != "proved" else ""
