"""The Pareto front of the price of parties against their synergy or sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError, nearest
from matheur.methods.evolution.genetic import GeneticParameters
from matheur.methods.evolution.nondominated_sorting import NondominatedSorting
from matheur.methods.evolution.pareto import ParetoArchive
from matheur.methods.evolution.species import EMPTY, Fitness, Genomes
from matheur.problems.party.constraints import SumConstraint
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.describing import sums, synergy_points
from matheur.problems.party.operators.species import Healing, PartySpecies

__all__ = ["Front", "FrontSpecies", "demanding", "evolve_front", "most", "price_front", "scale", "worth"]


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """Non-dominated parties, by ascending price.

    Attributes
    ----------
    against
        Second objective: `synergy`, or the column whose sum is maximised.
    parties
        Items by slot. Shape (parties, slots), int32.
    prices
        Prices of the parties. Shape (parties,), int64.
    values
        Exact values of the second objective.
    """

    against: str
    parties: NDArray[np.int32]
    prices: NDArray[np.int64]
    values: tuple[Fraction, ...]


class FrontSpecies:
    """Parties of a puzzle for several levels of the demands on the further objectives.

    Each party is built for one level, drawn at random with a probability that grows with the success rate of the level.
    So parties are cheap for their value all along the front. The levels range from the value of the cheapest initial
    party to an upper bound; with several objectives, all combinations of levels are used.

    Parameters
    ----------
    instance
        The puzzle; its own demands on the further objectives are ignored.
    against
        Further objectives: `synergy` or numeric columns.
    levels
        Approximate number of levels.
    healing
        Options for completing and improving parties.
    budget
        Budget whose work is spent.
    own
        Whether the puzzle's own demands form an additional level.

    Raises
    ------
    ConfigurationError
        If the puzzle has no synergy, or no such column.
    """

    def __init__(
        self,
        instance: Instance,
        against: Sequence[str],
        levels: int,
        healing: Healing,
        budget: Budget,
        *,
        own: bool = False,
    ) -> None:
        self.instance: Instance = instance
        self.against: tuple[str, ...] = tuple(against)
        self.budget: Budget = budget
        self._healing = healing
        self._own = [PartySpecies(instance, healing, budget)] if own else []
        self._open = self._make((None,) * len(self.against))
        self._wanted, self._levels = levels, [self._open]
        self._tried, self._met = np.ones(1), np.ones(1)

    def _make(self, levels: Sequence[int | None]) -> PartySpecies:
        one = self.instance
        for against, level in zip(self.against, levels, strict=True):
            one = demanding(one, against, level)
        return PartySpecies(one, self._healing, self.budget)

    @property
    def genes(self) -> int:
        """Number of slots."""
        return len(self.instance.slots)

    def create(self, count: int, rng: Generator) -> Genomes:
        """Create parties of all levels; the first call has no demand and determines the levels."""
        if len(self._levels) == 1:
            first = self._open.create(count, rng)
            if len(first):
                self._spread(first)
            return first
        healed, feasible = self.heal(np.full((count, self.genes), EMPTY, dtype=np.int32), rng)
        return healed[feasible]

    def heal(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Complete parties, each for a random level of the demands."""
        chances = self._met / self._tried
        drawn = rng.choice(len(self._levels), size=len(partial), p=chances / chances.sum())
        healed, feasible = partial.copy(), np.zeros(len(partial), dtype=bool)
        for level in np.unique(drawn):
            if self.budget.exhausted:
                break
            rows = np.flatnonzero(drawn == level)
            healed[rows], feasible[rows] = self._levels[level].heal(
                partial[rows], rng, None if barred is None else barred[rows]
            )
            self._tried[level] += len(rows)
            self._met[level] += np.count_nonzero(feasible[rows])
        return healed, feasible

    def fitness(self, genomes: Genomes) -> Fitness:
        """Prices of the parties."""
        return self._open.fitness(genomes)

    def objectives(self, genomes: Genomes) -> NDArray[np.int64]:
        """Prices and negated values of the further objectives. Shape (parties, objectives)."""
        worths = [-worth(self.instance, one, genomes) for one in self.against]
        return np.stack([self.fitness(genomes), *worths], axis=1)

    def _spread(self, first: Genomes) -> None:
        """Choose the levels from the initial parties."""
        cheapest = first[np.argmin(self.fitness(first))][None]
        steps = max(2, round(self._wanted ** (1 / len(self.against))))
        axes = [
            np.unique(
                np.linspace(int(worth(self.instance, one, cheapest)[0]), most(self.instance, one), steps).astype(
                    np.int64
                )
            ).tolist()
            for one in self.against
        ]
        self._levels = [self._open, *self._own, *(self._make(levels) for levels in product(*axes))]
        self._tried, self._met = np.ones(len(self._levels)), np.ones(len(self._levels))


def evolve_front(
    problem: Any,
    budget: Budget,
    rng: Generator,
    against: Sequence[str],
    *,
    levels: int = 24,
    capacity: int = 200,
    parameters: GeneticParameters = GeneticParameters(population=50, offspring=20),  # noqa: B008 - frozen
    healing: Healing = Healing(attempts=3, improve="annealing", steps=500),  # noqa: B008 - frozen
) -> ParetoArchive:
    """Approximate the front of price and further objectives by non-dominated sorting (NSGA-II).

    The parameters are those of `price_front`, but `against` names one or more objectives. The objectives in the result
    are prices and the negated values of the further objectives, in units.

    Raises
    ------
    ConfigurationError
        If the puzzle has no synergy, or no such column, or the budget has no end.
    """
    if not budget.timed and budget.work is None and budget.iterations is None:
        raise ConfigurationError("a front needs a limit of seconds, work or iterations")
    species = FrontSpecies(problem.instance, against, levels, healing, budget.child())
    archive = ParetoArchive(species.genes, 1 + len(species.against), capacity)
    evolution = NondominatedSorting(species, parameters, archive)
    while not budget.exhausted:
        evolution.step(rng)
        budget.spend(iterations=1)
    return archive


def price_front(
    problem: Any,
    budget: Budget,
    rng: Generator,
    against: str = "synergy",
    *,
    levels: int = 24,
    capacity: int = 200,
    parameters: GeneticParameters = GeneticParameters(population=50, offspring=20),  # noqa: B008 - frozen
    healing: Healing = Healing(attempts=3, improve="annealing", steps=500),  # noqa: B008 - frozen
) -> Front:
    """Approximate the front of price and synergy, or of price and a sum, by non-dominated sorting (NSGA-II).

    Every party meets all other demands of the puzzle. The front is heuristic: there is no proof of optimality.

    Parameters
    ----------
    problem
        A `Party`.
    budget
        Budget, the only stopping criterion. Work: as for the species. Iterations: generations.
    against
        Second objective, which is maximised: `synergy` or a numeric column.
    levels
        Number of levels of the second objective for which parties are built.
    capacity
        Maximum number of parties on the front.

    Raises
    ------
    ConfigurationError
        If the puzzle has no synergy, or no such column, or the budget has no end.
    """
    archive = evolve_front(
        problem, budget, rng, (against,), levels=levels, capacity=capacity, parameters=parameters, healing=healing
    )
    parties, objectives = archive.sorted()
    unit = scale(problem.instance, against)
    return Front(against, parties, objectives[:, 0], tuple(Fraction(-int(value), unit) for value in objectives[:, 1]))


def worth(instance: Instance, against: str, genomes: Genomes) -> NDArray[np.int64]:
    """Values of the parties in an objective, in units. Shape (parties,)."""
    return synergy_points(instance, genomes) if against == "synergy" else sums(instance, against, genomes)


def scale(instance: Instance, against: str) -> int:
    """Number of units of the second objective that make 1."""
    if against != "synergy":
        return instance.catalogue.measures[against].scale
    assert instance.points is not None
    return instance.points.unit


def most(instance: Instance, against: str) -> int:
    """Upper bound of the second objective, in units."""
    if against == "synergy":
        return scale(instance, against)
    amounts = instance.catalogue.measures[against].amounts
    return sum(int(amounts[items].max()) for items in instance.candidates)


def demanding(instance: Instance, against: str, level: int | None) -> Instance:
    """Return the puzzle with another demand on the second objective, in units; None for no demand."""
    if against == "synergy":
        if instance.synergy is None or instance.points is None:
            raise ConfigurationError("the puzzle has no synergy to trade for the price")
        minimum = None if level is None else Fraction(level, instance.points.unit)
        return replace(instance, synergy=replace(instance.synergy, minimum=minimum))
    measures = instance.catalogue.measures
    if against not in measures:
        raise ConfigurationError(
            f"the puzzle has no numeric column '{against}'. {nearest(against, [*measures, 'synergy'])}"
        )
    others = [
        one
        for one in instance.constraints
        if not (isinstance(one, SumConstraint) and one.column == against and one.op != "<=" and one.scope is None)
    ]
    # Without a demand, a constraint still excludes items that lack the number, as the original one did.
    least = len(instance.slots) * int(measures[against].amounts.min()) if level is None else level
    return replace(
        instance, constraints=(SumConstraint(against, ">=", Fraction(least, measures[against].scale)), *others)
    )
