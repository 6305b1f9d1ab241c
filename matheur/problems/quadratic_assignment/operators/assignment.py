"""Neighbourhood `assignment`: facilities that exchange no flow are given back their locations optimally."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import networkx as nx
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.proofs import proof_key
from matheur.kernels.assignment import ROOM_ROWS
from matheur.problems.quadratic_assignment.instance import Instance, flows_only
from matheur.problems.quadratic_assignment.operators.assignment_kernels import reassign_drawn, reassign_listed
from matheur.problems.quadratic_assignment.operators.exchange_state import (
    ExchangeState,
    Matrices,
    kernel_state,
    objective,
)

__all__ = ["Assignment"]

CHUNK = 500  # sets between two checks of the clock, about 10 ms
RANGE_MAX = 1 << 59  # range of the costs of an assignment problem


@dataclass(frozen=True, slots=True)
class Assignment:
    """Optimal reassignment of sets of facilities to their own locations, if that is an assignment problem.

    This holds if no two facilities of the set exchange flow, or if the distances between their locations are all 0; so
    the neighbourhood applies only if one of the two matrices has zeros off its diagonal, in both directions. If there
    are few maximal sets, all of them are tried until none improves: a proved local optimum. Otherwise each call draws
    random sets. Work: sets tried.

    Attributes
    ----------
    k
        Largest size of a drawn set.
    sets
        Number of sets drawn in one call.
    listed
        Largest number of maximal sets that are enumerated; if there are no more, all are tried, otherwise random ones.
    """

    k: int = option(32, minimum=2)
    sets: int = option(2000, minimum=1)
    listed: int = option(1000, minimum=0, maximum=1_000_000_000)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(
        self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.int32]]:
        """Reassign sets while this improves; the local optimum is proved if all maximal sets could be enumerated."""
        instance: Instance = problem.instance
        flows_only(instance, "assignment")
        start = objective(instance, incumbent)
        graphs = [_apart(matrix) for matrix in (instance.flows, instance.distances)]
        maximal = [list(islice(_maximal_sets(graph), self.listed + 1)) for graph in graphs]
        complete = sum(map(len, maximal)) <= self.listed
        if complete and (not any(maximal) or _proof(instance, incumbent) in budget.proofs):
            budget.spend(work=1)
            return Outcome(Status.LOCAL_OPTIMUM, incumbent.copy(), start)
        with budget.watched():
            state = ExchangeState(Matrices.of(instance), incumbent)
        if int(state.potential.max()) - int(state.potential.min()) >= RANGE_MAX:
            budget.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT, incumbent.copy(), start)
        walk = _Walk(state, start, budget)
        if complete:
            ended = walk.all_of(maximal, rng)
        else:
            filled = [graph if some else None for graph, some in zip(graphs, maximal, strict=True)]
            ended = walk.random_ones(filled, self.sets, self.k, rng)
        if complete and ended:
            budget.proofs.remember(_proof(instance, state.p))
        if walk.objective < start:
            status = Status.IMPROVED
        elif not ended:
            status = Status.EXHAUSTED
        else:
            status = Status.LOCAL_OPTIMUM if complete else Status.NO_IMPROVEMENT
        return Outcome(status, state.p.copy(), walk.objective)


def _apart(matrix: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask of the pairs with zeros in both directions; False on the diagonal."""
    apart = (matrix == 0) & (matrix.T == 0)
    np.fill_diagonal(apart, False)
    return apart


def _maximal_sets(apart: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
    """All maximal sets of two or more that are pairwise apart."""
    for members in nx.find_cliques(nx.from_numpy_array(apart)):
        if len(members) > 1:
            yield np.array(members, dtype=np.int64)


def _proof(instance: Instance, permutation: NDArray[np.int32]) -> str:
    """Key of the proof that no set of facilities can be reassigned at lower cost."""
    return proof_key("assignment", instance.flows, instance.distances, permutation.astype(np.int32))


class _Walk:
    """Reassigns one set after another and updates the tables after each improvement."""

    def __init__(self, state: ExchangeState, start: int, budget: Budget) -> None:
        n = state.p.size
        self.state, self.budget, self.objective = state, budget, start
        self.tried = 0
        self._room = (np.empty((n, n), np.int64), np.empty((ROOM_ROWS, n + 1), np.int64), np.empty(n + 1, np.bool_))

    def all_of(self, maximal: Sequence[Sequence[NDArray[np.int64]]], rng: Generator) -> bool:
        """Try all sets, of facilities and of locations, until none improves; False if the budget ends first."""
        state = self.state
        sets = [(side, members) for side in range(2) for members in maximal[side]]
        order, idle = rng.permutation(len(sets)), 0
        while idle < len(sets):
            count = self._allowed(len(sets) - idle)
            if not count:
                return False
            coming = [sets[order[(self.tried + k) % len(sets)]] for k in range(count)]
            chosen = [state.q[members] if side else members for side, members in coming]
            starts = np.cumsum([0, *map(len, chosen)])
            members = np.concatenate(chosen).astype(np.int64)
            change, tried = reassign_listed(starts, members, state.potential, state.p, *self._room)
            self._book(int(change), tried)
            idle = 0 if change else idle + tried
        return True

    def random_ones(self, graphs: Sequence[NDArray[np.bool_] | None], sets: int, largest: int, rng: Generator) -> bool:
        """Try random sets from the graphs of facilities and locations that have any; False if the budget ends first."""
        state, words = self.state, kernel_state(rng)
        facilities = np.arange(state.p.size, dtype=np.int32)
        sides = [side for side in range(2) if graphs[side] is not None]
        while self.tried < sets:
            count = self._allowed(sets - self.tried)
            if not count:
                return False
            side = sides[int(rng.integers(len(sides)))]
            change, tried = reassign_drawn(
                count, largest, graphs[side], state.q if side else facilities, words, state.potential, state.p,
                *self._room,
            )  # fmt: skip
            self._book(int(change), tried)
        return True

    def _allowed(self, wanted: int) -> int:
        """Number of sets that may be tried before the next check of the budget."""
        if self.budget.exhausted or self.budget.reached(self.objective):
            return 0
        return self.budget.limit(min(CHUNK, wanted))

    def _book(self, change: int, tried: int) -> None:
        """Count the work and adopt an improvement."""
        self.tried += tried
        self.budget.spend(work=tried, iterations=tried)
        if change:
            self.objective += change
            self.state.place(self.state.p.copy())
            self.budget.offer(self.state.p.copy(), self.objective)
