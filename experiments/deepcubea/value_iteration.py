"""Supplementary figures 1 and 2 of Agostinelli et al. 2019: ways to compute the training targets of a network.

    python experiments/deepcubea/value_iteration.py --size smoke     # 3 x 3 tiles, a minute
    python experiments/deepcubea/value_iteration.py --size bench     # the 15-puzzle
    python experiments/deepcubea/value_iteration.py --size full      # Rubik's cube, the paper's network

The same network learns from equally many states by `davi` (equation (1), as published), `clipped` (ours: no target
exceeds the length of the walk to its state), `two-moves` (depth 2, supplementary figure 1) and `imitation` (exact
distances, supplementary figure 2). Then, for scrambles of each length, the script reports the share that greedy steps
solve, the mean estimate, and the mean distance of those that an exact search has solved. This also gives Figure 3 at
the end of a training.

A training continues from its checkpoint in `scratch/` (or the folder of `MATHEUR_SCRATCH`), and finished trainings are
not repeated. `bench` and `full` write `results/value_iteration-SIZE.md`. Needs `pip install 'matheur[neural]'`.
"""

from __future__ import annotations

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine import Budget
from matheur.methods.learning import (
    LabellingOptions,
    Model,
    Progress,
    TrainingOptions,
    make_labels,
    read_model,
    train,
    write_model,
)
from matheur.methods.learning.evaluation import outputs_of
from matheur.methods.learning.labelling import exact_search
from matheur.methods.learning.measuring import greedy_solved
from matheur.methods.learning.sampling import walks
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.training import training_of
from matheur.running.configuration import preset_training
from matheur.running.loading import load_instance

HERE = Path(__file__).resolve().parent
WORK = Path(os.environ.get("MATHEUR_SCRATCH", HERE / "scratch"))


@dataclass(frozen=True)
class Size:
    """Training, and its evaluation.

    Attributes
    ----------
    instance
        Instance whose goal is learnt.
    options
        Options that differ from the paper's preset for it.
    steps
        Number of steps of each training.
    plans, exact
        Number of optimal plans for `imitation`, and how they are found.
    lengths, states
        Lengths of scrambles, and number of states of each.
    """

    instance: str
    options: Mapping[str, Any]
    steps: int
    plans: int
    exact: LabellingOptions
    lengths: tuple[int, ...]
    states: int


SIZES = {
    "smoke": Size(
        "sliding-tile/3x3", {"network": "small", "longest": 60, "batch": 200, "check": 10, "every": 20}, 40, 100,
        LabellingOptions(heuristic="linear-conflict", walks=1.0, longest=60), (2, 10, 60), 20,
    ),
    "bench": Size(
        "sliding-tile/4x4", {"network": "compact", "batch": 1000, "check": 100, "every": 1000}, 30_000, 30_000,
        LabellingOptions(heuristic="5-5-5", walks=1.0, longest=500), (5, 10, 20, 40, 80, 160, 500), 200,
    ),
    "full": Size(
        "rubik/demo", {}, 1_000_000, 100_000,
        LabellingOptions(walks=1.0, longest=30, nodes=10**10), (2, 4, 6, 8, 10, 12, 14, 16, 20, 25, 30), 1000,
    ),
}  # fmt: skip
WAYS: dict[str, dict[str, Any]] = {
    "davi": {},
    "clipped": {"clipped": True, "check": 1, "patience": 100},
    "two-moves": {"depth": 2},
    "imitation": {"method": "labelled", "starts": 0.0, "symmetric": False},
}


def trained(problem: Any, way: str, size: Size, options: TrainingOptions, name: str) -> Model:
    """Network of a way: read from its file, continued from the checkpoint, or trained from the beginning."""
    file, kept = WORK / f"{name}-{way}.npz", WORK / f"{name}-{way}-checkpoint.npz"
    if file.exists():
        return read_model(file)
    domain, labels = domain_of(problem), None
    if options.method == "labelled":
        labels = make_labels(domain, size.plans, size.exact, Budget(), 0, file=WORK / f"{name}-labels.npz")
    budget = Budget(iterations=size.steps - steps_of(kept))
    model = train(
        domain, options, budget, 0, labels=labels, inputs=training_of(problem.name).inputs(problem),
        on_progress=partial(told, way), checkpoint=kept,
    )  # fmt: skip
    write_model(file, model)
    return model


def steps_of(checkpoint: Path) -> int:
    """Number of steps made so far, since limits of a training count from its checkpoint."""
    if not checkpoint.exists():
        return 0
    with np.load(checkpoint) as arrays:
        return int(json.loads(arrays["facts"].tobytes())["steps"])


def told(way: str, progress: Progress) -> None:
    """Print a line of progress."""
    print(f"{way}: {progress.steps} steps, greedily solved {100 * progress.solved:.1f} %", flush=True)


def measured(domain: Domain, model: Model, states: Mapping[int, tuple[NDArray[np.uint64], float | None]]) -> list[str]:
    """Cells of a table: share solved and mean estimate for each length of scrambles."""
    evaluate = outputs_of(model)
    cells = []
    for length, (keys, _) in states.items():
        estimates = np.where(domain.is_goal(keys), 0.0, np.maximum(evaluate(domain.packing.unpack(keys))[:, 0], 0.0))
        solved = greedy_solved(domain, keys, evaluate, 2 * length + 10)
        cells.append(f"{100 * solved:.1f} %, {estimates.mean():.2f}")
    return cells


def scrambled(domain: Domain, size: Size) -> dict[int, tuple[NDArray[np.uint64], float | None]]:
    """States by length of their scrambles, with their mean distance; None if a search did not end."""
    search, rng, found = exact_search(domain, size.exact), np.random.default_rng(1), {}
    for length in size.lengths:
        keys = walks(domain, size.states, length, rng, straight=False).keys[-size.states :]
        costs = []
        for state in domain.packing.unpack(keys):
            answer = search(state, Budget(work=size.exact.nodes))
            if not answer.proved:
                break
            costs.append(answer.cost)
        found[length] = keys, float(np.mean(costs)) if len(costs) == len(keys) else None
    return found


def main() -> None:
    """Train, measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="smoke")
    parser.add_argument("--ways", default=",".join(WAYS), help="some of " + ", ".join(WAYS))
    given = parser.parse_args()
    size, ways = SIZES[given.size], given.ways.split(",")
    if not set(ways) <= set(WAYS):
        parser.error(f"ways are {', '.join(WAYS)}")
    WORK.mkdir(parents=True, exist_ok=True)
    problem = load_instance(size.instance)[1]
    domain = domain_of(problem)
    table = {key: value for key, value in preset_training(problem.name, "paper", problem).items() if key != "steps"}
    published = replace(TrainingOptions(**table), **size.options)
    states = scrambled(domain, size)
    lines = [
        "| targets | updates | s | " + " | ".join(f"{length} moves" for length in states) + " |",
        "| --- | ---: | ---: |" + " ---: |" * len(states),
        "| exact | | | " + " | ".join("" if mean is None else f"{mean:.2f}" for _, mean in states.values()) + " |",
    ]
    for way in ways:
        model = trained(problem, way, size, replace(published, **WAYS[way]), f"value_iteration-{given.size}")
        facts = [f"`{way}`", str(model.training["updates"]), f"{model.training['seconds']:.0f}"]
        lines.append("| " + " | ".join([*facts, *measured(domain, model, states)]) + " |")
        print("\n".join(lines), flush=True)
    if given.size != "smoke":
        out = HERE / "results" / f"value_iteration-{given.size}.md"
        out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
