"""Small instances of every problem, and the commands `solve` and `verify --certificate` on them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from contracts import cubical, grid_puzzles, max_clique, party, quadratic_assignment

import matheur.running.loading
from matheur.cli import run
from matheur.problems.edge_matching import EdgeMatching
from matheur.problems.edge_matching.instance import Instance
from matheur.running.loading import problem_type

__all__ = ["PROBLEMS", "Answer", "Bench", "Stage", "bench", "best"]


@dataclass(frozen=True)
class Bench:
    """An instance: its problem, its least objective, a solution that is not optimal, and an exact construction."""

    problem: Any
    optimum: int
    weak: Any
    exact: str


def _clashing() -> EdgeMatching:
    """Four corners of two kinds that clash; the colour counts alone do not say so."""
    pieces = np.array([[0, 1, 1, 0], [0, 1, 1, 0], [0, 2, 2, 0], [0, 2, 2, 0]], dtype=np.int16)
    return EdgeMatching(Instance(2, 2, pieces))


@cache
def bench(name: str) -> Bench:
    """The instance of a problem."""
    if name == "edge-matching":
        problem: Any = _clashing()
        costs = {cost: board for board, cost in _boards(problem)}
        return Bench(problem, min(costs), costs[max(costs)], "milp-full")
    if name == "party":
        problem = party.puzzle(party.PUZZLES[0])
        return Bench(problem, party.optimum(problem), party.some_party(problem), "branch-and-bound")
    if name == "quadratic-assignment":
        problem = quadratic_assignment.problem("symmetric6")
        weak = quadratic_assignment.some_permutation(problem)
        return Bench(problem, quadratic_assignment.optimum(problem), weak, "branch-and-bound")
    if name == "max-clique":
        problem = max_clique.problem("dense")
        return Bench(problem, max_clique.optimum(problem), max_clique.some_clique(problem), "exact")
    if name == "cubical":
        problem = cubical.puzzle("d3k2")
        return Bench(problem, cubical.optimum(problem), cubical.some_plan(problem), "astar")
    makers: dict[str, tuple[Callable[[str], Any], str, str]] = {
        "sliding-tile": (grid_puzzles.tiles, "2x3", "astar"),
        "lights-out": (grid_puzzles.lights, "3x3", "linear-algebra"),
        "sokoban": (grid_puzzles.level, "room", "astar"),
        "rubik": (grid_puzzles.cube, "four-turns", "astar"),
    }
    make, which, exact = makers[name]
    problem = make(which)
    return Bench(problem, grid_puzzles.optimum(problem), grid_puzzles.some_plan(problem), exact)


@cache
def best(name: str) -> Any:
    """An optimal solution of the instance, by its exact construction."""
    one = bench(name)
    found = matheur.solve(one.problem, construction=one.exact, neighbourhoods=[], work=100_000)
    assert found.objective == one.optimum
    return found.solution


PROBLEMS = (
    "edge-matching", "party", "quadratic-assignment", "max-clique", "cubical", "sliding-tile", "lights-out", "sokoban",
    "rubik",
)  # fmt: skip


def _boards(problem: EdgeMatching) -> list[tuple[Any, int]]:
    """All boards without an empty cell, and what they cost."""
    from itertools import permutations

    found = []
    for order in permutations(range(4)):
        board = [
            next(4 * piece + turn for turn in range(4) if problem.instance.fits[4 * piece + turn, cell])
            for cell, piece in enumerate(order)
        ]
        row = np.array(board, dtype=np.int32)
        found.append((row, int(problem.evaluate(row).objective)))
    return found


@dataclass(frozen=True)
class Answer:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """What it printed."""
        found: dict[str, Any] = json.loads(self.out)
        return found


class Stage:
    """The commands on the instance of a problem; `file` is the result that they write and read."""

    def __init__(self, name: str, folder: Path, patch: Any) -> None:
        self.name, self.bench, self.file = name, bench(name), folder / "result.json"
        kind = problem_type(name)
        patch.setattr(matheur.running.loading, "load_instance", lambda *_: (kind, self.bench.problem))

    def solve(self, construct: str | None, *arguments: object, start: Any = None) -> Answer:
        """`solve --json --out`; without a construction, from a solution, the weak one by default."""
        begin = self.file.with_name("start.json")
        first = self.bench.weak if start is None else start
        begin.write_text(json.dumps({"solution": self.bench.problem.encode(first)}))
        way: list[object] = ["--start", begin] if construct is None else ["--construction", construct]
        if "--neighbourhoods" not in arguments:
            way += ["--neighbourhoods", "none", *(["--iterations", 0] if construct is None else [])]
        if "--work" not in arguments:
            way += ["--work", 100_000]
        return self._run("solve", "instance", *way, *arguments, "--json", "--out", self.file)

    def verify(self) -> Answer:
        """`verify --certificate --json` on the file."""
        return self._run("verify", "instance", self.file, "--certificate", "--json")

    def edit(self, **changes: object) -> None:
        """Write something else into the file."""
        self.file.write_text(json.dumps({**json.loads(self.file.read_text()), **changes}))

    def _run(self, *arguments: object) -> Answer:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = run([str(argument) for argument in arguments])
        return Answer(code, out.getvalue(), err.getvalue())
