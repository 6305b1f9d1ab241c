"""`matheur diverse`, `matheur sweep` and `matheur front`: tools for the design of puzzles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from matheur.cli.output import JsonOption, SeedOption, SettingOption, SolverOption, check_outputs, print_json
from matheur.errors import ConfigurationError

if TYPE_CHECKING:
    from matheur.running.diversity import Diversity
    from matheur.running.fronts import ParetoFront

__all__ = ["diverse", "front", "sweep"]

_DRAWN = {".svg": "svg", ".png": "png"}

WorkOption = Annotated[int | None, typer.Option(help="Deterministic work units.", min=0)]


def diverse(
    instance: Annotated[str, typer.Argument(help="An instance whose solutions can be compared.")],
    count: Annotated[int, typer.Option(help="Number of solutions.", min=1)] = 5,
    within: Annotated[
        float, typer.Option(help="Largest distance from the best price, in per cent.", min=0, metavar="PERCENT")
    ] = 5.0,
    distance: Annotated[
        int, typer.Option(help="Least number of items or places in which two solutions differ.", min=1)
    ] = 1,
    by_slot: Annotated[
        bool, typer.Option("--by-slot", help="The same items in other slots count as a different solution.")
    ] = False,
    bands: Annotated[int, typer.Option(help="Price bands in which solutions are counted.", min=1)] = 5,
    exhaustive: Annotated[
        bool, typer.Option("--exhaustive", help="Continue until all are known, with proof, or the time is over.")
    ] = False,
    seconds: Annotated[float | None, typer.Option(help="Time limit (60).", min=0, metavar="S")] = None,
    work: WorkOption = None,
    solver: SolverOption = None,
    seed: SeedOption = 0,
    set_: SettingOption = None,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON to this file.")] = None,
    json: JsonOption = False,
) -> int:
    """Find different solutions near the best price, and how many there are.

    Example: matheur diverse party/demo --within 30 --count 3 --exhaustive
    """
    from matheur.engine import Interrupt
    from matheur.engine.files import write_json
    from matheur.running.diversity import diverse as ask

    check_outputs({"--out": out}, {"the instance": instance})
    with Interrupt() as interrupt:
        found = ask(
            instance,
            count=count,
            within=within,
            distance=distance,
            by_slot=by_slot,
            bands=bands,
            exhaustive=exhaustive,
            seconds=seconds,
            work=work,
            solver=solver,
            settings=set_ or (),
            seed=seed,
            interrupt=interrupt,
        )
        facts = found.to_dict()
        if out is not None:
            write_json(out, facts)
        if json:
            print_json(facts)
        else:
            _show_diversity(found, facts)
        return 130 if interrupt() else 0


def sweep(
    instance: Annotated[str, typer.Argument(help="An instance whose demands have thresholds.")],
    demand: Annotated[
        str, typer.Option(help="synergy, the number of a constraint from 1, its column, or TYPE:COLUMN.")
    ],
    values: Annotated[str, typer.Option(help="Thresholds, separated by commas.", metavar="V,V,...")],
    per_slot: Annotated[
        bool, typer.Option("--per-slot", help="Thresholds are means over the slots: multiply by their number.")
    ] = False,
    seconds: Annotated[float | None, typer.Option(help="Time limit of each search (10).", min=0, metavar="S")] = None,
    work: WorkOption = None,
    constructions: Annotated[
        int, typer.Option(help="Solutions constructed at each threshold to measure the difficulty.", min=0)
    ] = 1000,
    solver: SolverOption = None,
    seed: SeedOption = 0,
    set_: SettingOption = None,
    out: Annotated[Path | None, typer.Option(help="File for the curve (CSV).")] = None,
    out_plot: Annotated[Path | None, typer.Option(help="Draw the curve: X.svg or X.png.")] = None,
    json: JsonOption = False,
) -> int:
    """Price and difficulty of a puzzle over the threshold of a demand.

    Example: matheur sweep party/demo --demand synergy --values 0.5,0.7,0.9 --out-plot curve.svg
    """
    from matheur.engine import Interrupt
    from matheur.engine.problem_types import tool_of, with_tool
    from matheur.running.loading import load_instance
    from matheur.running.solving import instance_options

    check_outputs({"--out": out, "--out-plot": out_plot}, {"the instance": instance})
    _check_drawn(out_plot)
    _, problem = load_instance(instance, None, instance_options(None, set_ or (), None))
    ask = tool_of(problem.name, "sweep")
    if ask is None:
        known = " and ".join(with_tool("sweep"))
        raise ConfigurationError(
            f"thresholds of demands can be varied only in {known} puzzles (not in '{problem.name}')"
        )
    thresholds = [value.strip() for value in values.split(",") if value.strip()]
    with Interrupt() as interrupt:
        curve = ask(
            problem,
            demand,
            thresholds,
            name=instance,
            per_slot=per_slot,
            seconds=seconds,
            work=work,
            constructions=constructions,
            solver=solver,
            settings=set_ or (),
            seed=seed,
            interrupt=interrupt,
        )
        _deliver(curve, out, out_plot, None if json else lambda: _show_sweep(curve))
        return 130 if interrupt() else 0


def front(
    instance: Annotated[str, typer.Argument(help="An instance with more than one objective.")],
    objectives: Annotated[
        str,
        typer.Option(help="Objectives, separated by commas; for parties price, synergy, columns.", metavar="O,O,..."),
    ],
    method: Annotated[
        str, typer.Option(help="evolution (NSGA-II), or constraint: one objective, the other as a demand.")
    ] = "evolution",
    points: Annotated[int, typer.Option(help="Levels for which solutions are made, at most.", min=2)] = 24,
    seconds: Annotated[float | None, typer.Option(help="Time limit (30).", min=0, metavar="S")] = None,
    work: WorkOption = None,
    solver: SolverOption = None,
    seed: SeedOption = 0,
    set_: SettingOption = None,
    out: Annotated[Path | None, typer.Option(help="File for the front (CSV).")] = None,
    out_plot: Annotated[Path | None, typer.Option(help="Draw the front: X.svg or X.png.")] = None,
    json: JsonOption = False,
) -> int:
    """Find solutions of which none is better than another one in every objective.

    Example: matheur front party/demo --objectives price,synergy --out-plot front.svg
    """
    from matheur.engine import Interrupt
    from matheur.engine.problem_types import tool_of, with_tool
    from matheur.running.loading import load_instance
    from matheur.running.solving import instance_options

    check_outputs({"--out": out, "--out-plot": out_plot}, {"the instance": instance})
    _check_drawn(out_plot)
    _, problem = load_instance(instance, None, instance_options(None, set_ or (), None))
    ask = tool_of(problem.name, "front")
    if ask is None:
        known = " and ".join(with_tool("front"))
        raise ConfigurationError(f"fronts are found for {known} puzzles only (not for '{problem.name}')")
    with Interrupt() as interrupt:
        found: ParetoFront = ask(
            problem,
            [one.strip() for one in objectives.split(",") if one.strip()],
            method=method,
            points=points,
            name=instance,
            seconds=seconds,
            work=work,
            solver=solver,
            settings=set_ or (),
            seed=seed,
            interrupt=interrupt,
        )
        _deliver(found, out, out_plot, None if json else lambda: _show_front(found))
        return 130 if interrupt() else 0


def _deliver(found: Any, out: Path | None, drawn: Path | None, show: Callable[[], None] | None) -> None:
    """Write a table and a plot to the given files; print the rest by `show`, or as JSON if that is None."""
    from matheur.engine.files import write_atomic, write_packed

    if out is not None:
        write_packed(out, found.to_csv().encode())
    if drawn is not None:
        write_atomic(drawn, found.plot(_DRAWN[drawn.suffix]))
    if show is None:
        print_json(found.to_dict())
    else:
        show()


def _check_drawn(path: Path | None) -> None:
    if path is not None and path.suffix not in _DRAWN:
        raise ConfigurationError(f"cannot draw a '{path.suffix}' file. Maybe one of: {', '.join(_DRAWN)}.")


_SAID = {
    "found": "",
    "complete": "no further solution is as far from all of these (proved)",
    "partial": "no more were found",
    "unknown": "no solution was found",
    "infeasible": "there is no solution",
}


def _show_diversity(found: Diversity, facts: dict[str, Any]) -> None:
    for number, one in enumerate(facts["solutions"], start=1):
        more = [f"{key} {one[key]:.4g}" for key in one.keys() - {"objective", "score", "nearest", "solution"}]
        far = [] if one["nearest"] is None else [f"{one['nearest']} different from the nearest"]
        typer.echo(f"{number:3}  {one['score']}  {', '.join(more + far)}")
    if found.best is not None:
        score = found.problem.score  # like the solutions: the objective may be a multiple of it
        known = f"{found.known} different solutions known"
        typer.echo(f"best {score(found.best)}, up to {score(found.cap)}; {known}{_more(found)}")
        for band in found.bands:
            typer.echo(f"  to {score(band.high)}: {band.found}{'' if band.exact else ' or more'}")
    said = _SAID[found.status] + (f": {found.reason}" if found.reason else "")
    if said:
        typer.echo(said)


def _more(found: Diversity) -> str:
    if found.exact:
        return ", and there are no more (proved)"
    return "" if found.all_below is None else f", all below {found.problem.score(found.all_below)} (proved)"


def _show_sweep(curve: Any) -> None:
    typer.echo(f"{curve.demand}")
    typer.echo(f"{'value':>10} {'price':>10} {'bound':>10}  {'status':<10} {'feasible':>8}  first")
    for point in curve.points:
        price, bound = ("-" if figure is None else figure for figure in (point.price, point.bound))
        share = "-" if point.share is None else f"{100 * point.share:.1f} %"
        first = "-" if point.first_seconds is None else f"{point.first_seconds:.2f} s"
        typer.echo(f"{point.value:>10g} {price:>10} {bound:>10}  {point.status:<10} {share:>8}  {first}")
    for point in curve.points:
        if point.reason:
            typer.echo(f"{point.value:g}: {point.reason}")


def _show_front(found: ParetoFront) -> None:
    if not found.points:
        typer.echo("there are no solutions (proved)" if found.complete else "none found. Maybe larger limits?")
        return
    typer.echo("  ".join(f"{name:>12}" for name in found.objectives))
    for one in found.points:
        shown = "  ".join(f"{float(value):>12.10g}" for value in one.values)
        typer.echo(shown + ("  proved" if one.proved else ""))
    count = f"{len(found.points)} point{'s' if len(found.points) > 1 else ''}"
    typer.echo(count + (", and there are no others (proved)" if found.complete else ""))
