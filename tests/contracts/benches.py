"""Small instances of every problem, for the contracts of problems and operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from contracts import cubical, edge_matching, grid_puzzles, max_clique, milp, party, quadratic_assignment


@dataclass(frozen=True)
class Bench:
    """Instances of a problem for its operators.

    The fields are names, a function that makes an instance, its best objective, a suboptimal incumbent, enough work for
    a meaningful run, and the number of calls after which a neighbourhood is assumed to claim no local optimum.
    """

    names: tuple[str, ...]
    make: Callable[[str], Any]
    optimum: Callable[[Any], int | float]
    incumbent: Callable[[Any], Any]
    work: int
    claims: int = 10


BENCHES = {
    "edge-matching": Bench(
        tuple(edge_matching.PUZZLES), edge_matching.puzzle, lambda _: 0, edge_matching.some_board, work=40
    ),
    "cubical": Bench(cubical.PUZZLES, cubical.puzzle, cubical.optimum, cubical.some_plan, work=2000),
    "sliding-tile": Bench(
        grid_puzzles.TILES, grid_puzzles.tiles, grid_puzzles.optimum, grid_puzzles.some_plan, work=2000
    ),
    "lights-out": Bench(
        grid_puzzles.LIGHTS, grid_puzzles.lights, grid_puzzles.optimum, grid_puzzles.some_plan, work=2000
    ),
    "sokoban": Bench(grid_puzzles.LEVELS, grid_puzzles.level, grid_puzzles.optimum, grid_puzzles.some_plan, work=2000),
    "rubik": Bench(grid_puzzles.CUBES, grid_puzzles.cube, grid_puzzles.optimum, grid_puzzles.some_plan, work=2000),
    "party": Bench(party.PUZZLES, party.puzzle, party.optimum, party.some_party, work=500),
    "quadratic-assignment": Bench(
        quadratic_assignment.NAMES,
        quadratic_assignment.problem,
        quadratic_assignment.optimum,
        quadratic_assignment.some_permutation,
        work=500,
    ),
    "max-clique": Bench(
        max_clique.NAMES, max_clique.problem, max_clique.optimum, max_clique.some_clique, work=500, claims=3
    ),
    "milp": Bench(milp.NAMES, milp.problem, milp.optimum, milp.some_values, work=150, claims=3),
}
