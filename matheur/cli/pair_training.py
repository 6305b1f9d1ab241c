"""`matheur train-pairs`: learnt values of pairs of tiles, which guide beams on large boards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from matheur.cli.output import (
    InstanceOption,
    JsonOption,
    ProblemOption,
    SeedOption,
    check_outputs,
    plain_console,
    print_json,
    reader_options,
)
from matheur.errors import ConfigurationError

__all__ = ["train_pairs"]


def train_pairs(
    instance: Annotated[str, typer.Argument(help="A board of the desired size; its start does not matter.")],
    out: Annotated[Path, typer.Option(help="File for the values.", metavar="FILE.npz")],
    rounds: Annotated[str, typer.Option(help="Boards solved in each round.", metavar="N,N")] = "300,1000,2000",
    width: Annotated[
        str,
        typer.Option(help="Beam width, one for all rounds or one for each.", metavar="N,N"),
    ] = "2000",
    walks: Annotated[
        str,
        typer.Option(
            help="Lengths of the random walks that make them; for all rounds, or for each.", metavar="N-N,N-N"
        ),
    ] = "",
    patterns: Annotated[str, typer.Option(help="Partitions of the tiles, joined by +, or auto.")] = "auto",
    aside: Annotated[float, typer.Option(help="Probability that a board of a beam's layer is solved, too.")] = 0.03,
    begin: Annotated[
        Path | None, typer.Option(help="File of initial values, also of another size.", metavar="FILE.npz")
    ] = None,
    mean: Annotated[
        list[Path] | None,
        typer.Option(
            "--mean-with",
            help="Write the mean of what is learnt and of this file, of any size; repeatable.",
            metavar="FILE.npz",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(help="Number of threads that solve boards.", min=1, max=64)] = 1,
    minutes: Annotated[float | None, typer.Option(help="Time limit.", min=0, metavar="M")] = None,
    seed: SeedOption = 0,
    problem: ProblemOption = None,
    set_: InstanceOption = None,
    json: JsonOption = False,
) -> int:
    """Train values of pairs of tiles for `guided-beam` and `guided-window`.

    Example: matheur train-pairs sliding-tile/4x4 --rounds 100,300 --width 60 --patterns 5-5-5 --out pairs.npz
    """
    from matheur.engine import Budget, Interrupt
    from matheur.engine.problem_types import tool_of, with_tool
    from matheur.running.loading import load_instance

    if out.suffix != ".npz":
        raise ConfigurationError(f"the name of a file of pair values must end in .npz ({out})")
    others_read = {f"--mean-with {path}": path for path in mean or ()}
    check_outputs({"--out": out}, {"the instance": instance, "--begin": begin, **others_read})
    options = {
        "patterns": patterns,
        "boards": _numbers("rounds", rounds),
        "width": _numbers("width", width),
        "walks": _ranges(walks),
        "share": aside,
        "threads": threads,
    }
    kind, puzzle = load_instance(instance, problem, reader_options(set_))
    learn = tool_of(kind.name, "pairs")
    if learn is None:
        known = " and ".join(with_tool("pairs"))
        raise ConfigurationError(f"pairs of tiles are learnt for {known}, not for '{kind.name}'")
    console = plain_console(stderr=True)
    with Interrupt() as interrupt:
        budget = Budget(seconds=None if minutes is None else 60 * minutes, interrupt=interrupt)
        model = learn(
            puzzle, out, budget, seed, begin=begin, mean_with=mean or (),
            on_progress=None if json else lambda progress: _show(console, progress), **options,
        )  # fmt: skip
        facts: dict[str, Any] = {"file": str(out), **model.training}
        if json:
            print_json(facts)
        else:
            console.print(f"values of {len(model.values)} pairs written to {out}", soft_wrap=True)
        return 130 if interrupt() else 0


def _numbers(name: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(one) for one in text.split(","))
    except ValueError:
        raise ConfigurationError(f"{name}: numbers separated by commas, as in 300,1000 ('{text}')") from None


def _ranges(text: str) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    for one in text.split(",") if text else ():
        shortest, _, longest = one.partition("-")
        try:
            ranges.append((int(shortest), int(longest)))
        except ValueError:
            raise ConfigurationError(f"walks: ranges separated by commas, as in 300-900 ('{text}')") from None
    return tuple(ranges)


def _show(console: Any, progress: Any) -> None:
    learnt = ""
    if progress.error is not None:
        learnt = (
            f"  {progress.samples} boards learnt: error {progress.error:.2f}, without pairs {progress.plain_error:.2f}"
        )
    console.print(
        f"{progress.seconds:9.1f} s  round {progress.round}  {progress.boards:>6} boards"
        f"  mean length {progress.length:.1f}{learnt}",
        soft_wrap=True,
    )
