"""Construction `map-elites`: a grid of parties that differ in kind, the cheapest of each kind (MAP-Elites)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError, nearest
from matheur.methods.evolution.map_elites import Archive, Axis
from matheur.methods.evolution.map_elites import MapElites as Illuminator
from matheur.methods.evolution.population import Population
from matheur.problems.party.constraints import SumConstraint
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.describing import different_values, sums, synergy_points
from matheur.problems.party.operators.evolving import Breeding, Champion, Solution, hopeless
from matheur.problems.party.operators.species import Improvement, PartySpecies

__all__ = ["DESCRIPTORS", "MapElites", "axis_of"]

DESCRIPTORS = ("price", "distinct", "synergy", "surplus")


@dataclass(frozen=True, slots=True)
class MapElites(Breeding):
    """The cheapest party of every kind; parents are drawn from all kinds alike.

    The result is the cheapest party of all; `illuminate` returns the whole grid. Work: runs of Algorithm 1, descents,
    and annealing steps. Iterations: steps, each with `offspring` children.

    Attributes
    ----------
    axes
        Descriptors that span the grid: `price`, `distinct:TRAIT` (number of different values), `synergy`, or
        `surplus:COLUMN` (amount by which the sum of a numeric column exceeds the demanded minimum, or the lowest sum of
        the initial parties). If no column is given, the first suitable one of the puzzle is used.
    bins
        Number of bins of each axis except `distinct`, which has one bin for each number.
    population
        Number of initial parties, which also determine the scale of the axes.
    offspring
        Number of children per step.
    crossover
        Probability that a slot inherits its item from the first parent.
    mutation
        Probability that the item of a slot is dropped.
    random_filling
        Whether to fill the gaps of a child with random items first and heal it only if it is then infeasible, as in the
        paper. Otherwise Algorithm 1 fills the gaps.
    bar_dropped
        Whether a dropped item is barred from that child.
    generations
        Maximum number of steps; None to continue until the budget ends.
    guide
        Guidance of the constructions: `mixed` (matches, slack and price), `match` (as in the paper) or `unguided`.
    attempts
        Maximum number of runs of Algorithm 1 per party; the first feasible result is taken.
    improve
        Improvement of each party after that: a short `annealing`, which may start from an infeasible party, a `descent`
        by replacements of one item, or `none` (as in the paper).
    steps, hot
        Number of annealing steps, and initial temperature as a multiple of the mean item price.
    mutation_growth, mutation_max, pressure, distinct, refresh_below, refresh_share, patience
        Options of the other evolutionary operators; without effect here.
    """

    axes: tuple[str, ...] = ("price", "distinct")
    bins: int = option(12, minimum=2)
    population: int = 50
    offspring: int = 50
    attempts: int = 20
    improve: Improvement = "none"

    def __post_init__(self) -> None:
        Breeding.__post_init__(self)
        if not self.axes:
            raise ConfigurationError("a map needs at least one axis. Maybe 'price'?")
        for axis in self.axes:
            if axis.partition(":")[0] not in DESCRIPTORS:
                raise ConfigurationError(f"unknown axis '{axis}'. {nearest(axis, DESCRIPTORS)}")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Fill the grid; each new best party is offered to the budget."""
        impossible = hopeless(problem)
        if impossible is not None:
            return impossible
        inner, champion = self.inner(budget), Champion()
        archive = self.illuminate(problem.instance, inner, rng)
        champion.meet(archive.elites)
        return champion.outcome()

    def illuminate(self, instance: Instance, budget: Budget, rng: Generator) -> Archive:
        """Return the grid after as many steps as the budget allows, empty if no feasible party was found."""
        species = PartySpecies(instance, self.healing, budget)
        first = Population.empty(species.genes)
        while not len(first) and not budget.exhausted:
            genomes = species.create(self.population, rng)
            first = Population(genomes, species.fitness(genomes))
            budget.spend(iterations=1)
        illuminator = Illuminator(
            species, [axis_of(axis, instance, first, self.bins) for axis in self.axes], self.genetic
        )
        illuminator.admit(first)
        best = int(first.fitness.min()) if len(first) else None
        while not budget.exhausted and not budget.reached(best):
            best = illuminator.step(rng).best
            budget.spend(iterations=1)
        return illuminator.archive


def axis_of(name: str, instance: Instance, sample: Population, bins: int) -> Axis:
    """Return an axis by its name in `DESCRIPTORS`, scaled by a sample of parties.

    Raises
    ------
    ConfigurationError
        If the puzzle lacks the column.
    """
    kind, _, column = name.partition(":")
    if kind == "price":
        return _price_axis(instance, sample, bins)
    if kind == "synergy":
        points = instance.points
        low, high = (0, 1) if points is None else (points.demand, points.unit)
        edges = _even(low, high, bins)
        return Axis(name, edges, lambda genomes: synergy_points(instance, genomes))
    if kind == "distinct":
        traits = [term.column for term in instance.synergy.terms] if instance.synergy else []
        column = _column(name, column, [*traits, *instance.catalogue.traits], instance.catalogue.traits)
        if not column:
            return Axis(name, (), _nothing)
        return Axis(
            name, tuple(range(1, len(instance.slots) + 1)), lambda genomes: different_values(instance, column, genomes)
        )
    return _surplus_axis(name, column, instance, sample, bins)


def _price_axis(instance: Instance, sample: Population, bins: int) -> Axis:
    """Return bins of equal ratio, from half the lowest price of the sample to its highest."""
    prices = instance.catalogue.prices[sample.genomes].sum(axis=1, dtype=np.int64)
    low = max(1.0, float(prices.min(initial=1 << 40)) / 2)
    high = max(2 * low, float(prices.max(initial=1)))
    edges = tuple(float(edge) for edge in np.geomspace(low, high, bins - 1))
    return Axis("price", edges, lambda genomes: instance.catalogue.prices[genomes].sum(axis=1))


def _surplus_axis(name: str, column: str, instance: Instance, sample: Population, bins: int) -> Axis:
    demanded = [one.column for one in instance.constraints if isinstance(one, SumConstraint)]
    column = _column(name, column, [*demanded, *instance.catalogue.measures], instance.catalogue.measures)
    if not column:
        return Axis(name, (), _nothing)
    scale = instance.catalogue.measures[column].scale
    least = [
        one.value * scale
        for one in instance.constraints
        if isinstance(one, SumConstraint) and one.column == column and one.op != "<="
    ]
    values = sums(instance, column, sample.genomes)
    low = int(max(least, default=Fraction(int(values.min(initial=1 << 60)) if len(values) else 0)))
    high = max(low + bins, int(values.max(initial=0)))
    edges = tuple(edge - low for edge in _even(low, high, bins))
    return Axis(name, edges, lambda genomes: sums(instance, column, genomes) - low)


def _even(low: int, high: int, bins: int) -> tuple[float, ...]:
    """Inner edges of bins of equal width."""
    return tuple(low + (high - low) * number / bins for number in range(1, bins)) if high > low else ()


def _column(name: str, wanted: str, usual: list[str], known: Any) -> str:
    """Column of an axis; '' if none is named and the puzzle has none."""
    if wanted and wanted not in known:
        raise ConfigurationError(
            f"axis '{name}': the puzzle has no such column. {nearest(wanted, known or ['(none)'])}"
        )
    return wanted or next(iter(usual), "")


def _nothing(genomes: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.zeros(len(genomes), dtype=np.int64)
