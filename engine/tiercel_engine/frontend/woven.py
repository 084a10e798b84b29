"""A project's stubs and rules on their way into the units that they are about.

`.tiercel/stubs/*.c` say what functions do instead of their own code, `.tiercel/rules/*.c` what must be kept
when functions are called. The folder `.tiercel` that is nearest above a file counts for it. What they say
of functions that a unit mentions is put behind the unit's own text, at lines of their own, so that clang
knows the unit's types there; other functions in them are blanked. Names get a prefix (ir/woven.py): nothing
of the program can refer to them, nor they be taken for something of the program's.

A file that does not compile with the unit is reported at its place and left out; the rest goes on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiercel_engine.frontend.contracts import Attempt
from tiercel_engine.frontend.diagnostics import Diagnostic
from tiercel_engine.frontend.toplevel import TopLevel, blanked, top_level, words
from tiercel_engine.ir.woven import MOMENTS, RULE_CHECK, ghost_name, helper_name, hook_name, shown, stub_name

FOLDER = ".tiercel"
STUBS, RULES = "stubs", "rules"
_PLACE = "tiercel-woven"
_MENTIONED = re.compile(r'@(?:"([^"\n]+)"|([-\w.$]+))')
_OURS = re.compile(r"__tiercel_[\w$]+")
_CONTRACT = re.compile(r"(/[*/])@")
_ASSERTIONS = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)(<assert\.h>|"assert\.h")', re.MULTILINE)
_RULE_WORDS = f"""\
#undef assert
#undef rule
#define assert(condition) {RULE_CHECK}(!!(condition), "`" #condition "` must hold")
#define rule(message, condition) {RULE_CHECK}(!!(condition), message)
void {RULE_CHECK}(int, const char *);
"""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of stubs or rules. `own` maps the names that it defines to what they become, `subjects`
    those of them that are stubs or hooks to the function that they are about."""

    path: str
    text: str
    is_rule: bool
    level: TopLevel
    own: Mapping[str, str]
    subjects: Mapping[str, str]


def project_folder(path: str | Path) -> Path | None:
    """The folder `.tiercel` that counts for a file."""
    parents = Path(os.path.abspath(path)).parents
    return next((found for parent in parents if (found := parent / FOLDER).is_dir()), None)


def parts_for(path: str | Path) -> tuple[list[Part], list[Diagnostic]]:
    """The stubs and rules that count for a file, and what of them cannot be read."""
    folder = project_folder(path)
    parts: list[Part] = []
    problems: list[Diagnostic] = []
    for name in (STUBS, RULES) if folder is not None else ():
        for file in sorted((folder / name).glob("*.c")) if folder is not None else ():
            try:
                text = file.read_bytes().decode("utf-8", "surrogateescape")
            except OSError as failure:
                problems.append(Diagnostic(str(file), 1, 1, "error", f"cannot be read: {failure.strerror}"))
                continue
            if os.path.realpath(file) != os.path.realpath(path):
                parts.append(_part(str(file), text, name == RULES))
    return parts, problems


def flags_for(parts: Sequence[Part]) -> list[str]:
    """How to compile with them: headers beside them are found, and calls of their subjects stay calls."""
    folders = dict.fromkeys(os.path.dirname(part.path) for part in parts)
    subjects = sorted({subject for part in parts for subject in part.subjects.values()})
    return [*(f"-iquote{folder}" for folder in folders), *(f"-fno-builtin-{name}" for name in subjects)]


def _part(path: str, text: str, is_rule: bool) -> Part:
    stem = re.sub(r"\W", "_", Path(path).stem)
    level = top_level(text)
    own: dict[str, str] = {}
    subjects: dict[str, str] = {}
    for name in level.variables:
        own[name] = ghost_name(stem, name) if is_rule else helper_name(stem, name)
    for function in level.functions:
        name = function.name
        moment, subject = _hook(name) if is_rule else ("", "" if function.static else name)
        if subject:
            subjects[name] = subject
        if subject and is_rule:
            own[name] = hook_name(moment, subject, stem)
        else:
            own[name] = stub_name(name) if subject else helper_name(stem, name)
    return Part(path, text, is_rule, level, own, subjects)


def _hook(name: str) -> tuple[str, str]:
    for moment in MOMENTS:
        if name.startswith(f"{moment}_"):
            return moment, name.removeprefix(f"{moment}_")
    return "", ""


def woven(
    text: str, ir_text: str, parts: Iterable[Part], compiled: Callable[[str], Attempt]
) -> tuple[Attempt | None, list[Diagnostic]]:
    """The unit `text` compiled with the parts that are about it, and what is wrong with those. `ir_text`
    is the unit without them. None instead of a unit: there is nothing to add, or nothing that can be used."""
    mentioned = {quoted or plain for quoted, plain in _MENTIONED.findall(ir_text)}
    mentioned |= {
        name.split(".")[1] for name in mentioned if name.startswith("llvm.")
    }  # such as llvm.memcpy.p0
    used = [part for part in parts if mentioned.intersection(part.subjects.values())]
    problems: list[Diagnostic] = []
    while used:
        attempt = compiled(text + "".join(_woven_text(part, mentioned) for part in used))
        if attempt.ir_text is not None:
            paths = {part.path for part in used}
            own = tuple(d for d in attempt.diagnostics if d.file not in paths and d.file != _PLACE)
            return Attempt(attempt.ir_text, own), problems
        wrong = _errors(attempt, used)
        if not wrong:
            message = "the unit does not compile with this file"
            wrong = {part.path: [Diagnostic(part.path, 1, 1, "error", message)] for part in used}
        problems += [diagnostic for found in wrong.values() for diagnostic in found]
        used = [part for part in used if part.path not in wrong]
    return None, problems


def _errors(attempt: Attempt, used: list[Part]) -> dict[str, list[Diagnostic]]:
    """The compiler's errors by the woven file that they are in, with names as the user wrote them."""
    found: dict[str, list[Diagnostic]] = {}
    for d in attempt.diagnostics:
        if d.severity == "error" and any(d.file == part.path for part in used):
            message = _OURS.sub(lambda name: shown(name[0]), d.message)
            found.setdefault(d.file, []).append(Diagnostic(d.file, d.line, d.column, "error", message))
    return found


def _woven_text(part: Part, mentioned: set[str]) -> str:
    """The file as it stands behind the unit's text; a stub must have the type of its function."""
    kept = _needed(part, mentioned)
    text = part.text
    for function in part.level.functions:
        if function.name not in kept:
            gone = re.sub(r"[^\n]", " ", text[function.start : function.end])
            text = text[: function.start] + gone + text[function.end :]
    text = _CONTRACT.sub(r"\1 ", text)
    if part.is_rule:
        text = _ASSERTIONS.sub(lambda found: " " * len(found[0]), text)
        text = _shared(part, text)
    names = [name for name in part.own if name in kept or name in part.level.variables]
    renamed = "".join(f"#define {name} {part.own[name]}\n" for name in names)
    restored = "".join(f"#undef {name}\n" for name in names)
    quoted = '"' + part.path.replace("\\", "\\\\").replace('"', '\\"') + '"'
    prelude = _RULE_WORDS if part.is_rule else ""
    begin = f'\n#line 1 "{_PLACE}"\n{prelude}{renamed}#line 1 {quoted}\n'
    alike = "".join(
        f"#line {part.text.count(chr(10), 0, each.start) + 1} {quoted}\n"
        f"extern __typeof__({stub_name(each.name)}) {each.name};\n"
        for each in part.level.functions
        if not part.is_rule and each.name in kept and each.name in part.subjects
    )
    return f'{begin}{text}\n#line 1 "{_PLACE}"\n{restored}{alike}'


def _needed(part: Part, mentioned: set[str]) -> set[str]:
    """The functions of a file that matter to a unit: stubs and hooks of what it mentions, and what those
    use."""
    code = blanked(part.text)
    bodies = {each.name: words(code[each.start : each.end]) for each in part.level.functions}
    needed: set[str] = set()
    pending = [name for name, subject in part.subjects.items() if subject in mentioned]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += [other for other in bodies[name] if other in bodies]
    return needed


def _shared(part: Part, text: str) -> str:
    """Ghost variables without `static`: units that are put together share them."""
    code = blanked(text)
    for found in reversed(list(re.finditer(r"\bstatic\b", code))):
        before = code[: found.start()]
        if before.count("{") == before.count("}") and not any(
            each.start <= found.start() < each.end for each in part.level.functions
        ):
            text = text[: found.start()] + " " * len("static") + text[found.end() :]
    return text
