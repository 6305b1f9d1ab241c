"""`matheur train` and `matheur label`: a network for a puzzle's state space, and exact distances to learn from."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from matheur.cli import completion
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
from matheur.cli.subjects import read_subjects
from matheur.errors import ConfigurationError

if TYPE_CHECKING:
    from matheur.methods.learning import Labels, Progress, TrainingOptions

__all__ = ["label", "train"]


def train(
    context: typer.Context,
    instance: Annotated[
        str, typer.Argument(help="An instance with the desired goal, or a file or folder of many levels.")
    ],
    out: Annotated[Path, typer.Option(help="Model file to write.", metavar="FILE.npz")],
    preset: Annotated[
        str | None,
        typer.Option(
            help="Options of a shipped preset with a training (paper), unless they are given here.",
            autocompletion=completion.presets,
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="davi, walks, distances, labelled, bootstrap, policy, actions or pairs.")
    ] = "davi",
    labels: Annotated[
        Path | None,
        typer.Option(help="For labelled and pairs: file that `matheur label` has written.", metavar="FILE.npz"),
    ] = None,
    network: Annotated[
        str,
        typer.Option(help="small, compact, medium, wide, ann-distance, deepcubea or deepcubea-large.", metavar="NAME"),
    ] = "small",
    inputs: Annotated[
        str, typer.Option(help="What the network learns from: components of a state, or what the paper shows (paper).")
    ] = "components",
    begin: Annotated[
        Path | None,
        typer.Option(
            help="A trained network of the same architecture, whose values are the initial ones.", metavar="FILE.npz"
        ),
    ] = None,
    minutes: Annotated[float | None, typer.Option(help="Minutes of training (10).", min=0, metavar="M")] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of the optimiser.", min=1)] = None,
    longest: Annotated[
        int | None, typer.Option(help="Steps of the random walks from the goal; fits the puzzle if missing.", min=1)
    ] = None,
    batch: Annotated[int, typer.Option(help="States of a step.", min=1)] = 1000,
    rate: Annotated[float, typer.Option(help="Learning rate.")] = 1e-3,
    clipped: Annotated[
        bool, typer.Option(help="For davi: no target exceeds the walk's steps; else equation (1) of the paper alone.")
    ] = True,
    depth: Annotated[int, typer.Option(help="For davi: moves that are looked ahead.", min=1)] = 1,
    threshold: Annotated[
        float, typer.Option(help="For davi, actions: loss below which new targets are taken.", min=0)
    ] = 0.05,
    check: Annotated[int, typer.Option(help="For davi, actions: steps between two looks at the loss.", min=1)] = 1,
    patience: Annotated[
        int,
        typer.Option(
            help="For davi, actions: steps after which new targets are taken anyway, 0 for never; for bootstrap: "
            "steps of a round.",
            min=0,
        ),
    ] = 100,
    starts: Annotated[
        float, typer.Option(help="For labelled: share of a step's states that are starts of plans.")
    ] = 0.25,
    halving: Annotated[int, typer.Option(help="Steps in which the learning rate is halved; 0 to keep it.", min=0)] = 0,
    known: Annotated[int, typer.Option(help="States around the goal with exact distances, at most.", min=2)] = 200_000,
    levels: Annotated[int, typer.Option(help="Levels to learn from, at most.", min=1)] = 1000,
    nodes: Annotated[int, typer.Option(help="For bootstrap: states that a search may expand.", min=1)] = 2000,
    instances: Annotated[int, typer.Option(help="For bootstrap: searches in a round.", min=1)] = 20,
    weak: Annotated[str, typer.Option(help="For bootstrap: heuristic of the first round.", metavar="NAME")] = "zero",
    every: Annotated[int, typer.Option(help="Steps between two measurements.", min=1)] = 200,
    precision: Annotated[
        str, typer.Option(help="Precision of products: float32, or bfloat16 where that is faster.")
    ] = "float32",
    checkpoint: Annotated[
        Path | None, typer.Option(help="Continue from this file if it exists, and keep it up to date.")
    ] = None,
    seed: SeedOption = 0,
    problem: ProblemOption = None,
    set_: InstanceOption = None,
    json: JsonOption = False,
) -> int:
    """Train a network that estimates distances to the goal, or chooses moves.

    Example: matheur train sliding-tile/3x3 --minutes 1 --longest 60 --out model.npz
    """
    from matheur.engine import Budget, Interrupt
    from matheur.methods.learning import read_labels, read_model, write_model
    from matheur.methods.learning import train as learn
    from matheur.problems.plans.training import learnt_domain, training_of

    if out.suffix != ".npz":
        raise ConfigurationError(f"the name of a model file must end in .npz ({out})")
    check_outputs(
        {"--out": out, "--checkpoint": checkpoint}, {"the instance": instance, "--labels": labels, "--begin": begin}
    )
    puzzles = read_subjects(instance, problem, levels, seed, reader_options(set_))
    options, limits = _options(context, puzzles[0])
    plans = None if labels is None else read_labels(labels)
    first = None if begin is None else read_model(begin)
    console = plain_console(stderr=True)
    with Interrupt() as interrupt:
        budget = Budget(**limits, interrupt=interrupt)
        shown = training_of(puzzles[0].name).inputs(puzzles[0]) if options.inputs == "paper" else None
        model = learn(
            learnt_domain(puzzles), options, budget, seed, labels=plans, begin=first, inputs=shown,
            checkpoint=checkpoint,
            on_progress=None if json else lambda progress: _show(console, progress),
        )  # fmt: skip
        write_model(out, model)
        facts: dict[str, Any] = {"file": str(out), "parameters": model.parameters, **model.training}
        if json:
            print_json(facts)
        else:
            console.print(f"{model.output} by {model.parameters} parameters written to {out}", soft_wrap=True)
        return 130 if interrupt() else 0


def _options(context: typer.Context, puzzle: Any) -> tuple[TrainingOptions, dict[str, Any]]:
    """Options and limits of a training: from the command line, else from its preset, else the defaults."""
    from matheur.engine.options import configure
    from matheur.methods.learning import TrainingOptions
    from matheur.problems.plans.training import suggested_longest
    from matheur.running.configuration import preset_training

    given = context.params
    preset = given["preset"]
    table = {} if preset is None else preset_training(puzzle.name, preset, puzzle)
    for name in given:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            table.pop(name, None)
    minutes, steps = given["minutes"], table.pop("steps", given["steps"])
    seconds = 60 * minutes if minutes is not None else None if steps is not None else 600.0
    known = {one.name for one in fields(TrainingOptions)} & set(given)
    values = {name: given[name] for name in known} | table
    values["longest"] = values["longest"] or suggested_longest(puzzle)
    return configure(TrainingOptions, values, "training"), {"seconds": seconds, "iterations": steps}


def label(
    instance: Annotated[str, typer.Argument(help="An instance with the desired goal; its start does not matter.")],
    out: Annotated[Path, typer.Option(help="File for the labels; it is continued if it exists.", metavar="FILE.npz")],
    plans: Annotated[
        int,
        typer.Option(
            help="Least number of states that are solved, in blocks; each plan labels all states on it.", min=1
        ),
    ],
    minutes: Annotated[float | None, typer.Option(help="Time limit.", min=0, metavar="M")] = None,
    heuristic: Annotated[str, typer.Option(help="Heuristic of the exact search.", metavar="NAME")] = "auto",
    walks: Annotated[
        float | None,
        typer.Option(help="Share of states from random walks; the others are drawn uniformly from all states."),
    ] = None,
    longest: Annotated[int, typer.Option(help="Steps of the longest random walk.", min=1)] = 100,
    nodes: Annotated[int | None, typer.Option(help="Work of a search, after which its state is left out.")] = None,
    seed: SeedOption = 0,
    problem: ProblemOption = None,
    set_: InstanceOption = None,
    json: JsonOption = False,
) -> int:
    """Solve random states optimally, for `matheur train --method labelled`.

    Example: matheur label sliding-tile/4x4 --plans 10000 --out labels.npz
    """
    from matheur.engine import Budget, Interrupt
    from matheur.methods.learning import LabellingOptions, make_labels
    from matheur.methods.statespace.domains import domain_of
    from matheur.running.loading import load_instance

    if out.suffix != ".npz":
        raise ConfigurationError(f"the name of a file of labels must end in .npz ({out})")
    check_outputs({"--out": out}, {"the instance": instance})
    options = LabellingOptions(heuristic=heuristic, walks=walks, longest=longest, nodes=nodes)
    _, puzzle = load_instance(instance, problem, reader_options(set_))
    console = plain_console(stderr=True)

    def told(labels: Labels) -> None:
        console.print(f"{len(labels):>9} plans, {len(labels.moves)} states", soft_wrap=True)

    with Interrupt() as interrupt:
        budget = Budget(seconds=None if minutes is None else 60 * minutes, interrupt=interrupt)
        made = make_labels(
            domain_of(puzzle), plans, options, budget, seed, file=out, on_progress=None if json else told,
        )  # fmt: skip
        if json:
            print_json({"file": str(out), "plans": len(made), "states": len(made.moves), **made.facts})
        else:
            console.print(f"{len(made)} plans with {len(made.moves)} states written to {out}", soft_wrap=True)
        return 130 if interrupt() else 0


def _show(console: Any, progress: Progress) -> None:
    correlation = "" if progress.correlation is None else f"  rank correlation {progress.correlation:.3f}"
    error = "" if progress.error is None else f"  mean error {progress.error:.2f}"
    reach = "" if progress.reach is None else f"  walks of {progress.reach} steps"
    loss = "-" if progress.loss is None else f"{progress.loss:.4f}"
    console.print(
        f"{progress.seconds:9.1f} s  {progress.steps:>8} steps  loss {loss}"
        f"  greedily solved {100 * progress.solved:.1f} %{correlation}{error}{reach}",
        soft_wrap=True,
    )
