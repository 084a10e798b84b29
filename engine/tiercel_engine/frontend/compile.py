"""One translation unit to LLVM IR text.

The code is compiled with `-O1` and all passes off (`-disable-llvm-passes`): plain code as at `-O0`, with
the TBAA and lifetime markers that only optimising builds carry. LLVM's passes delete bugs, so none may
run. Further choices:

* `-femit-all-decls`: an unused `static` function (the one being typed) is emitted.
* `-fPIC -gdwarf-4`: no `dso_local` on every definition, no checksum on every file: plainer text.
* `-D__NO_INLINE__ -D__NO_CTYPE`: glibc's headers then declare `isalpha`, `toupper`, `atoi`, `getchar`, …
  instead of defining inline copies and table look-ups (18 definitions fewer in a file that includes
  ctype.h, stdlib.h and stdio.h), so that calls stay calls and can be modelled.
* `-U_FORTIFY_SOURCE`: `strcpy` stays `strcpy`.
* `-DNDEBUG` counts if the project says it, and only then.
* What clang made errors of old C (implicit declarations, `int` conversions) are warnings again.

A buffer goes in on stdin behind a `#line` directive that names its file, from the file's directory (so
that `#include "x.h"` finds its neighbours); the IR comes out on stdout. Nothing is written to disk.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tiercel_engine.frontend import folded, included
from tiercel_engine.frontend.contracts import Attempt, with_contracts
from tiercel_engine.frontend.diagnostics import Diagnostic, parse_diagnostics
from tiercel_engine.frontend.flags import file_flags
from tiercel_engine.frontend.toolchain import Toolchain, toolchain
from tiercel_engine.frontend.woven import flags_for, parts_for, woven
from tiercel_engine.support.errors import TiercelError

_CODE_OPTIONS = (
    "-S", "-emit-llvm", "-gdwarf-4", "-O1", "-Xclang", "-disable-llvm-passes", "-femit-all-decls", "-fPIC",
    "-D__NO_INLINE__", "-D__NO_CTYPE",
)  # fmt: skip
OLD_C = (
    "implicit-function-declaration", "implicit-int", "int-conversion", "incompatible-pointer-types",
    "incompatible-function-pointer-types", "return-type", "return-mismatch",
)  # fmt: skip
_MESSAGE_OPTIONS = (
    "-H",
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    *(f"-Wno-error={name}" for name in OLD_C),
)
_POINTER_LAYOUT = re.compile(r'^target datalayout = "(?:[^"]*-)?p:(\d+)', re.MULTILINE)
_HEADER = re.compile(r"^\.+ (.*)\n", re.MULTILINE)
_SNIFFED_BYTES = 1 << 16
_Compiled = tuple[str, tuple[Diagnostic, ...], int, tuple[str, ...]]
"""The IR, the warnings, the size of a pointer, the headers."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or the unsaved `text` of one in an editor."""

    path: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """How to compile; `bits` None means what the flags say (`-m32`), else 64."""

    bits: int | None = None
    flags: tuple[str, ...] = ()
    """Given by the user on top of the compile database or the defaults."""
    use_database: bool = True
    contracts: bool = False
    """Whether contracts in comments become part of the unit (contracts.py)."""
    woven: bool = False
    """Whether the project's stubs and rules become part of it (woven.py)."""
    time_limit: float = 60.0
    """Seconds after which the compiler is killed."""
    folded: bool = True
    """Whether to look for what clang folds without a word (`overflowing` does that later otherwise)."""
    overlay: str = ""
    """A file for `-ivfsoverlay`: headers that have another text than on disk (project/unsaved.py)."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A translation unit as printed LLVM IR of the toolchain's major version."""

    path: str
    """As the caller gave it; also the name in the IR's debug information."""
    ir_text: str
    warnings: tuple[Diagnostic, ...]
    seconds: float
    bits: int
    """The size of a pointer."""
    contract_errors: tuple[Diagnostic, ...] = ()
    """What is wrong with contracts in the file, and with stubs and rules; what is in question is not in the
    IR."""
    headers: tuple[str, ...] = ()
    """All files that were included, by absolute names."""


class CompileError(TiercelError):
    """The code does not compile; the place is that of the first error, all messages are in `diagnostics`."""

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        headers: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, file, line, column, hint)
        self.args = (message, file, line, column, hint, diagnostics, headers)
        self.diagnostics = diagnostics
        self.headers = headers


def compile_unit(source: Source | str | Path, options: CompileOptions | None = None) -> Unit:
    """Compile C (`.c`, `.i`) or read IR (`.ll`, `.bc`); the result is in the form that the `ir` room reads.

    Raises `CompileError` if the code is wrong and `TiercelError` if there is no such code, it is not
    C, or the compiler takes too long.
    """
    if not isinstance(source, Source):
        source = Source(os.fspath(source))
    options = options or CompileOptions()
    start = time.monotonic()
    content = _content(source)
    suffix = Path(source.path).suffix
    warnings: tuple[Diagnostic, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    headers: tuple[str, ...] = ()
    if suffix in (".ll", ".bc"):
        text = _read_ir(source.path, content, bitcode=suffix == ".bc")
        bits = _pointer_bits(text)
    else:
        _require_text(source.path, content)
        (text, warnings, bits, headers), problems = _compiled(source, options)
        if options.woven:
            text, warnings, problems = _with_project(source, options, text, warnings, problems)
    return Unit(source.path, text, warnings, time.monotonic() - start, bits, problems, headers)


def _content(source: Source) -> bytes:
    """The bytes of the source, as far as they are needed to tell what it is (all of them for IR)."""
    if source.text is not None:
        return source.text.encode("utf-8", "surrogateescape")
    path = Path(source.path)
    try:
        if path.is_dir():
            raise TiercelError("this is a directory", file=source.path, hint="name a C file")
        with path.open("rb") as file:
            return file.read(-1 if path.suffix in (".ll", ".bc") else _SNIFFED_BYTES)
    except FileNotFoundError:
        raise TiercelError("no such file", file=source.path, hint="check the spelling of the path") from None
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise TiercelError(
            f"this file cannot be read: {reason}", file=source.path, hint="check its permissions"
        ) from None


def _require_text(path: str, content: bytes) -> None:
    if b"\0" in content[:_SNIFFED_BYTES]:
        raise TiercelError("not a C source file (it is binary)", file=path, hint="name a C source file")


def _compiled(source: Source, options: CompileOptions) -> tuple[_Compiled, tuple[Diagnostic, ...]]:
    """The unit, and what is wrong with its contracts."""
    found, problems = _compile_contracts(source, options) if options.contracts else (None, ())
    return found or _compile_c(source, options), problems


def _with_project(
    source: Source,
    options: CompileOptions,
    ir_text: str,
    warnings: tuple[Diagnostic, ...],
    problems: tuple[Diagnostic, ...],
) -> tuple[str, tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """The compiled unit together with those stubs and rules of its project that are about it."""
    parts, wrong = parts_for(source.path)
    if not parts:
        return ir_text, warnings, (*problems, *wrong)
    text = source.text
    if text is None:
        text = Path(source.path).read_bytes().decode("utf-8", "surrogateescape")
    searched = replace(options, flags=(*options.flags, *flags_for(parts)))
    contract_problems = problems

    def compiled(whole: str) -> Attempt:
        nonlocal contract_problems
        try:
            (text, warnings, _, _), contract_problems = _compiled(Source(source.path, whole), searched)
        except CompileError as failure:
            return Attempt(None, failure.diagnostics)
        return Attempt(text, warnings)

    attempt, more = woven(text, ir_text, parts, compiled)
    if attempt is not None and attempt.ir_text is not None:
        ir_text, warnings, problems = attempt.ir_text, attempt.diagnostics, contract_problems
    return ir_text, warnings, (*problems, *wrong, *more)


def _compile_contracts(
    source: Source, options: CompileOptions
) -> tuple[_Compiled | None, tuple[Diagnostic, ...]]:
    """The unit with its written contracts (None: there are none) and what is wrong with them."""
    text = source.text
    if text is None:
        text = Path(source.path).read_bytes().decode("utf-8", "surrogateescape")
    bits = 0
    headers: tuple[str, ...] = ()

    def compiled(rewritten: str) -> Attempt:
        nonlocal bits, headers
        try:
            ir_text, warnings, bits, headers = _compile_c(Source(source.path, rewritten), options)
        except CompileError as failure:
            headers = failure.headers
            return Attempt(None, failure.diagnostics)
        return Attempt(ir_text, warnings)

    own = own_headers(Source(source.path, text), options)
    attempt, problems = with_contracts(text, source.path, own, compiled)
    if attempt is None or attempt.ir_text is None:
        return None, problems
    return (attempt.ir_text, attempt.diagnostics, bits, headers), problems


def own_headers(source: Source, options: CompileOptions) -> list[tuple[str, str]]:
    """The names and texts of the project's headers that a buffer includes."""
    assert source.text is not None, "a buffer has a text"
    found = file_flags(Path(source.path), options.flags, options.use_database)
    if not included.may_include_own(source.text, source.path, found.flags):
        return []
    bits = options.bits or found.bits or 64
    command, stdin, directory = _invocation(source, options, found.flags, bits)
    _, listing, _ = _run(_with(command, included.OPTIONS), stdin, directory, source.path, options.time_limit)
    return included.own_headers(listing, source.path, found.flags)


def _buffer(source: Source) -> tuple[str | None, Path | None]:
    """What the compiler reads on stdin, and where it is started."""
    if source.text is None:
        return None, None
    directory = Path(source.path).absolute().parent
    text = f"#line 1 {_c_string(source.path)}\n{source.text}"
    return text, directory if directory.is_dir() else None


def _compile_c(source: Source, options: CompileOptions) -> _Compiled:
    found = file_flags(Path(source.path), options.flags, options.use_database)
    bits = options.bits or found.bits or 64
    command, stdin, directory = _invocation(source, options, found.flags, bits)
    with ThreadPoolExecutor(1) as beside:
        unfolded = beside.submit(_overflowing, source, options, found.flags, bits) if options.folded else None
        status, stdout, stderr = _run(command, stdin, directory, source.path, options.time_limit)
        stderr, headers = _without_headers(stderr, directory)
        diagnostics = parse_diagnostics(stderr, source.path)
        if status != 0:
            raise _compile_error(source.path, status, stderr, diagnostics, headers)
        text = _named(stdout, source.path) if source.text is not None else stdout
        warnings = tuple(d for d in diagnostics if d.severity == "warning")
        if unfolded is not None:
            warnings = with_overflows(warnings, unfolded.result())
    return text, warnings, bits, headers


def overflowing(source: Source, options: CompileOptions) -> tuple[Diagnostic, ...]:
    """Constant operations of a file that compiles which clang folds and which overflow (folded.py)."""
    found = file_flags(Path(source.path), options.flags, options.use_database)
    return _overflowing(source, options, found.flags, options.bits or found.bits or 64)


def with_overflows(warnings: tuple[Diagnostic, ...], found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """The warnings of a unit with those of `overflowing` that clang did not give."""
    known = {(d.line, d.flag) for d in warnings}
    return (*warnings, *(d for d in found if (d.line, d.flag) not in known))


def _overflowing(
    source: Source, options: CompileOptions, flags: Sequence[str], bits: int
) -> tuple[Diagnostic, ...]:
    command, stdin, directory = _invocation(source, options, flags, bits)
    keeping = _with(command, folded.OPTIONS)
    status, stdout, _ = _run(keeping, stdin, directory, source.path, options.time_limit)
    return tuple(folded.overflows(stdout, source.path)) if status == 0 else ()


def _invocation(
    source: Source, options: CompileOptions, flags: Sequence[str], bits: int
) -> tuple[list[str], str | None, Path | None]:
    """The command, its input, and where it is run."""
    if options.overlay:
        flags = (*flags, "-ivfsoverlay", options.overlay)
    command = _command(toolchain(), source, flags, bits)
    return command, *_buffer(source)


def _with(command: Sequence[str], options: Sequence[str]) -> list[str]:
    """The command with more options, put where they come after the user's."""
    place = len(command) - len(("-x", "c", "NAME", "-o", "-"))
    return [*command[:place], *options, *command[place:]]


def _command(tools: Toolchain, source: Source, flags: Sequence[str], bits: int) -> list[str]:
    name = "-" if source.text is not None else source.path
    if source.text is None and name.startswith("-"):
        name = f"./{name}"
    base = os.getcwd()  # what relative names in debug information are relative to
    if source.text is not None and os.path.isabs(source.path):
        base = os.path.dirname(source.path)  # where headers beside a buffer are found
    return [
        *tools.clang(bits), *_CODE_OPTIONS, *flags, "-U_FORTIFY_SOURCE", *_MESSAGE_OPTIONS,
        f"-fdebug-compilation-dir={base}", "-x", "c", name, "-o", "-",
    ]  # fmt: skip


def _run(
    command: Sequence[str], stdin: str | None, directory: Path | None, path: str, time_limit: float
) -> tuple[int, str, str]:
    """Run the compiler in a process group of its own, which does not outlive this call."""
    data = None if stdin is None else stdin.encode("utf-8", "surrogateescape")
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            start_new_session=True,
        )
    except (OSError, ValueError) as problem:
        raise TiercelError(f"the C compiler cannot be started: {problem}", file=path) from None
    with process:
        try:
            stdout, stderr = process.communicate(data, timeout=time_limit)
        except subprocess.TimeoutExpired:
            raise TiercelError(
                f"the compiler did not finish within {time_limit:g} s", file=path, hint="raise the time limit"
            ) from None
        finally:
            _kill_group(process)
    return process.returncode, _decoded(stdout), _decoded(stderr)


def _decoded(output: bytes) -> str:
    return output.decode("utf-8", "surrogateescape")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


def _without_headers(stderr: str, directory: Path | None) -> tuple[str, tuple[str, ...]]:
    """What the compiler said but for the files that `-H` lists, and those."""
    base = os.fspath(directory) if directory is not None else os.getcwd()
    found = (os.path.normpath(os.path.join(base, name)) for name in _HEADER.findall(stderr))
    return _HEADER.sub("", stderr), tuple(dict.fromkeys(found))


def _compile_error(
    path: str, status: int, stderr: str, diagnostics: tuple[Diagnostic, ...], headers: tuple[str, ...]
) -> CompileError:
    first = next((d for d in diagnostics if d.severity == "error"), None)
    if first is None:
        said = (stderr.strip().splitlines() or ["it said nothing"])[-1]
        reason = f"the compiler crashed (signal {-status})" if status < 0 else f"the compiler failed: {said}"
        return CompileError(reason, path, diagnostics=diagnostics, headers=headers)
    hint = None
    if "file not found" in first.message:
        hint = "give the directory of the header with `-- -I DIR`, or provide a compile_commands.json"
    elif first.message.startswith("unknown argument"):
        hint = "check the options given after `--`"
    return CompileError(
        first.message, first.file, first.line or None, first.column or None, hint, diagnostics, headers
    )


def _c_string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _named(ir_text: str, path: str) -> str:
    """The IR of a buffer with the file's name in the places where `#line` did not put it."""
    name = path.replace("\\", "\\5C").replace('"', "\\22")
    ir_text = ir_text.replace('source_filename = "-"', f'source_filename = "{name}"', 1)
    return ir_text.replace('!DIFile(filename: "-"', f'!DIFile(filename: "{name}"')


def _read_ir(path: str, content: bytes, bitcode: bool) -> str:
    """IR in its current printed form: old spellings (debug intrinsics, attributes) are brought up to date."""
    import llvmlite.binding as llvm  # noqa: PLC0415  (loads a large library)

    toolchain()  # its LLVM is llvmlite's
    context = llvm.create_context()
    try:
        if bitcode:
            return str(llvm.parse_bitcode(content, context=context))
        _require_text(path, content)
        return str(llvm.parse_assembly(content.decode("utf-8", "replace"), context=context))
    except RuntimeError as problem:
        raise _ir_error(path, str(problem), bitcode) from None


def _ir_error(path: str, problem: str, bitcode: bool) -> CompileError:
    diagnostics = tuple(
        Diagnostic(path, d.line, d.column, d.severity, d.message) for d in parse_diagnostics(problem, path)
    )
    if diagnostics:
        first = diagnostics[0]
        return CompileError(first.message, path, first.line, first.column, None, diagnostics)
    reason = problem.strip().splitlines()[-1] if problem.strip() else "unreadable"
    kind = "LLVM bitcode" if bitcode else "LLVM IR"
    return CompileError(f"not {kind} of this version: {reason}", path)


def _pointer_bits(ir_text: str) -> int:
    layout = _POINTER_LAYOUT.search(ir_text)
    return int(layout[1]) if layout else 64
