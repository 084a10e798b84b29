"""C that was not written here: sdists from the package registry, every function verified by itself.

    real_code.py [--timeout SECONDS] [--files GLOB] [--limit N] [--whole] [PROJECT ...]

A project's sdist is fetched with pip, unpacked below `--directory`, and a `compile_commands.json` is
written into it by simple rules: every C file of the project's folder but those that need Python's headers,
with its own folder and all folders with headers beside it on the include path. Then `tiercel check` runs
on each file, or with `--whole` on all of them at once, and its reports are kept (`reports/PROJECT/`, with
what it wrote to stderr). Printed per project: how many functions ended how, why the unknown ones are
unknown, seconds, and the most memory that the processes of one run had together.

Exit status: 0; 1 if the engine failed on a function (`error`), a run broke off, or a function took more
than its hard time limit; 2 if a project cannot be fetched.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiercel_engine.api import CheckRequest, compile_file
from tiercel_engine.ir.parser import parse_module
from tiercel_engine.project.selection import candidates
from tiercel_engine.project.workers import hard_limit
from tiercel_engine.support.errors import TiercelError

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tiercel-benchmarks"
STATUSES = ("proved", "bounded", "alarm", "unknown", "error")
_PYTHON = re.compile(rb'^\s*#\s*include\s*[<"]Python\.h[>"]', re.MULTILINE)
_SAMPLE_SECONDS = 0.1
_SLACK = 1.0


@dataclass(frozen=True, slots=True)
class Project:
    """Which sdist, and which of its C files. `environment` keeps the sdist's own build steps short, which
    pip runs to learn its name."""

    sdist: str
    folder: str
    defines: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


PROJECTS = {
    "hiredis": Project("hiredis==3.5.0", "vendor/hiredis", left_out=("test.c", "ssl.c", "sockcompat.c")),
    "lz4": Project("lz4==4.4.5", "lz4libs", ("-DXXH_NAMESPACE=LZ4_",)),
    "lua": Project(
        "lupa==2.8", "third-party/lua54", ("-DLUA_USE_POSIX",), ("onelua.c", "testes/*", "ltests.c"),
        {"LUPA_NO_BUNDLE": "true"},
    ),
}  # fmt: skip


# -- getting the sources


def fetch(project: Project, directory: Path) -> Path:
    """The folder with the project's C files, downloaded and unpacked unless it is there already."""
    name = project.sdist.replace("==", "-")
    archive, tree = directory / "sdists" / f"{name}.tar.gz", directory / "trees" / name
    if not archive.is_file():
        archive.parent.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable, "-m", "pip", "download", "--no-binary", ":all:", "--no-deps", "--dest",
            str(archive.parent), project.sdist,
        ]  # fmt: skip
        done = subprocess.run(
            command, env={**os.environ, **project.environment}, capture_output=True, check=False, timeout=600
        )
        if done.returncode != 0 or not archive.is_file():
            raise TiercelError(f"pip could not download {project.sdist}")  # its output names hosts
    if not tree.is_dir():
        shutil.rmtree(tree.with_suffix(".part"), ignore_errors=True)
        with tarfile.open(archive) as packed:
            packed.extractall(tree.with_suffix(".part"), filter="data")
        (inner,) = tree.with_suffix(".part").iterdir()
        inner.rename(tree)
        tree.with_suffix(".part").rmdir()
    return tree / project.folder


def sources(folder: Path, project: Project) -> list[Path]:
    """The C files of a project, without those that need Python's headers."""
    found = []
    for path in sorted(folder.rglob("*.c")):
        name = str(path.relative_to(folder))
        if any(fnmatch.fnmatch(name, pattern) for pattern in project.left_out):
            continue
        if not _PYTHON.search(path.read_bytes()):
            found.append(path)
    return found


def write_database(folder: Path, files: Iterable[Path], defines: Sequence[str]) -> None:
    """A compile database: own folder first, then every folder that holds headers."""
    headers = sorted({path.parent for path in folder.rglob("*.h")})
    entries = []
    for path in files:
        include = dict.fromkeys([path.parent, *headers])
        words = ["cc", *(f"-I{each}" for each in include), *defines, "-c", str(path)]
        entries.append({"directory": str(folder), "file": str(path), "arguments": words})
    (folder / "compile_commands.json").write_text(json.dumps(entries, indent=1) + "\n")


def sampled(files: Iterable[Path], limit: int) -> dict[Path, list[str]]:
    """`limit` functions of all files, by the hash of their names: the same ones each time."""
    names: list[tuple[str, Path, str]] = []
    for path in files:
        try:
            unit = compile_file(path, CheckRequest())
        except TiercelError:
            continue
        for found in candidates(parse_module(unit.ir_text), str(path), ()):
            if os.path.realpath(found.place.file) == os.path.realpath(path):
                key = hashlib.sha1(found.name.encode(), usedforsecurity=False).hexdigest()
                names.append((key, path, found.name))
    chosen: dict[Path, list[str]] = {}
    for _, path, name in sorted(names)[:limit]:
        chosen.setdefault(path, []).append(name)
    return chosen


# -- running


@dataclass(slots=True)
class Tally:
    """What came out of a project."""

    functions: dict[tuple[str, int, str], dict[str, Any]] = field(default_factory=dict)
    not_compiled: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0
    memory: int = 0


def verify(
    batch: Sequence[Path], names: Sequence[str], args: argparse.Namespace, report: Path, tally: Tally
) -> None:
    """Runs `tiercel check` on some files and adds what it said."""
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    command = [
        sys.executable, "-m", "tiercel_engine.cli.main", "check", *map(str, batch), "--format", "json",
        "-o", str(report), "--no-cache", "--no-replay", "--timeout", str(args.timeout),
        "--jobs", str(args.jobs), "--unwind", str(args.unwind), "--depth", str(args.depth),
    ]  # fmt: skip
    for name in names:
        command += ["--function", name]
    started = time.monotonic()
    with report.with_suffix(".stderr").open("w") as messages:
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=messages, env={**os.environ, "TIERCEL_DEBUG": "1"}
        )
        watcher = threading.Thread(target=_watch, args=(process, tally))
        watcher.start()
        process.wait()
        watcher.join()
    tally.seconds += time.monotonic() - started
    if not report.is_file():
        tally.broken.append(f"{report.stem}: no report, exit status {process.returncode}")
        return
    content = json.loads(report.read_text())
    for problem in content["errors"]:
        tally.not_compiled.append(f"{problem['file']}:{problem['line']}: {problem['message']}")
    for function in content["functions"]:
        tally.functions.setdefault((function["file"], function["line"], function["name"]), function)


def _watch(process: subprocess.Popen[bytes], tally: Tally) -> None:
    while process.poll() is None:
        tally.memory = max(tally.memory, _tree_memory(process.pid))
        time.sleep(_SAMPLE_SECONDS)


def _tree_memory(root: int) -> int:
    """The resident bytes of a process and all below it (shared pages count each time)."""
    parents: dict[int, int] = {}
    pages: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.name)] = int(stat[1])
        pages[int(entry.name)] = int(stat[21])
    total = 0
    for above, count in pages.items():
        while above not in (0, root):
            above = parents.get(above, 0)
        total += count if above == root else 0
    return total * os.sysconf("SC_PAGE_SIZE")


# -- telling


def general(reason: str) -> str:
    """A reason without the names and numbers that differ from place to place."""
    reason = re.sub(r"\bline \d+", "line N", reason)
    return re.sub(r"`[^`]*`", "`…`", reason)


def reason_of(function: Mapping[str, Any]) -> str:
    """Why a function is unknown: its own reason, or that of its first unknown check."""
    if function["reason"]:
        return general(function["reason"])
    unknown = [check for check in function["checks"] if check["status"] == "unknown"]
    return general(unknown[0]["reason"]) if unknown else "no reason given"


def tell(name: str, tally: Tally, args: argparse.Namespace) -> bool:
    """Prints a project's numbers; True if nothing went wrong in the engine."""
    functions = list(tally.functions.values())
    counts = collections.Counter(function["status"] for function in functions)
    useful = sum(counts[status] for status in ("proved", "bounded", "alarm"))
    share = f", {useful / len(functions):.1%} proved, bounded or alarm" if functions else ""
    print(f"\n{name}: {len(functions)} functions{share}")
    print("  " + "  ".join(f"{status} {counts[status]}" for status in STATUSES))
    print(f"  {tally.seconds:.0f} s, at most {tally.memory / (1 << 20):.0f} MB")
    kinds = collections.Counter(
        check["kind"] for f in functions for check in f["checks"] if check["status"] == "alarm"
    )
    if kinds:
        print("  alarms: " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    reasons = collections.Counter(reason_of(f) for f in functions if f["status"] == "unknown")
    for reason, count in reasons.most_common(args.reasons):
        print(f"  {count:5}  unknown: {reason}")
    failed = [f for f in functions if f["status"] == "error"]
    for function in failed:
        print(f"         error: {function['name']}: {function['reason']}")
    late = [f for f in functions if f["seconds"] > hard_limit(args.timeout) + _SLACK]
    for function in late:
        print(f"         late: {function['name']}: {function['seconds']:.1f} s")
    for problem in tally.not_compiled[:10]:
        print(f"         not compiled: {problem}")
    for problem in tally.broken:
        print(f"         broken: {problem}")
    return not (failed or late or tally.broken)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help=", ".join(PROJECTS))
    parser.add_argument("--directory", type=Path, default=CACHE, help="where downloads and reports are kept")
    parser.add_argument("--timeout", type=float, default=10, help="seconds for each function")
    parser.add_argument("--unwind", type=int, default=4)
    parser.add_argument("--depth", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--files", default="*", help="only C files whose name matches this pattern")
    parser.add_argument("--limit", type=int, default=0, help="only so many functions of each project")
    parser.add_argument("--whole", action="store_true", help="one run for all files of a project")
    parser.add_argument("--reasons", type=int, default=25, help="how many reasons to list")
    args = parser.parse_args()
    unknown = [name for name in args.projects if name not in PROJECTS]
    if unknown:
        parser.error(f"no such project: {', '.join(unknown)}; there are {', '.join(PROJECTS)}")
    fine = True
    for name in args.projects or PROJECTS:
        project = PROJECTS[name]
        try:
            folder = fetch(project, args.directory)
        except (TiercelError, subprocess.TimeoutExpired, tarfile.TarError) as failure:
            print(f"{name}: {failure}")
            return 2
        files = sources(folder, project)
        write_database(folder, files, project.defines)
        files = [path for path in files if fnmatch.fnmatch(path.name, args.files)]
        chosen = sampled(files, args.limit) if args.limit else {path: [] for path in files}
        tally = Tally()
        reports = args.directory / "reports" / name
        if args.whole:
            names = [each for path in chosen for each in chosen[path]]
            verify(list(chosen), names, args, reports / "whole.json", tally)
        else:
            for path, names in chosen.items():
                print(f"{name}: {path.name}", flush=True)
                verify([path], names, args, reports / f"{path.stem}.json", tally)
        fine &= tell(name, tally, args)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
