"""Construction `genetic`: a small population, crossover, and robust tabu search for every child."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators.exchange_state import kernel_state, objective
from matheur.problems.quadratic_assignment.operators.genetic_kernels import cross_block, cross_uniform, scramble
from matheur.problems.quadratic_assignment.operators.random_permutation import RandomPermutation
from matheur.problems.quadratic_assignment.operators.tabu_search import tabu_search

__all__ = ["Genetic"]

ITERATIONS_MAX = 1 << 40  # iterations of one tabu search
STAGNATION = 4  # if nothing else ends the call
TWINS = 3  # parents that differ in fewer genes are not crossed
Permutation = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Genetic:
    """A memetic algorithm (in the way of Benlic and Hao 2015): few individuals, each a result of robust tabu search.

    Parents are chosen by tournament; children are made by crossover and improved by a short tabu search. A child that
    is new and better than the worst individual replaces it. When a population stagnates, a new one starts with longer
    searches: some instances need many short searches, others long ones. Work: iterations of tabu search. Every better
    permutation is offered.

    Half of the crossovers are uniform; the other half take a block of strongly connected facilities (or locations,
    if the distances have more zeros) from one parent. The loop differs from `matheur.methods.evolution`: here a
    generation is one child, and its crossover takes microseconds in a kernel.

    Attributes
    ----------
    population
        Number of individuals, at least 2.
    effort
        Iterations of the tabu search for each individual of the first population, times n^2.
    growth
        Factor of the effort from one population to the next.
    patience
        Stagnation of a population: it ends after patience * population children without a new best individual.
    tournament
        Number of random individuals that compete to be a parent; 1 is a uniform choice.
    share
        Time limit of one tabu search, as a share of the seconds of the call, so that large instances reach crossovers
        as well.
    tenure, aspiration
        Options of the tabu search, see `robust-tabu`.
    stagnation
        Number of successive populations without a better permutation after which the call ends. None: continue until
        the budget ends (4 if the budget has neither a deadline nor a work limit).
    """

    population: int = option(15, minimum=2)
    effort: float = option(5.0, above=0, maximum=1_000_000)
    growth: float = option(2.0, minimum=1, maximum=1_000)
    patience: float = option(4.0, above=0, maximum=1_000_000)
    tournament: int = option(2, minimum=1)
    share: float = option(0.01, above=0, maximum=1)
    tenure: float = option(8.0, above=0, maximum=1_000_000)
    aspiration: float = option(5.0, above=0, maximum=1_000_000)
    stagnation: int | None = option(None, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Permutation]:
        """Evolve one population after another until the budget ends."""
        try:
            with budget.watched():
                breeding = _Breeding(problem.instance, self, budget, rng)
        except OutOfBudgetError:
            return RandomPermutation().build(problem, budget, rng)
        breeding.offer()
        stagnation = self.stagnation
        if stagnation is None and not budget.timed and budget.work is None:
            stagnation = STAGNATION
        effort, idle = self.effort, 0
        while not breeding.ended and (stagnation is None or idle < stagnation):
            before = breeding.objective
            with suppress(OutOfBudgetError):  # its best permutation is already stored
                breeding.evolve(int(min(ITERATIONS_MAX, max(1.0, effort * problem.instance.n**2))))
            effort *= self.growth
            idle = idle + 1 if breeding.objective == before else 0
        return Outcome(Status.IMPROVED, breeding.best, breeding.objective)


class _Breeding:
    """The populations of one call, and the best permutation of all."""

    def __init__(self, instance: Instance, options: Genetic, budget: Budget, rng: Generator) -> None:
        self.instance, self.options, self.budget, self.rng = instance, options, budget, rng
        self.search = tabu_search(instance, rng, tenure=options.tenure, aspiration=options.aspiration)
        self.longest = options.share * (budget.deadline - budget.started)
        self._state = kernel_state(rng)
        # Blocks consist of facilities or of locations, whichever the sparser matrix connects.
        flows, distances = (abs(m) + abs(m.T) for m in (instance.flows, instance.distances))
        if instance.pairs is not None:
            joint = abs(instance.pairs)
            flows, distances = (sums + sums.T for sums in (joint.sum(axis=(1, 3)), joint.sum(axis=(0, 2))))
        self._by_location = bool(np.count_nonzero(distances) < np.count_nonzero(flows))
        self._ties = (distances if self._by_location else flows).astype(np.float64)
        self.best = rng.permutation(instance.n).astype(np.int32)
        self.objective = objective(instance, self.best)

    def offer(self) -> None:
        """Offer the best permutation to the budget."""
        self.budget.offer(self.best.copy(), self.objective)

    @property
    def ended(self) -> bool:
        """Whether the budget is exhausted or the target is reached."""
        return self.budget.exhausted or self.budget.reached(self.objective)

    def evolve(self, iterations: int) -> None:
        """Evolve one population from random permutations until it stagnates; `iterations` iterations per search."""
        options = self.options
        people, costs = self._first(iterations)
        idle = 0
        while len(people) > 1 and idle < options.patience * options.population and not self.ended:
            child = self._child(people, costs)
            cost = self._improve(child, iterations)
            worst = int(costs.argmax())
            idle = 0 if cost < costs.min() else idle + 1
            if cost < costs[worst] and not (people == child).all(axis=1).any():
                people[worst], costs[worst] = child, cost

    def _first(self, iterations: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Distinct results of tabu search from random permutations; fewer than a population if results repeat."""
        people: dict[bytes, tuple[Permutation, int]] = {}
        for _ in range(2 * self.options.population):
            if len(people) == self.options.population or self.ended:
                break
            one = self.rng.permutation(self.instance.n).astype(np.int32)
            cost = self._improve(one, iterations)
            people[one.tobytes()] = (one, cost)
        genomes = np.array([one for one, _ in people.values()], dtype=np.int32).reshape(-1, self.instance.n)
        return genomes, np.array([cost for _, cost in people.values()], dtype=np.int64)

    def _child(self, people: NDArray[np.int32], costs: NDArray[np.int64]) -> Permutation:
        """A crossover of two parents; if they are almost equal, one parent with a seventh of its genes moved."""
        one, other = self._parent(costs), self._parent(costs)
        if one == other:
            other = (one + 1 + int(self.rng.integers(len(costs) - 1))) % len(costs)
        first, second = people[one], people[other]
        child = np.empty_like(first)
        if np.count_nonzero(first != second) < TWINS:
            child[:] = first
            scramble(child, min(child.size, max(3, child.size // 7)), self._state)
        elif self.rng.random() < 0.5:
            cross_uniform(first, second, self._state, child)
        elif self._by_location:
            inverse = np.empty_like(first)
            cross_block(_inverse(first), _inverse(second), self._ties, self._state, inverse)
            child = _inverse(inverse)
        else:
            cross_block(first, second, self._ties, self._state, child)
        return child

    def _parent(self, costs: NDArray[np.int64]) -> int:
        """The best of a few random individuals."""
        competing = self.rng.integers(len(costs), size=self.options.tournament)
        return int(competing[costs[competing].argmin()])

    def _improve(self, one: Permutation, iterations: int) -> int:
        """Tabu search from `one`, which is overwritten by the result; returns the objective."""
        budget = self.budget.child(seconds=self.longest) if self.budget.timed else self.budget
        with self.budget.watched():
            self.search.start(one)
        self.search.run(iterations, budget, self.objective)
        one[:] = self.search.best
        if self.search.objective < self.objective:
            self.best, self.objective = one.copy(), self.search.objective
        return self.search.objective


def _inverse(permutation: Permutation) -> Permutation:
    """The inverse permutation."""
    found = np.empty_like(permutation)
    found[permutation] = np.arange(permutation.size, dtype=np.int32)
    return found
