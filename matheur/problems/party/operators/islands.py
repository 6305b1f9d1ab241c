"""Construction `islands`: several populations of parties that exchange individuals (multi-island genetic algorithm)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome
from matheur.methods.evolution.islands import Archipelago, IslandParameters
from matheur.methods.evolution.migration import Migration
from matheur.methods.evolution.similarity import Similarity
from matheur.problems.party.operators.evolving import Breeding, Champion, Solution, hopeless
from matheur.problems.party.operators.species import PartyHabitat

__all__ = ["Islands"]


@dataclass(frozen=True, slots=True)
class Islands(Breeding):
    """Islands of parties; after every epoch individuals migrate (section V-B of the paper).

    Work: runs of Algorithm 1, descents, and annealing steps. The islands share a work limit, so the result does not
    depend on the number of processes. Iterations: generations.

    Attributes
    ----------
    islands
        Number of islands.
    epoch
        Number of generations between two migrations.
    topology
        Migration topology. `redeal` pools all parties and deals them out in equal groups of similar parties (as in the
        paper); with `ring` and `full`, each island sends to the next one or to all others; `none` is no migration.
    similarity
        Similarity by which `redeal` forms groups: `fitness` (price), `hamming` (number of equal items), `entropy`
        (groups with little variety in their slots) or `spectral` clustering (of the graph of equal items).
    partition
        Whether to divide one initial population into islands by `similarity`, as in the paper. Otherwise each island
        creates its own, and the first migration follows the first epoch.
    migrants
        Share of an island that migrates (`ring` and `full`).
    select
        Choice of migrants: the `best` parties, `random` ones, or a draw by `rank`.
    replace
        Choice of the parties that migrants replace: the `worst`, `random` ones, or the most `similar`.
    processes
        Number of processes in which the islands evolve; 1 means the calling process.
    population, offspring
        Number of parties on each island, and number of children per generation.
    crossover
        Probability that a slot inherits its item from the first parent.
    mutation
        Probability that the item of a slot is dropped.
    mutation_growth, mutation_max
        Adaptive mutation: factor by which `mutation` grows with each consecutive generation that begins with a
        coefficient of variation below `refresh_below`, and largest probability. A factor of 1 keeps it constant.
    random_filling
        Whether to fill the gaps of a child with random items first and heal it only if it is then infeasible, as in the
        paper. Otherwise Algorithm 1 fills the gaps.
    bar_dropped
        Whether a dropped item is barred from that child.
    pressure
        Selection pressure of the rank selection of parents: 1 selects uniformly, 2 is the rule of Tate and Smith.
    distinct
        Whether duplicates survive on an island only if it has too few different parties.
    refresh_below, refresh_share
        Coefficient of variation of an island's prices below which part of the island is replaced by new parties, and
        the share that is replaced.
    generations
        Maximum number of generations; None to continue until the budget ends.
    patience
        Number of generations without a better party after which new populations start; None for never.
    guide
        Guidance of the constructions: `mixed` (matches, slack and price), `match` (as in the paper) or `unguided`.
    attempts
        Maximum number of runs of Algorithm 1 per party; the first feasible result is taken.
    improve
        Improvement of each party after that: a short `annealing`, which may start from an infeasible party, a `descent`
        by replacements of one item, or `none` (as in the paper).
    steps, hot
        Number of annealing steps, and initial temperature as a multiple of the mean item price.
    """

    islands: int = 4
    epoch: int = 5
    topology: Literal["redeal", "ring", "full", "none"] = "redeal"
    similarity: Similarity = "fitness"
    partition: bool = False
    migrants: float = 0.1
    select: Literal["best", "random", "rank"] = "best"
    replace: Literal["worst", "random", "similar"] = "worst"
    processes: int = option(1, minimum=1)
    population: int = 5
    offspring: int = 5

    def __post_init__(self) -> None:
        Breeding.__post_init__(self)
        self.archipelago  # noqa: B018 - it checks the values

    @property
    def archipelago(self) -> IslandParameters:
        """Parameters of all islands."""
        migration = Migration(
            topology=self.topology, similarity=self.similarity, rate=self.migrants, select=self.select,
            replace=self.replace,
        )  # fmt: skip
        return IslandParameters(self.islands, self.epoch, self.genetic, migration, self.partition)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Evolve; each new best party is offered to the budget."""
        impossible = hopeless(problem)
        if impossible is not None:
            return impossible
        inner, champion = self.inner(budget), Champion()
        habitat = PartyHabitat(problem.instance, self.healing)
        with Archipelago(habitat, self.archipelago, int(rng.integers(1 << 63)), processes=self.processes) as islands:
            while not inner.exhausted and not inner.reached(champion.price):
                if self.stale(islands.idle):
                    islands.settle_anew(int(rng.integers(1 << 63)))
                islands.epoch(inner)
                for population in islands.populations:
                    champion.meet(population)
        return champion.outcome()
