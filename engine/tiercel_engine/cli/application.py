"""The commands of `tiercel`, declared with typer. Each is a thin shell around the engine's façade."""

# ruff: noqa: PLC0415  (late imports keep the start-up short)
from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from tiercel_engine.cli import choices
from tiercel_engine.cli.main import BAD_INPUT, FOUND_ALARMS, FOUND_NOTHING, UNKNOWN
from tiercel_engine.support.errors import TiercelError

application = typer.Typer(
    name="tiercel",
    help="Verifies C where it is written.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        from tiercel_engine.api import VERSION

        print(f"tiercel {VERSION}")
        raise typer.Exit


@application.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Verifies C where it is written. Compiler flags follow after `--`."""


@application.command()
def check(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="C files or folders.")],
    function: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Verify only this function (repeatable).")
    ] = None,
    checks: Annotated[str, typer.Option(metavar="A,B", help="Only these checks.")] = "",
    depth: Annotated[int, typer.Option(help="Call depth: callees up to it are inlined.")] = 1,
    unwind: Annotated[int, typer.Option(help="Loop iterations.")] = 8,
    timeout: Annotated[float, typer.Option(help="Seconds for each function.")] = 10.0,
    loop: Annotated[
        list[str] | None, typer.Option(metavar="FUNC:LINE=N", help="Iterations of one loop (repeatable).")
    ] = None,
    recursion: Annotated[int, typer.Option(help="Depth of recursion.")] = 3,
    contracts: Annotated[str, typer.Option(help="inferred (and written), written or none.")] = "inferred",
    alias: Annotated[str, typer.Option(help="distinct or may.")] = "distinct",
    memory: Annotated[str, typer.Option(help="objects, refined, split or flat.")] = "objects",
    precision: Annotated[str, typer.Option(help="Arithmetic precision.")] = "bv",
    solver: Annotated[str, typer.Option(help="bitwuzla or z3.")] = "bitwuzla",
    bits: Annotated[str, typer.Option(help="32 or 64; by default what the flags say.")] = "",
    entry: Annotated[str, typer.Option(metavar="NAME", help="The program starts in this function.")] = "",
    jobs: Annotated[int, typer.Option(help="Worker processes; 0: one per processor.")] = 0,
    cluster: Annotated[str, typer.Option(metavar="ADDRESS", help="Workers elsewhere.")] = "",
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
    output: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write the report here.")] = None,
    dump: Annotated[str, typer.Option(help="Show what is behind: ir, model or smt.")] = "",
    replay: Annotated[
        bool, typer.Option("--replay/--no-replay", help="Execute the counterexamples of alarms.")
    ] = True,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Reuse no earlier result.")] = False,
) -> None:
    """Verify the functions of C files."""
    from tiercel_engine.api import CheckRequest
    from tiercel_engine.cli import show
    from tiercel_engine.verify.options import Options

    if cluster:
        raise choices.unavailable("--cluster")
    for name, value, least in (("depth", depth, 0), ("unwind", unwind, 0), ("recursion", recursion, 0),
                               ("timeout", timeout, 0.01), ("jobs", jobs, 0)):  # fmt: skip
        choices.at_least(name, value, least)
    if entry and function:
        raise TiercelError("--entry and --function exclude each other")
    options = Options(
        checks=choices.checks(checks),
        depth=depth,
        unwind=unwind,
        recursion=recursion,
        loops=choices.loops(loop or []),
        timeout=timeout,
        alias=choices.choice("alias", alias),
        memory=choices.choice("memory", memory),
        precision=choices.choice("precision", precision),
        solver=choices.choice("solver", solver),
        contracts=choices.choice("contracts", contracts),
        entry=bool(entry),
        dump=choices.choice("dump", dump),
    )
    request = CheckRequest(
        options=options,
        functions=tuple(function or ()),
        entry=entry,
        bits=int(choices.choice("bits", bits)) if bits else None,
        flags=context.obj or (),
        jobs=jobs or None,
        replay=replay,
        cache=not no_cache,
    )
    form = choices.choice("format", format)
    if dump == "ir":
        show.print_ir(paths, request, output)
        return
    report = show.checked(paths, request)
    show.write(report, form, output)
    if report.errors:
        raise typer.Exit(BAD_INPUT)
    raise typer.Exit({"alarm": FOUND_ALARMS, "unknown": UNKNOWN}.get(report.status, FOUND_NOTHING))


@application.command()
def svcomp(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    property: Annotated[str, typer.Option(help="reach, overflow or memsafety.")],
    bits: Annotated[str, typer.Option(help="32 or 64.")] = "32",
    time_limit: Annotated[float, typer.Option(metavar="S", help="Seconds for everything.")] = 60.0,
    witness: Annotated[Path | None, typer.Option(metavar="OUT.yml", help="Write a witness.")] = None,
) -> None:
    """Decide a property of a program; the last line is TRUE, FALSE(…) or UNKNOWN(…)."""
    from tiercel_engine.cli import svcomp as competition

    if witness is not None:
        raise choices.unavailable("--witness")
    choices.at_least("time-limit", time_limit, 1)
    task = competition.Task(
        str(file),
        choices.choice("property", property),
        int(choices.choice("bits", bits)),
        time_limit,
        tuple(context.obj or ()),
    )
    raise typer.Exit(competition.run(task))


@application.command()
def harness(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A C file.")],
    function: Annotated[str, typer.Option(metavar="NAME", help="The function that fails.")],
    check: Annotated[
        str, typer.Option(metavar="ID", help="The alarm: its id, KIND:N or KIND; by default the first.")
    ] = "",
    output: Annotated[Path, typer.Option("-o", metavar="DIR", help="Where the files go.")] = Path("harness"),
    shape: Annotated[str, typer.Option(help="main, unity, cmocka or libfuzzer.")] = "main",
    debug: Annotated[bool, typer.Option("--debug", help="Start gdb where it fails.")] = False,
    unwind: Annotated[int, typer.Option(help="Loop iterations.")] = 8,
    depth: Annotated[int, typer.Option(help="Call depth: callees up to it are inlined.")] = 1,
    timeout: Annotated[float, typer.Option(help="Seconds.")] = 60.0,
    contracts: Annotated[str, typer.Option(help="As for check.")] = "inferred",
    entry: Annotated[bool, typer.Option("--entry", help="The function is the program's start.")] = False,
) -> None:
    """Write a counterexample as a C test that fails."""
    from tiercel_engine.api import CheckRequest
    from tiercel_engine.cli.harness import HarnessRequest, debugged, written
    from tiercel_engine.verify.options import Options

    request = CheckRequest(
        options=Options(
            unwind=unwind,
            depth=depth,
            timeout=timeout,
            entry=entry,
            contracts=choices.choice("contracts", contracts),
        ),
        functions=() if entry else (function,),
        entry=function if entry else "",
        flags=context.obj or (),
    )
    wanted = HarnessRequest(path, check, output, choices.choice("shape", shape), request)
    for line in written(wanted):
        print(line)
    if debug:
        raise typer.Exit(debugged(wanted))


@application.command()
def refine(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A C file.")],
    check: Annotated[str, typer.Option(metavar="ID", help="The alarm: its id, or FUNCTION:KIND:N.")],
    apply: Annotated[bool, typer.Option("--apply", help="Write the first suggestion into its file.")] = False,
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
    contracts: Annotated[str, typer.Option(help="inferred (and written), written or none.")] = "inferred",
    unwind: Annotated[int, typer.Option(help="Loop iterations.")] = 8,
    depth: Annotated[int, typer.Option(help="Call depth: callees up to it are inlined.")] = 1,
    timeout: Annotated[float, typer.Option(help="Seconds for each function.")] = 10.0,
    jobs: Annotated[int, typer.Option(help="Worker processes; 0: one per processor.")] = 0,
) -> None:
    """Suggest a contract that excludes an alarm which is false."""
    from tiercel_engine.api import CheckRequest
    from tiercel_engine.cli.refine import RefineRequest, as_json, as_text, refined
    from tiercel_engine.verify.options import Options

    form = choices.choice("format", format)
    options = Options(
        unwind=unwind, depth=depth, timeout=timeout, contracts=choices.choice("contracts", contracts)
    )
    request = CheckRequest(options=options, flags=context.obj or (), jobs=jobs or None)
    outcome = refined(RefineRequest(path, check, request), apply)
    print(as_json(outcome) if form == "json" else as_text(outcome), end="")
    raise typer.Exit(FOUND_NOTHING if outcome.found.offers else UNKNOWN)


@application.command()
def contracts(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="C files or folders.")],
    format: Annotated[str, typer.Option(help="acsl or json.")] = "acsl",
    contracts: Annotated[str, typer.Option(help="inferred (and written), or written.")] = "inferred",
) -> None:
    """List the contracts of C files, written and inferred."""
    from tiercel_engine.api import CheckRequest
    from tiercel_engine.cli.contracts import as_json, as_text, listed
    from tiercel_engine.verify.options import Options

    form = choices.choice("contracts --format", format)
    options = Options(contracts=choices.choice("contracts --contracts", contracts))
    listing = listed(paths, CheckRequest(options, flags=context.obj or ()))
    for error in listing.errors:
        print(error, file=sys.stderr)
    print(as_json(listing) if form == "json" else as_text(listing), end="")
    raise typer.Exit(BAD_INPUT if listing.errors else FOUND_NOTHING)


@application.command()
def include() -> None:
    """Where tiercel.h lies, for other compilers: `cc -I$(tiercel include) ...`."""
    from tiercel_engine.frontend.flags import INCLUDE

    print(INCLUDE)


@application.command()
def doctor(
    context: typer.Context, file: Annotated[Path | None, typer.Argument(metavar="[FILE]")] = None
) -> None:
    """What was found: compiler, solvers, cache, the flags for a file."""
    from tiercel_engine.cli.doctor import examine

    healthy = True
    for line in examine(file, tuple(context.obj or ())):
        print(f"{line.topic:10} {line.text}")
        healthy = healthy and line.good
    raise typer.Exit(FOUND_NOTHING if healthy else BAD_INPUT)


@application.command()
def server(
    stdio: Annotated[bool, typer.Option("--stdio", help="Talk on stdin and stdout (the default).")] = False,
    tcp: Annotated[int, typer.Option(metavar="PORT", help="Serve one client on a local port.")] = 0,
) -> None:
    """The language server."""
    import importlib

    if stdio and tcp:
        raise TiercelError("--stdio and --tcp exclude each other")
    serving = importlib.import_module("tiercel_server.main")  # by name: the engine does not know its server
    if tcp:
        serving.serve_tcp(tcp)
    else:
        serving.serve_stdio()


def _refuse(command: str) -> NoReturn:
    raise choices.unavailable(f"tiercel {command}")


def _plan(command: str) -> None:
    """Names a command of the design that is not built, so that it is refused and not misunderstood."""

    @application.command(
        command, hidden=True, context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
    )
    def planned() -> None:
        _refuse(command)


for _name in ("watch",):
    _plan(_name)

if __name__ == "__main__":
    sys.exit("start tiercel_engine.cli.main instead")
