"""Construction `annealing`: simulated annealing on replacements and exchanges, demands as adaptive penalties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators import move_kernels as kernels
from matheur.problems.party.operators.constructing import construct
from matheur.problems.party.operators.move_state import State
from matheur.problems.party.operators.moving import any_party, begin, effort, puzzle_of, state_of, weights
from matheur.problems.party.operators.raising import raised
from matheur.problems.party.operators.tables import Tables

__all__ = ["Annealing", "anneal"]

JUDGED = 2_000_000  # approximate number of items evaluated between two checks of the clock
_LEAST_WAIT = 0.2  # seconds
SHORT_RUNS = 3  # runs before the first one of full length, each twice as long as the one before


@dataclass(frozen=True, slots=True)
class Annealing:
    """Annealing runs, each from a new constructed party, until some in a row find nothing better.

    A step empties a random slot and fills it with a random item among those that the Metropolis rule accepts for one
    random number. All candidates are evaluated at once, so no step is lost to rejections. A violated demand is
    penalised by a price per unit, which rises while the demand is mostly violated and falls while it is mostly met.
    Temperatures are relative to the mean item price in the best known party, so no parameter depends on the catalogue.

    Work: steps (one slot examined with all its candidates, or one exchange tried), and one unit for each start.

    Attributes
    ----------
    steps
        Number of steps per run. The first three runs have an eighth, a quarter and half as many.
    patience
        Number of consecutive full-length runs without an improvement after which the construction ends.
    hot, cold
        Initial and final temperature, as multiples of the mean item price.
    swaps
        Share of the steps that exchange two slots, if any two have candidates in common.
    scan
        Length of a candidate list above which only parts of it are scanned.
    stagnation
        Stopping rule for runs with a time limit: end when no better party has been found for this multiple of the time
        that it took to find the best one, and for at least 0.2 seconds; None for no such rule.
    """

    steps: int = option(30_000, minimum=1)
    patience: int = option(8, minimum=1)
    hot: float = option(0.5, above=0)
    cold: float = option(0.01, above=0)
    swaps: float = option(0.25, minimum=0, maximum=1)
    scan: int = option(4096, minimum=4)
    stagnation: float | None = option(None, minimum=0)

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "cold", "hot")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Return the best party of all runs; no solution if no run finds a feasible one."""
        if not problem.instance.additive:
            return raised(problem, budget, lambda question, inner: self.build(question, inner, rng))
        tables = Tables.of_any(problem.instance)
        best: NDArray[np.int32] | None = None
        price = kernels.NONE
        idle = run = 0
        began: float | None = None  # after the first slice, which loads the kernels
        taken = 0.0
        stop = tables.impossible or budget.exhausted
        while not stop and idle < self.patience:
            start = self._start(problem.instance, tables, budget, rng)
            if start is None:
                reason = f"the {tables.slots} slots cannot be filled with different items"
                return Outcome(Status.INFEASIBLE, reason=reason)
            steps = max(1, self.steps >> max(0, SHORT_RUNS - run))
            improved = False
            for found, cost in self.run(tables, start, steps, price, budget, rng):
                began = budget.elapsed if began is None else began
                if cost < price:
                    best, price, improved, taken = found, cost, True, budget.elapsed - began
                    budget.offer(best, price)
                stop = best is not None and (
                    budget.reached(price)
                    or price <= problem.trivial_bound
                    or (budget.timed and self._stagnates(taken, budget.elapsed - began))
                )
                if stop:
                    break
            stop = stop or budget.exhausted
            idle = 0 if improved or steps < self.steps else idle + 1
            run += 1
        if best is None:
            status = Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT
            return Outcome(status)
        return Outcome(Status.IMPROVED, best, price)

    def _stagnates(self, taken: float, now: float) -> bool:
        """Whether the best party, found after `taken` of `now` seconds, has remained unbeaten for long enough."""
        return self.stagnation is not None and now - taken > max(_LEAST_WAIT, self.stagnation * taken)

    def _start(self, instance: Instance, tables: Tables, budget: Budget, rng: Generator) -> NDArray[np.int32] | None:
        """Places of an initial party: a constructed one if the constructions support all demands, else random items."""
        budget.spend(work=1)
        if not instance.plain:
            return any_party(tables, rng)
        genomes, _ = construct(tables, np.full((1, tables.slots), -1, dtype=np.int32), rng, attempts=1)
        return any_party(tables, rng) if (genomes < 0).any() else tables.to_places(genomes[0])

    def run(
        self, tables: Tables, start: NDArray[np.int32], steps: int, price: int, budget: Budget, rng: Generator
    ) -> Iterator[tuple[NDArray[np.int32], int]]:
        """Run once from a party, given by its places, in slices; stop when the budget is exhausted.

        `price` is the price of the best known party, from which the temperatures are derived.

        Yields
        ------
        party, price
            Best feasible party of this run so far and its price (`NONE` if there is none yet), after each slice.
        """
        state, puzzle = state_of(tables, rng), puzzle_of(tables)
        known = price if price < kernels.NONE else int(puzzle.prices[start].sum())
        mean = max(1.0, known / tables.slots)
        begin(state, puzzle, start, weights(tables, mean))
        heat, cooling = self.hot * mean, (self.cold / self.hot) ** (1 / steps)
        longest = int(np.diff(tables.starts).max())
        size = max(1, JUDGED // (min(longest, 8 * self.scan) * effort(puzzle)))
        done = 0
        while done < steps and not budget.exhausted:
            now = budget.limit(min(size, steps - done))
            heat = kernels.anneal(heat, cooling, now, done, int(256 * self.swaps), self.scan, state, puzzle)
            budget.spend(work=now, iterations=now)
            done += now
            if done == steps and state.sums[kernels.BEST] < kernels.NONE:
                self._finish(tables, state, budget)
            yield tables.from_places(state.best), int(state.sums[kernels.BEST])

    def _finish(self, tables: Tables, state: State, budget: Budget) -> None:
        """Descend from the best party of a run."""
        puzzle = puzzle_of(tables)
        begin(state, puzzle, state.best)
        limit = budget.limit(1000 * tables.slots)
        _, _, looked = kernels.descend(puzzle.free, 0, 0, limit, kernels.NONE, state, puzzle)
        budget.spend(work=looked, iterations=looked)


def anneal(
    tables: Tables,
    start: NDArray[np.int32] | None,
    rng: Generator,
    moves: int,
    *,
    price: int | None = None,
    options: Annealing | None = None,
) -> tuple[NDArray[np.int32] | None, int | None]:
    """One annealing run.

    Parameters
    ----------
    start
        Initial party, feasible or not, as catalogue numbers; None for a random one. At the default temperatures, little
        of it remains.
    moves
        Number of steps of the run.
    price
        Price of a good party, from which temperatures are derived; None for the price of `start`.
    options
        Temperatures and other options; the defaults if None.

    Returns
    -------
    party, price
        Best feasible party found, as catalogue numbers, and its price; None and None if there is none.
    """
    places = any_party(tables, rng) if start is None else tables.to_places(start)
    if places is None or (places < 0).any():
        return None, None
    known = kernels.NONE if price is None else price
    *_, (party, cost) = (options or Annealing()).run(tables, places, max(1, moves), known, Budget(), rng)
    return (party, cost) if cost < kernels.NONE else (None, None)
