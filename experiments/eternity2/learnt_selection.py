"""A learnt choice of the next neighbourhood for boards of edge matching, beside the hand-made schedules.

    python experiments/eternity2/learnt_selection.py collect --folder FOLDER
    python experiments/eternity2/learnt_selection.py fit --folder FOLDER
    python experiments/eternity2/learnt_selection.py test --folder FOLDER
    python experiments/eternity2/learnt_selection.py report --folder FOLDER

`collect` makes runs on training puzzles: first with uniformly random choices, then with the models of these runs. Every
call is a row: what a schedule can know (seconds and calls since the last gain, the record of each operator) and what
the board shows (mismatches, how many lie on the frame, beside another, in the densest window), the operator, its gain
and its cost. Two schedules are learnt: `learnt-now` takes the operator with the most expected gain per second,
`learnt-ahead` the one with the most expected gain of this call and those that follow, discounted by the seconds until
it comes. Both are Poisson regressions with a ridge penalty, one part common to the operators and one for each
(`selection_models.py`). `fit` chooses the penalties and says how much of the variance is explained on puzzles kept
apart. `test` runs them and the schedules of the engine on other puzzles, all from the same boards, and beside them two
that know nothing of the state: `mean rates`, random choices with the mean gain per second of each operator in the
training runs as its weight, and `annealed alone`, always the same operator. `report` prints the tables. Puzzles are
generated; seconds are those of a processor, with the processes of MILP solvers counted in.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from learnt_values import COLOURS
from numpy.random import Generator
from numpy.typing import NDArray
from selection_models import DENSITY, LATE, Array, Models, Rows, chosen_penalties

from matheur.engine.budget import Budget
from matheur.engine.interface import Named
from matheur.engine.loop import LocalSearch
from matheur.engine.outcome import Outcome
from matheur.engine.protocols import Construction, Neighbourhood
from matheur.engine.schedules import Call, Cycle, GainPerSecond, QLearning, Roulette, Schedule
from matheur.operators.edge_matching.assignment import Assignment
from matheur.operators.edge_matching.beam import Beam
from matheur.operators.edge_matching.border import Border
from matheur.operators.edge_matching.checkerboard import Checkerboard
from matheur.operators.edge_matching.growing import mismatched_ends
from matheur.operators.edge_matching.random_board import RandomBoard
from matheur.operators.edge_matching.region import Region
from matheur.operators.edge_matching.swap_rotate import SwapRotate
from matheur.operators.edge_matching.windows import window_cells
from matheur.problems.edge_matching import EdgeMatching, generate
from matheur.problems.edge_matching.instance import Board, Instance

SIDES = (10, 12)
TRAINING = (101, 102, 103, 104, 105, 106)
TEST = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
STARTS: dict[str, Construction[Board]] = {"random": RandomBoard(), "beam": Beam(width=64, beams=1)}
NEIGHBOURHOODS: dict[str, Neighbourhood[Board]] = {
    "assignment": Assignment(iterations=1000),
    "annealed": Assignment(iterations=20_000, temperature=0.2),
    "swap-rotate": SwapRotate(),
    "checkerboard": Checkerboard(sideways=20),
    "window-12": Region(rows=3, columns=4, iterations=5, nodes=500_000),
    "window-20": Region(rows=4, columns=5, iterations=3, nodes=2_000_000),
    "grown-14": Region(grow=14, around=2, iterations=5, nodes=500_000),
    "border": Border(seconds=0.5),
    "window-milp": Region(method="milp", rows=3, columns=4, iterations=1, seconds=0.5),
}
"""None returns a worse board than it was given, so that what it returns is the incumbent after it."""

_EPSILON = 0.05  # share of random choices in tests
_DISCOUNT = 0.9  # of an operator's record, at each call
_LEAST = 0.05  # seconds added before logarithms are taken
_COUNT = len(NEIGHBOURHOODS)


def clock() -> float:
    """Processor seconds of this process and of those that it started and that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return math.fsum(usage.ru_utime + usage.ru_stime for usage in both)


class Watch:
    """What the incumbent shows, as features."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._frame: NDArray[np.bool_] = np.any(instance.outside, axis=1)
        self._windows = np.concatenate([window_cells(instance, 4, 5), window_cells(instance, 5, 4)])
        self.mismatches = 0
        self.features: Array = np.zeros(0)

    def look(self, board: Board) -> None:
        """Compute the features anew."""
        ends = mismatched_ends(self._instance, board)
        count = max(1, len(ends))
        faults = np.bincount(ends.ravel(), minlength=self._instance.cells)
        framed = self._frame[ends].sum(axis=1)
        densest = float(faults[self._windows].sum(axis=1).max()) / 2
        self.mismatches = len(ends)
        self.features = np.array(
            [
                math.log1p(len(ends)),
                math.log1p(len(ends)) ** 2,
                len(ends) / self._instance.joints,
                float((framed == 2).sum()) / count,
                float((framed == 1).sum()) / count,
                float((faults[ends].max(axis=1) > 1).sum()) / count,
                float((faults > 0).sum()) / count,
                math.log1p(densest),
                densest / count,
            ]
        )


@dataclass(frozen=True, slots=True)
class Watched:
    """A neighbourhood that shows what it returns to a watch."""

    inner: Neighbourhood[Board]
    watch: Watch

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        outcome = self.inner.explore(problem, incumbent, budget, rng)
        if outcome.solution is not None:
            self.watch.look(outcome.solution)
        return outcome


class Record:
    """What a schedule knows of the calls so far."""

    def __init__(self, count: int) -> None:
        self.since_any = np.zeros(count)  # calls of each operator since any gained
        self.since_own = np.zeros(count)  # calls of each operator since it gained itself
        self.calls, self.hits, self.gains, self.costs = (np.zeros(count) for _ in range(4))
        self.last, self.gained = -1, False
        self.seconds = self.seconds_idle = self.calls_idle = 0.0

    def features(self, board: Array) -> Array:
        """Shape (operators, features)."""
        count = len(self.calls)
        idle = math.log(_LEAST + self.seconds_idle)
        shared = [idle, math.log1p(self.calls_idle), math.log(_LEAST + self.seconds), float(self.gained), *board]
        last = np.arange(count) == self.last
        tried = np.log1p(self.since_any)
        own = [
            tried,
            tried * idle,
            np.log1p(self.since_own),
            np.log1p(self.gains / (_LEAST + self.costs)),
            self.hits / (1 + self.calls),
            last,
            last & self.gained,
        ]
        return np.concatenate([np.tile(shared, (count, 1)), np.stack(own, axis=1)], axis=1)

    def add(self, call: Call) -> None:
        """Take note of a call."""
        gained = call.gain > 0
        for values in (self.calls, self.hits, self.gains, self.costs):
            values *= _DISCOUNT
        self.calls[call.index] += 1
        self.hits[call.index] += gained
        self.gains[call.index] += call.gain
        self.costs[call.index] += call.cost
        self.since_any[call.index] += 1
        self.since_own[call.index] += 1
        self.seconds += call.cost
        self.seconds_idle += call.cost
        self.calls_idle += 1
        if gained:
            self.since_any[:] = 0
            self.since_own[call.index] = self.seconds_idle = self.calls_idle = 0
        self.last, self.gained = call.index, gained


@dataclass(slots=True)
class Learnt:
    """A schedule that takes the operator with the greatest value, or a random one; it keeps rows if asked.

    Attributes
    ----------
    value
        Of each operator, from the features; None: all choices are random.
    epsilon
        Share of random choices.
    rows
        Features of the operator chosen, its index, gain and cost.
    """

    watch: Watch
    value: Callable[[Array], Array] | None = None
    epsilon: float = _EPSILON
    rows: list[tuple[Array, int, float, float]] | None = None
    _record: Record = field(default_factory=lambda: Record(_COUNT), init=False)
    _features: Array = field(default_factory=lambda: np.zeros(0), init=False)

    def choose(self, open_: Sequence[bool], rng: Generator) -> int:
        if self.value is not None or self.rows is not None:
            self._features = self._record.features(self.watch.features)
        candidates = np.flatnonzero(open_)
        if self.value is None or rng.random() < self.epsilon:
            return int(rng.choice(candidates))
        return int(candidates[np.argmax(self.value(self._features)[candidates])])

    def record(self, call: Call) -> None:
        if self.rows is not None:
            self.rows.append((self._features[call.index], call.index, call.gain, call.cost))
        self._record.add(call)

    def state(self) -> dict[str, Any]:
        return {}  # these runs are not resumed

    def restore(self, state: dict[str, Any]) -> None:
        return None


def starts(sides: Sequence[int], seeds: Sequence[int]) -> Iterator[tuple[int, int, str, EdgeMatching, Board]]:
    """Side, seed, name of the start, puzzle and first board of every run."""
    for seed in seeds:
        for side in sides:
            frame, inner = COLOURS[side]
            instance = generate(side, side, frame_colours=frame, inner_colours=inner, seed=seed)[0]
            problem = EdgeMatching(instance)
            for name, construction in STARTS.items():
                board = construction.build(problem, Budget(), np.random.default_rng(seed)).solution
                assert board is not None
                yield side, seed, name, problem, board


def search(
    problem: EdgeMatching, board: Board, make: Callable[[Watch], Schedule], seconds: float, seed: int, *, watched: bool
) -> dict[str, Any]:
    """One run: the scores as they came, and the calls of each neighbourhood."""
    watch, scores = Watch(problem.instance), []
    watch.look(board)
    # Only learnt schedules pay for looking.
    entries = [Named(name, Watched(one, watch) if watched else one) for name, one in NEIGHBOURHOODS.items()]
    engine = LocalSearch(
        problem,
        None,
        entries,
        schedule=make(watch),
        on_best=lambda _, objective: scores.append((round(clock() - began, 3), int(problem.score(objective)))),
    )
    began = clock()
    found = engine.run(Budget(seconds=seconds, clock=clock), seed, start=board)
    calls = {name: [one.calls, one.gain, round(one.seconds, 3)] for name, one in found.operators.items()}
    return {"scores": scores, "seconds": round(clock() - began, 3), "calls": calls}


def warm_up() -> None:
    """Compile all kernels, so that no run pays for it."""
    instance = generate(6, 6, frame_colours=3, inner_colours=5, seed=0)[0]
    problem = EdgeMatching(instance)
    for construction in STARTS.values():
        board = construction.build(problem, Budget(), np.random.default_rng(0)).solution
        assert board is not None
        for one in NEIGHBOURHOODS.values():
            one.explore(problem, board, Budget(seconds=5), np.random.default_rng(0))


def collect(folder: Path, seconds: float, seeds: Sequence[int]) -> None:
    """Rows of training runs, kept in a file: random choices first, then those of the models of these."""
    parts: list[tuple[list[tuple[Array, int, float, float]], int, int]] = []

    def rows() -> Rows:
        flat = [(*row, run, puzzle, turn) for run, (some, puzzle, turn) in enumerate(parts) for row in some]
        columns = list(zip(*flat, strict=True))
        kinds = (float, np.int64, float, float, np.int64, np.int64, np.int64)
        return Rows(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))

    def play(value: Callable[[Array], Array] | None, epsilon: float, turn: int) -> None:
        for _, seed, _, problem, board in starts(SIDES, seeds):
            some: list[tuple[Array, int, float, float]] = []

            def make(watch: Watch, some: list[tuple[Array, int, float, float]] = some) -> Schedule:
                return Learnt(watch, value, epsilon, some)

            search(problem, board, make, seconds, seed, watched=True)
            parts.append((some, seed, turn))

    play(None, 1.0, 0)
    first = rows()
    models = Models.of(first, chosen_penalties(first, _COUNT), _COUNT)
    play(models.now, 0.25, 1)
    play(models.later, 0.25, 1)
    every = rows()
    np.savez_compressed(folder / "rows.npz", **{name: getattr(every, name) for name in Rows.__slots__})
    print(f"{len(every.gains)} rows of {len(parts)} runs of {seconds:g} s, {len(first.gains)} of random choices")


def load(folder: Path) -> Rows:
    """What `collect` kept."""
    with np.load(folder / "rows.npz") as stored:
        return Rows(*(stored[name] for name in Rows.__slots__))


def rates(rows: Rows) -> tuple[float, ...]:
    """Mean gain per second of each operator after the first descent, from random choices."""
    some = rows.of((rows.rounds == 0) & (rows.features[:, DENSITY] < LATE))
    return tuple(
        float(some.gains[some.operators == one].sum() / some.costs[some.operators == one].sum())
        for one in range(_COUNT)
    )


def test(folder: Path, seconds: float, seeds: Sequence[int]) -> None:
    """Runs with every schedule, one line of a file each; those that it has are not repeated."""
    rows = load(folder)
    penalties = json.loads((folder / "penalties.json").read_text())
    models, weights = Models.of(rows, penalties, _COUNT), rates(rows)
    alone = tuple(float(name == "annealed") for name in NEIGHBOURHOODS)
    schedules: dict[str, Callable[[Watch], Schedule]] = {
        "random": lambda _: Roulette(reaction=0),
        "cycle": lambda _: Cycle(),
        "roulette": lambda _: Roulette(),
        "gain-per-second": lambda _: GainPerSecond(),
        "q-learning": lambda _: QLearning(),
        "mean rates": lambda _: Roulette(weights=weights, reaction=0),
        "learnt-now": lambda watch: Learnt(watch, models.now),
        "learnt-ahead": lambda watch: Learnt(watch, models.later),
        "annealed alone": lambda _: Roulette(weights=alone, reaction=0),
    }
    path = folder / "runs.jsonl"
    made = {(one["side"], one["seed"], one["start"], one["schedule"]) for one in results(folder)}
    for side, seed, start, problem, board in starts(SIDES, seeds):
        for name, make in schedules.items():
            if (side, seed, start, name) in made:
                continue
            run = search(problem, board, make, seconds, seed, watched=name.startswith("learnt"))
            line = {"side": side, "seed": seed, "start": start, "schedule": name, "limit": seconds, **run}
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")


def results(folder: Path) -> list[dict[str, Any]]:
    """The lines of `test`."""
    path = folder / "runs.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def score_at(run: dict[str, Any], share: float) -> int:
    """The best score after a share of the time."""
    (_, first), *later = run["scores"]
    return int(max([first, *(score for when, score in later if when <= share * run["limit"])]))


def report(folder: Path) -> None:
    """Tables: scores, pairs (to all for learnt schedules and `mean rates`), and where the seconds went."""
    runs = results(folder)
    names = list(dict.fromkeys(run["schedule"] for run in runs))
    cases = sorted({(run["side"], run["start"], run["seed"]) for run in runs})
    of = {(run["schedule"], run["side"], run["start"], run["seed"]): run for run in runs}
    cases = [case for case in cases if all((name, *case) in of for name in names)]
    groups = sorted({case[:2] for case in cases})
    print(f"{len(cases)} boards, limits {sorted({run['limit'] for run in runs})} s; columns: {groups}, all")
    for share in (1.0, 0.25):
        print(f"mean (median) after {share:.0%} of the time")
        for name in names:
            scores = [[score_at(of[name, *case], share) for case in cases if case[:2] == group] for group in groups]
            cells = [f"{np.mean(some):.2f} ({np.median(some):g})" for some in scores]
            print(f"{name:16}", *cells, f"{np.mean(np.concatenate(scores)):.2f}", sep=" | ")
    rng = np.random.default_rng(0)
    for name in names:
        for other in names if name.startswith(("learnt", "mean")) else ["gain-per-second"]:
            if other != name:
                gaps = [score_at(of[name, *case], 1.0) - score_at(of[other, *case], 1.0) for case in cases]
                parts = [[gap for gap, case in zip(gaps, cases, strict=True) if case[:2] == group] for group in groups]
                means = " ".join(f"{np.mean(part):+.2f}" for part in parts)
                print(f"{name} - {other}: {paired(np.array(gaps, dtype=float), rng)}; by columns {means}")
    print("share of the seconds")
    for name in names:
        some = [run["calls"] for run in runs if run["schedule"] == name]
        seconds = {one: sum(calls.get(one, [0, 0, 0.0])[2] for calls in some) for one in NEIGHBOURHOODS}
        total = sum(seconds.values())
        print(f"{name:16}", ", ".join(f"{one} {spent / total:.0%}" for one, spent in seconds.items()))


def paired(gaps: Array, rng: Generator) -> str:
    """Mean with a bootstrap interval of 95 %, and a sign test."""
    means = rng.choice(gaps, (10_000, len(gaps))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    tail = sum(math.comb(wins + losses, k) for k in range(min(wins, losses) + 1)) / 2 ** (wins + losses)
    return (
        f"{gaps.mean():+.2f} [{low:+.2f}, {high:+.2f}], {wins} better, {len(gaps) - wins - losses} equal, "
        f"{losses} worse, sign test p = {min(1.0, 2 * tail):.3f}"
    )


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("collect", "fit", "test", "report"))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=4.0, help="processor seconds of a run")
    parser.add_argument("--seeds", type=int, nargs="*", help="of the puzzles, and of the searches")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.step in ("collect", "test"):
        warm_up()
    if options.step == "collect":
        collect(options.folder, options.seconds, options.seeds or TRAINING)
    elif options.step == "fit":
        rows = load(options.folder)
        print("random choices")
        chosen_penalties(rows.of(rows.rounds == 0), _COUNT, told=True)
        print("all")
        penalties = chosen_penalties(rows, _COUNT, told=True)
        (options.folder / "penalties.json").write_text(json.dumps(penalties))
    elif options.step == "test":
        test(options.folder, options.seconds, options.seeds or TEST)
    else:
        report(options.folder)


if __name__ == "__main__":
    main()
