"""`matheur train`: a network for a puzzle's state space."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from matheur.cli.output import JsonOption, ProblemOption, SeedOption, existing_parent, print_json
from matheur.cli.subjects import read_subjects
from matheur.errors import ConfigurationError

if TYPE_CHECKING:
    from matheur.learning import Progress

__all__ = ["train"]


def train(
    instance: Annotated[
        str, typer.Argument(help="An instance with the wanted goal, or a file or folder of Sokoban levels.")
    ],
    out: Annotated[Path, typer.Option(help="The model file.", metavar="FILE.npz")],
    method: Annotated[str, typer.Option(help="davi, distances, policy or actions.")] = "davi",
    network: Annotated[
        str, typer.Option(help="small, medium, ann-distance, deepcubea or deepcubea-large.", metavar="NAME")
    ] = "small",
    minutes: Annotated[float | None, typer.Option(help="Minutes of training (10).", min=0, metavar="M")] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of the optimiser.", min=1)] = None,
    longest: Annotated[
        int | None, typer.Option(help="Steps of the random walks from the goal; fits the puzzle if missing.", min=1)
    ] = None,
    batch: Annotated[int, typer.Option(help="States of a step.", min=1)] = 1000,
    rate: Annotated[float, typer.Option(help="Learning rate.")] = 1e-3,
    known: Annotated[int, typer.Option(help="States around the goal with exact distances, at most.", min=2)] = 200_000,
    levels: Annotated[int, typer.Option(help="Sokoban levels to learn from, at most.", min=1)] = 1000,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Goes on from this file if it is there, and keeps it up to date.")
    ] = None,
    seed: SeedOption = 0,
    problem: ProblemOption = None,
    json: JsonOption = False,
) -> int:
    """Train a network that estimates distances to the goal, or chooses moves.

    Example: matheur train sliding-tile/3x3 --minutes 1 --longest 60 --out model.npz
    """
    from rich.console import Console

    from matheur.engine import Budget, Interrupt
    from matheur.learning import TrainingOptions, write_model
    from matheur.learning import train as learn
    from matheur.learning.subject import learnt_domain, suggested_longest

    if out.suffix != ".npz":
        raise ConfigurationError(f"a model file is called FILE.npz ({out})")
    existing_parent(out)
    puzzles = read_subjects(instance, problem, levels, seed)
    options = TrainingOptions(
        method=method, network=network, longest=longest or suggested_longest(puzzles[0]), batch=batch, rate=rate,  # type: ignore[arg-type]
        known=known,
    )  # fmt: skip
    console = Console(stderr=True, highlight=False)
    with Interrupt() as interrupt:
        seconds = 60 * minutes if minutes is not None else None if steps is not None else 600.0
        budget = Budget(seconds=seconds, iterations=steps, interrupt=interrupt)
        model = learn(
            learnt_domain(puzzles), options, budget, seed, checkpoint=checkpoint,
            on_progress=None if json else lambda progress: _show(console, progress),
        )  # fmt: skip
        write_model(out, model)
        facts: dict[str, Any] = {"file": str(out), "parameters": model.parameters, **model.training}
        if json:
            print_json(facts)
        else:
            console.print(f"{model.output} by {model.parameters} parameters written to {out}", soft_wrap=True)
        return 130 if interrupt() else 0


def _show(console: Any, progress: Progress) -> None:
    correlation = "" if progress.correlation is None else f"  rank correlation {progress.correlation:.3f}"
    loss = "-" if progress.loss is None else f"{progress.loss:.4f}"
    console.print(
        f"{progress.seconds:9.1f} s  {progress.steps:>8} steps  loss {loss}"
        f"  greedily solved {100 * progress.solved:.1f} %{correlation}",
        soft_wrap=True,
    )
