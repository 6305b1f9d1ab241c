"""`matheur solve`: the main command."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from matheur.cli import completion
from matheur.cli.output import (
    ComplementOption,
    FormatOption,
    GroupsOption,
    JsonOption,
    ProblemOption,
    SettingOption,
    SolverOption,
    WeightsOption,
    graph_reading,
    plain_console,
    print_json,
)
from matheur.engine.protocols import Remarking
from matheur.errors import ConfigurationError, UnwrittenError, printable

if TYPE_CHECKING:
    from rich.console import Console

    from matheur.cli.progress import Progress
    from matheur.running.result import Result

__all__ = ["solve"]


def solve(
    instance: Annotated[
        str,
        typer.Argument(
            help="A file, a URL, - for standard input, or a built-in PROBLEM/NAME.", autocompletion=completion.instances
        ),
    ],
    problem: ProblemOption = None,
    construction: Annotated[
        str | None, typer.Option(help="Construction operator.", autocompletion=completion.constructions)
    ] = None,
    neighbourhoods: Annotated[
        str | None,
        typer.Option(
            help="Neighbourhoods, separated by commas; none for construction only.",
            autocompletion=completion.neighbourhoods,
        ),
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            help="cycle, descent, gvns, roulette, gain-per-second or q-learning.",
            autocompletion=completion.schedules,
        ),
    ] = None,
    acceptance: Annotated[
        str | None,
        typer.Option(
            help="improving, non-worsening, annealing, late-acceptance or record-to-record.",
            autocompletion=completion.criteria,
        ),
    ] = None,
    solver: SolverOption = None,
    preset: Annotated[
        str | None, typer.Option(help="A shipped configuration: default, paper, ...", autocompletion=completion.presets)
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Time limit.", min=0, metavar="S")] = None,
    iterations: Annotated[int | None, typer.Option(help="Operator calls.", min=0)] = None,
    work: Annotated[int | None, typer.Option(help="Deterministic work units.", min=0)] = None,
    target: Annotated[float | None, typer.Option(help="Score at which to stop.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all random choices.", min=0)] = None,
    jobs: Annotated[int | None, typer.Option(help="Number of processes.", min=1)] = None,
    start: Annotated[str | None, typer.Option(help="A solution to start from, in any format.", metavar="FILE")] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file with settings.")] = None,
    set_: SettingOption = None,
    groups: GroupsOption = None,
    format: FormatOption = None,  # noqa: A002
    complement: ComplementOption = None,
    weights: WeightsOption = None,
    out: Annotated[Path | None, typer.Option(help="Result file (JSON), kept up to date.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Event stream (JSON lines).")] = None,
    checkpoint: Annotated[Path | None, typer.Option(help="Folder for the state, to continue with --resume.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the checkpoint.")] = False,
    pool: Annotated[
        Path | None,
        typer.Option(help="Folder of elites that are shared with other runs, also earlier ones.", metavar="FOLDER"),
    ] = None,
    certify: Annotated[bool, typer.Option("--certify", help="Prove an optimum again by a second method.")] = False,
    json: JsonOption = False,
) -> int:
    """Construct a solution, improve it, certify it.

    Examples:

      matheur solve edge-matching/demo

      matheur solve pieces.txt --preset paper --solver scip --seconds 300 --out board.json
    """
    from matheur.engine import Interrupt
    from matheur.engine.checkpoint import CHECKPOINT
    from matheur.engine.outputs import keep_apart
    from matheur.running.given_start import OwnForm
    from matheur.running.loading import file_of, load_instance, load_start
    from matheur.running.solving import instance_options
    from matheur.running.solving import solve as run_search

    keep_apart(
        {"--out": out, "--trace": trace, "the state in --checkpoint": checkpoint and checkpoint / CHECKPOINT},
        {"the instance": file_of(instance), "--start": start and file_of(start), "--config": config},
    )
    # Loaded before interrupts only set a flag: there is no result yet, and reading a large file does not check it.
    problem, reading = graph_reading(problem, format, complement, weights)
    options = instance_options(config, set_ or (), {**reading, **({"groups": groups} if groups else {})})
    kind, problem_object = load_instance(instance, problem, options)
    begin = None if start is None else OwnForm(load_start(kind, problem_object, start))
    with Interrupt() as interrupt, ExitStack() as stack:
        console = None if json else plain_console()
        observers = [] if console is None else [stack.enter_context(_progress(console, problem_object.score_max))]
        result = run_search(
            problem_object,
            name=instance,
            options=options,
            seconds=seconds,
            iterations=iterations,
            work=work,
            target=target,
            solver=solver,
            construction=construction,
            neighbourhoods=_names(neighbourhoods),
            schedule=schedule,
            acceptance=acceptance,
            preset=preset,
            config=config,
            settings=set_ or (),
            seed=seed,
            jobs=jobs,
            start=begin,
            observers=observers,
            trace=trace,
            out=out,
            checkpoint=checkpoint,
            resume=resume,
            pool=pool,
            certify=certify,
            interrupt=interrupt,
        )
        if console is None:
            print_json(result.to_dict())
        else:
            stack.close()
            _report(console, result, out)
        fault = result.fault
        if fault is not None and not (isinstance(fault, UnwrittenError) and interrupt()):
            raise fault
        return 130 if interrupt() else 0


def _progress(console: Console, score_max: int | float | None) -> Progress:
    from matheur.cli.progress import Progress  # imports modules that --json does not need

    return Progress(console, score_max)


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if names in (["none"], [""]):
        return []
    if not all(names):
        raise ConfigurationError(f"an empty name in --neighbourhoods ({text!r})")
    return names


def _proved(result: Any) -> str:
    """Bound and gap of a solution that is not proved optimal, unless they follow from the largest score."""
    if result.status != "feasible" or result.bound_score is None:
        return ""
    bound = result.bound_score
    if bound == result.score_max:
        return ""
    gap = "" if result.gap is None or math.isinf(result.gap) else f", gap {100 * result.gap:.4g} %"
    return f"bound {bound}{gap}"


def _remark(result: Any) -> str:
    """The problem's remark on the solution; empty if there is none."""
    said = result.problem.remark(result.solution) if result.feasible and isinstance(result.problem, Remarking) else None
    return said or ""


def _report(console: Console, result: Result, out: Path | None) -> None:
    from rich.table import Table

    if result.operators:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("operator")
        for name in ("calls", "seconds", "successes", "gain", "gain/s", "proofs"):
            table.add_column(name, justify="right")
        improving = result.configuration["neighbourhoods"]
        for name, figures in result.operators.items():
            rate = figures.gain / figures.seconds if figures.seconds else 0.0
            gains = [str(figures.successes), f"{figures.gain:g}", f"{rate:.2f}"]
            if name not in improving:
                gains = ["-"] * len(gains)  # a construction has no incumbent to improve
            table.add_row(name, str(figures.calls), f"{figures.seconds:.2f}", *gains, str(figures.proofs))
        console.print(table)
    score = "none" if result.score is None else f"{result.score}"
    of = "" if result.score_max is None or result.score is None else f" of {result.score_max}"
    console.print(f"score {score}{of}, {result.status}, {result.seconds:.1f} s ({result.stopped})")
    for said in (_proved(result), _remark(result)):
        if said:
            console.print(said)
    if result.reason:
        console.print(f"reason: {printable(result.reason)}")
    elif result.note:
        console.print(f"note: {printable(result.note)}")
    if result.start:
        text = printable(f"start {result.start['outcome']}: {result.start['text']}")
        console.print(text)
    for assumed in getattr(result.problem, "assumptions", ()):
        console.print(f"assumed: {printable(assumed)}")
    if result.certificate:
        second = ("second", "no_second", "second_failed")
        shown = {key: value for key, value in result.certificate.items() if key not in second}
        facts = ", ".join(f"{key} {value}" for key, value in shown.items())
        console.print(f"certificate: {facts}")
        if "no_second" in result.certificate:
            console.print(f"no second proof: {result.certificate['no_second']}")
        if "second" in result.certificate:
            confirmed = ", ".join(f"{key} {value}" for key, value in result.certificate["second"].items())
            console.print(f"confirmed: {confirmed}")
    for text in result.unwritten.values():
        console.print(f"not written: {text}")
    if out is not None and "result" not in result.unwritten:
        console.print(f"written to {out}")
