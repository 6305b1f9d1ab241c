"""Rubik's cube as a domain: component i is 3 * corner + twist in corner place i, then 2 * edge + flip."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from matheur.engine.announcing import announce
from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.errors import ConfigurationError, nearest
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import BaseDomain, Kernel, View
from matheur.methods.statespace.heuristics.base import Heuristic
from matheur.methods.statespace.packing import Packing
from matheur.problems.rubik import domain_kernels as rubik_kernels
from matheur.problems.rubik.instance import Metric
from matheur.problems.rubik.problem import Rubik
from matheur.problems.rubik.search.coordinates import coordinates, corner_moves
from matheur.problems.rubik.search.coset import BYTES
from matheur.problems.rubik.search.deepening import CubeTables, cube_tables, ida_star_cube
from matheur.problems.rubik.search.exact import exact_cube, exact_tables
from matheur.problems.rubik.search.pieces import SOLVED_STATE, compose, inverse, state_of, turns_of
from matheur.problems.rubik.search.table_rows import edge_images
from matheur.problems.rubik.search.tables import distance_table, moves_of

__all__ = ["RubikDomain", "rubik_domain"]

_PROBES = {"tables": 0b1111111, "corners": 0b1, "phase1": 0b1110}
_SUM = "table-sum"


class RubikDomain(BaseDomain):
    """Turns of a cube, with the move numbers of the problem.

    Parameters
    ----------
    metric
        `quarter` with 12 moves, or `half` with 18 moves.
    start, goal
        States (see `matheur.problems.rubik.search.pieces`) that turns can transform into each other.
    """

    def __init__(self, metric: Metric, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> None:
        self.metric = metric
        self.start: NDArray[np.uint8] = np.array(start, dtype=np.uint8)
        self.goal: NDArray[np.uint8] = np.array(goal, dtype=np.uint8)
        self.name = f"rubik ({metric} turns)"
        self.fingerprint = f"rubik {metric}"
        self.packing: Packing = Packing((5,) * 20)
        self.goal_mask: NDArray[np.bool_] = np.ones(20, dtype=np.bool_)
        self.moves: int = moves_of(metric)
        self.branching: int = self.moves
        source, value = _turn_tables()
        self.expander: Kernel | None = Kernel(
            rubik_kernels.expand, np.array([self.moves], dtype=np.int64), (source, value)
        )

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> RubikDomain:
        """The same cube with other endpoints."""
        return RubikDomain(self.metric, start, goal)

    def renaming(self, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> View:
        """A renaming of the pieces; turns act on places and do not depend on the names of pieces."""
        names = _names(compose(after, inverse(before)))
        place, shown = np.full((20, 256), -1, dtype=np.int64), np.zeros((20, 256), dtype=np.uint8)
        place[:, :24] = np.arange(20)[:, None]
        shown[:8, :24], shown[8:, :24] = names
        return View(self.fingerprint, after, place, shown)

    def heuristics(self) -> Mapping[str, Callable[..., Heuristic]]:
        """Heuristics from exact distances of parts of the cube.

        They are `tables` (the maximum of all distances), `corners` and `phase1` alone, the inadmissible `table-sum`,
        and `korf`.
        """
        return {**{name: partial(self.distances, name) for name in (*_PROBES, _SUM)}, "korf": self.korf}

    def korf(self, *, budget: Budget | None = None) -> Heuristic:
        """The maximum of the distances of the corners and of two sets of six edges (Korf 1997).

        Raises
        ------
        OutOfBudgetError
            If the budget ended before the tables were available.
        """
        with (Budget() if budget is None else budget).watched():
            one = coordinates()
            corner_moves()
        corners = distance_table("corners", self.metric, budget=budget, progress=announce)
        edges = None if corners is None else distance_table("edges", self.metric, budget=budget, progress=announce)
        if corners is None or edges is None:
            raise OutOfBudgetError
        halves = np.array([one.heads, one.tails]).astype(np.int64).astype(np.uint64)
        tables = (corners.packed, edges.packed, one.corner, halves, _names(inverse(self.goal)), edge_images())
        kernel = Kernel(rubik_kernels.korf, np.empty(0, dtype=np.int64), tables)
        return Heuristic("korf", True, True, kernel, memory=corners.packed.nbytes + edges.packed.nbytes)

    def distances(self, name: str, *, budget: Budget | None = None) -> Heuristic:
        """Exact distances of parts of the cube: their maximum, or their sum, which is not a bound.

        Raises
        ------
        ConfigurationError
            If the name is not one of `tables`, `corners`, `phase1` and `table-sum`.
        OutOfBudgetError
            If the budget ended before the tables were available.
        """
        known = (*_PROBES, _SUM)
        if name not in known:
            raise ConfigurationError(f"no heuristic {name!r}. {nearest(name, known)}")
        tables = self._tables(budget)
        one, classes = tables.coordinates, tables.classes
        parts = (one.heads, one.tails, one.placing.ravel(), classes.class_of, classes.twist_image.ravel())
        fields = np.concatenate([part.astype(np.int64).astype(np.uint64) for part in parts])
        add = name == _SUM
        numbers = np.array([_PROBES["tables" if add else name], int(add)], dtype=np.int64)
        kernel = Kernel(
            rubik_kernels.distances, numbers,
            (tables.corners.packed, tables.phase1.packed, one.corner, one.edge, fields, _names(inverse(self.goal))),
        )  # fmt: skip
        return Heuristic(name, not add, not add, kernel, memory=tables.nbytes)

    def ida_star(self, heuristic: str, *, budget: Budget, memory: int, threads: int = 1) -> SearchAnswer | None:
        """Search by the corner and phase-1 tables in one thread, with the pieces renamed relative to the goal.

        The heuristic `large` uses the large table of cosets, which is built first if necessary, in one or several
        threads. Returns None for other heuristics, or if the tables exceed the memory.

        Raises
        ------
        ConfigurationError
            If the large table exceeds the memory.
        OutOfBudgetError
            If the budget ended before the tables were available.
        """
        if heuristic == "large":
            return self._large(budget, memory, threads)
        if heuristic not in ("auto", "tables"):
            return None
        tables = self._tables(budget)
        if tables.nbytes > memory:
            return None
        return ida_star_cube(tables, compose(inverse(self.goal), self.start), budget=budget)

    def _large(self, budget: Budget, memory: int, threads: int) -> SearchAnswer:
        if memory < BYTES:
            raise ConfigurationError(f"the large table of the cube takes {BYTES >> 20} MiB. Maybe more memory?")
        tables = exact_tables(self.metric, large=True, budget=budget, threads=threads)
        if tables is None:
            raise OutOfBudgetError
        return exact_cube(tables, compose(inverse(self.goal), self.start), budget=budget, threads=threads)

    def _tables(self, budget: Budget | None) -> CubeTables:
        tables = cube_tables(self.metric, budget=budget)
        if tables is None:
            raise OutOfBudgetError
        return tables


def _names(moved: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """New names of the components of a corner and of an edge if piece i is renamed to `moved[i]`: uint8[2, 24]."""
    home = moved.astype(np.int64)
    names = np.zeros((2, 24), dtype=np.uint8)
    names[0] = home[np.arange(24) // 3] // 3 * 3 + (home[np.arange(24) // 3] + np.arange(24)) % 3
    names[1] = home[8 + np.arange(24) // 2] ^ (np.arange(24) % 2)
    return names


@lru_cache(maxsize=1)
def _turn_tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    turns = turns_of()
    return turns.source.astype(np.uint8), np.ascontiguousarray(turns.value)


def rubik_domain(problem: Rubik) -> RubikDomain:
    """The domain of a cube."""
    return RubikDomain(problem.instance.metric, state_of(problem.instance.cubies), SOLVED_STATE)
