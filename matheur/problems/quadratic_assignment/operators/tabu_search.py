"""Robust tabu search as an object that runs in slices, shared by `robust-tabu` and `genetic`."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators.exchange_state import (
    ExchangeState,
    Matrices,
    kernel_state,
    objective,
)
from matheur.problems.quadratic_assignment.operators.tabu_kernels import (
    BEST,
    CURRENT,
    GAINED,
    ITERATION,
    OLDEST,
    TARGET,
    search,
)

__all__ = ["TabuSearch", "slice_length", "tabu_search"]

FOREVER = 1 << 62
RESTART = 1 << 28  # iterations: tabu tables hold them as 32-bit numbers


def slice_length(n: int) -> int:
    """Iterations between two checks of the clock: about 10 ms."""
    return max(1, 20_000_000 // (n * n + 400))


class TabuSearch:
    """Robust tabu search of one instance (Taillard 1991), from one permutation after another.

    Parameters
    ----------
    instance
        What to solve.
    rng
        Seeds the random numbers of the kernel.
    tenure
        An exchanged facility must not go back for `tenure` * n * u^3 iterations, u uniform in [0, 1] (Taillard's
        program of 2006).
    aspiration
        An exchange that takes a facility to a location where it has not been for `aspiration` * n^2 iterations has
        priority.
    """

    def __init__(self, instance: Instance, rng: Generator, *, tenure: float = 8.0, aspiration: float = 5.0) -> None:
        n = instance.n
        self.instance = instance
        self.tenure: float = min(tenure * n, float(RESTART))
        self.aspiration: int = int(min(aspiration * n * n, RESTART))
        self._random = kernel_state(rng)
        self._state = ExchangeState(Matrices.of(instance), np.arange(n, dtype=np.int32))
        self._tabu = np.empty_like(self._state.change)
        self._best = np.empty(n, dtype=np.int32)
        self._numbers = np.zeros(6, dtype=np.int64)

    @property
    def slice_length(self) -> int:
        """Iterations between two checks of the clock."""
        return slice_length(self.instance.n)

    def start(self, permutation: NDArray[np.int32]) -> None:
        """Restart from a permutation, with an empty tabu list."""
        numbers = self._numbers
        self._state.place(permutation)
        self._best[:] = permutation
        numbers[[CURRENT, BEST]] = objective(self.instance, permutation)
        self._forget()

    def _forget(self) -> None:
        """Reset the iteration count and empty the tabu list."""
        state, numbers = self._state, self._numbers
        n = state.p.size
        index = np.arange(n)
        self._tabu[:] = state.matrices.largest
        self._tabu[:, :n] = -(n * index[:, None] + index)
        self._tabu[index, state.p] = state.matrices.largest
        numbers[[ITERATION, GAINED]] = 0
        numbers[OLDEST] = -n * n

    def advance(self, limit: int, *, patience: int = FOREVER, target: float | None = None) -> int:
        """Run at most `limit` more iterations.

        Parameters
        ----------
        patience
            Stop after this many iterations without a new best objective.
        target
            Stop when the objective reaches this value.

        Returns
        -------
        int
            Iterations made.
        """
        state, numbers, matrices = self._state, self._numbers, self._state.matrices
        if numbers[ITERATION] >= RESTART:
            self._forget()
        numbers[TARGET] = -FOREVER if target is None else max(-FOREVER, math.floor(target))
        done = search(
            min(limit, RESTART), patience, self.tenure, self.aspiration, matrices.flows, matrices.distances, state.p,
            state.q, state.potential, state.change, self._tabu, state.floor, state.typed, state.work, numbers,
            self._random, self._best,
        )  # fmt: skip
        return int(done)

    @property
    def objective(self) -> int:
        """Best objective since the start."""
        return int(self._numbers[BEST])

    @property
    def best(self) -> NDArray[np.int32]:
        """A copy of the best permutation since the start."""
        return self._best.copy()

    def run(self, iterations: int, budget: Budget, record: int, *, patience: int = FOREVER) -> int:
        """Run in slices, booked as work, until the iterations, the patience or the budget ends.

        Parameters
        ----------
        record
            Objective below which each improvement is offered to the budget.

        Returns
        -------
        int
            Iterations made.
        """
        done = 0
        length = self.slice_length
        while done < iterations and not budget.exhausted and not budget.reached(self.objective):
            wanted = budget.limit(min(length, iterations - done))
            steps = self.advance(wanted, patience=patience, target=budget.target)
            budget.spend(work=steps, iterations=steps)
            done += steps
            if self.objective < record:
                record = self.objective
                budget.offer(self.best, record)
            if steps < wanted:
                break
        return done


def tabu_search(instance: Instance, rng: Generator, *, tenure: float = 8.0, aspiration: float = 5.0) -> TabuSearch:
    """The search for an instance: with kernels, or with NumPy tables for the general form."""
    if instance.pairs is None:
        return TabuSearch(instance, rng, tenure=tenure, aspiration=aspiration)
    from matheur.problems.quadratic_assignment.operators.general_search import GeneralSearch

    return GeneralSearch(instance, rng, tenure=tenure, aspiration=aspiration)
