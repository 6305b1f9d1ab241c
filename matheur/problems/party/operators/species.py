"""Parties as a species of `matheur.methods.evolution`: built and healed by Algorithm 1, then improved by moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.methods.evolution.species import EMPTY, Fitness, Genomes
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.annealing import Annealing
from matheur.problems.party.operators.constructing import MATCH, MIXED, UNGUIDED, construct, construct_counted
from matheur.problems.party.operators.describing import costs
from matheur.problems.party.operators.move_kernels import NONE
from matheur.problems.party.operators.moving import any_party
from matheur.problems.party.operators.polishing import polish
from matheur.problems.party.operators.tables import Tables

__all__ = ["GUIDANCES", "Guide", "Healing", "Improvement", "PartyHabitat", "PartySpecies"]

Guide = Literal["mixed", "match", "unguided"]
Improvement = Literal["annealing", "descent", "none"]

GUIDANCES = {"mixed": MIXED, "match": MATCH, "unguided": UNGUIDED}

_CHUNK = 320  # maximum number of runs of Algorithm 1 between two checks of the clock
_DRAWS = 12  # draws of an item for a slot that is filled at random
_ROUNDS = 50  # failed rounds of creation before fewer individuals than requested are returned


@dataclass(frozen=True, slots=True)
class Healing:
    """Options for completing and improving parties.

    Attributes
    ----------
    guide
        Guidance of the constructions, see `matheur.problems.party.operators.constructing`.
    attempts
        Maximum number of runs of Algorithm 1 per party; the first feasible result is taken.
    improve
        Improvement of each party after that: a short `annealing`, which may start from an infeasible party, a `descent`
        by replacements of one item, or `none`.
    steps, hot
        Number of annealing steps, and initial temperature as a multiple of the mean item price.
    """

    guide: Guide = "mixed"
    attempts: int = option(20, minimum=1)
    improve: Improvement = "none"
    steps: int = option(2000, minimum=1)
    hot: float = option(0.3, above=0)

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def annealing(self) -> Annealing:
        """The annealing of one party."""
        return Annealing(steps=self.steps, hot=self.hot, cold=min(self.hot, Annealing().cold))


class PartySpecies:
    """Feasible parties under a budget. Work: runs of Algorithm 1, descents, and annealing steps.

    Parameters
    ----------
    instance
        The puzzle.
    healing
        Options for completing and improving parties.
    budget
        Budget whose work is spent. When it ends, `create` returns fewer parties and `heal` leaves some unhealed.
    """

    def __init__(self, instance: Instance, healing: Healing, budget: Budget) -> None:
        self.instance: Instance = instance
        self.healing: Healing = healing
        self.budget: Budget = budget
        self.tables: Tables = Tables.of(instance)
        self._free = np.array([len(items) > 1 for items in instance.candidates], dtype=bool)
        self._best: int | None = None

    @property
    def genes(self) -> int:
        """Number of slots."""
        return len(self.instance.slots)

    def create(self, count: int, rng: Generator) -> Genomes:
        """Create parties; fewer than `count` if the budget ends or feasible parties are too hard to find."""
        made: list[Genomes] = []
        missing = count
        for _ in range(_ROUNDS):
            if missing <= 0 or self._over:
                break
            genomes, feasible = self.heal(np.full((missing, self.genes), EMPTY, dtype=np.int32), rng)
            made.append(genomes[feasible])
            missing -= int(np.count_nonzero(feasible))
        return np.concatenate([np.empty((0, self.genes), dtype=np.int32), *made])

    def heal(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Complete parties, chunk by chunk; an improvement may bring barred items back."""
        healed, feasible = partial.copy(), np.zeros(len(partial), dtype=bool)
        if barred is not None:
            barred = np.where(self._free, barred, np.int32(EMPTY))
        done = 0
        while done < len(partial) and not self._over:
            size = self.budget.affordable(min(max(1, _CHUNK // self.healing.attempts), len(partial) - done))
            chunk = slice(done, done + size)
            attempts = self.budget.affordable(size * self.healing.attempts) // size
            healed[chunk], feasible[chunk], made = construct_counted(
                self.tables,
                partial[chunk],
                rng,
                attempts=attempts,
                guidance=GUIDANCES[self.healing.guide],
                barred=None if barred is None else barred[chunk],
            )
            self.budget.spend(work=int(np.maximum(made, 1).sum()))
            self._offer(healed[chunk][feasible[chunk]])
            if not self.instance.additive:
                pass  # both improvements minimise the price
            elif self.healing.improve == "annealing":
                self._anneal(healed, feasible, chunk, rng)
            elif self.healing.improve == "descent":
                self._descend(healed, feasible, chunk, rng)
            done += size
        return healed, feasible

    def fill(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Fill empty slots with random items that fit, ignoring the demands; one row is one work unit.

        A slot stays empty if a dozen draws yield only used or barred items.
        """
        filled, feasible = partial.copy(), np.zeros(len(partial), dtype=bool)
        rows = np.arange(self.budget.affordable(len(partial)))
        if not len(rows) or self._over:
            return filled, feasible
        barred = np.full_like(partial, EMPTY) if barred is None else np.where(self._free, barred, np.int32(EMPTY))
        for slot in rng.permutation(self.genes):
            items = self.instance.candidates[slot]
            for _ in range(_DRAWS if len(items) else 0):
                empty = rows[filled[rows, slot] == EMPTY]
                drawn = items[rng.integers(len(items), size=len(empty))]
                taken = (filled[empty] == drawn[:, None]).any(axis=1) | (barred[empty] == drawn[:, None]).any(axis=1)
                filled[empty[~taken], slot] = drawn[~taken]
        complete = rows[(filled[rows] != EMPTY).all(axis=1)]
        _, feasible[complete] = construct(self.tables, filled[complete], rng, attempts=1)
        self.budget.spend(work=len(rows))
        self._offer(filled[feasible])
        return filled, feasible

    def fitness(self, genomes: Genomes) -> Fitness:
        """Prices, or points missing to a synergy of 1. Shape (parties,)."""
        return costs(self.instance, genomes)

    @property
    def _over(self) -> bool:
        return self.budget.exhausted or self.budget.reached(self._best)

    def _descend(self, healed: Genomes, feasible: NDArray[np.bool_], chunk: slice, rng: Generator) -> None:
        """Improve the feasible parties of a chunk in place, as far as the budget allows."""
        rows = np.flatnonzero(feasible[chunk])[: self.budget.work_left] + chunk.start
        if len(rows):
            healed[rows], _, _ = polish(self.tables, healed[rows], rng)
            self.budget.spend(work=len(rows))
            self._offer(healed[rows])

    def _anneal(self, healed: Genomes, feasible: NDArray[np.bool_], chunk: slice, rng: Generator) -> None:
        """Improve the parties of a chunk in place; if the construction got stuck, start from a random party."""
        annealing = self.healing.annealing
        for row in range(chunk.start, chunk.stop):
            if self._over:
                return
            complete = bool((healed[row] != EMPTY).all())
            start = self.tables.to_places(healed[row]) if complete else any_party(self.tables, rng)
            if start is None or (start < 0).any():
                continue
            before = int(self.fitness(healed[row][None])[0]) if feasible[row] else NONE
            known = NONE if self._best is None else self._best
            for party, price in annealing.run(self.tables, start, self.healing.steps, known, self.budget.child(), rng):
                if price < NONE and price <= before:
                    healed[row], feasible[row] = party, True
            if feasible[row]:
                self._offer(healed[row][None])

    def _offer(self, genomes: Genomes) -> None:
        """Offer the best of these feasible parties to the budget if it is a new best of this species."""
        if len(genomes):
            prices = self.fitness(genomes)
            best = int(np.argmin(prices))
            if self._best is None or prices[best] < self._best:
                self._best = int(prices[best])
                self.budget.offer(genomes[best], self._best)


@dataclass(frozen=True)
class PartyHabitat:
    """Picklable factory of the species of a puzzle."""

    instance: Instance
    healing: Healing

    def __call__(self, budget: Budget) -> PartySpecies:
        return PartySpecies(self.instance, self.healing, budget)
