"""Cliques as a species of `matheur.methods.evolution`: non-adjacent vertices are dropped, compatible ones are added.

A clique has at most one vertex of each class of a colouring. Gene c of a genome is therefore the vertex of colour c, or
`n + c` if the clique has no such vertex. Two parents thus exchange vertices that can replace each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.clique.graph import Graph, colour_classes
from matheur.methods.evolution.species import Fitness, Genomes
from matheur.problems.max_clique.operators.driving import local_search

__all__ = ["CliqueSpecies"]


class CliqueSpecies:
    """Maximal cliques within a budget. Work: cliques made, and selections of the local search.

    Parameters
    ----------
    problem
        The graph, with weights or without.
    budget
        Budget for the work. When it ends, `create` returns fewer cliques and `heal` leaves some genomes unrepaired.
    selections
        Number of selections of a local search from every clique; 0 for no local search.
    goal
        Size or weight at which the search may end.
    """

    def __init__(self, problem: Any, budget: Budget, *, selections: int, goal: int) -> None:
        self.problem: Any = problem
        self.graph: Graph = problem.graph
        self.budget: Budget = budget
        self.selections: int = selections
        self.goal: int = goal
        with budget.watched():
            self._colour = colour_classes(self.graph)
        self.genes: int = int(self._colour.max(initial=-1)) + 1
        self.best: NDArray[np.int32] = np.empty(0, dtype=np.int32)
        weights = np.ones(self.graph.n, dtype=np.int64) if problem.weights is None else problem.weights
        self._worth = np.append(weights, 0)  # value of each vertex, and 0 for no vertex

    def genome(self, clique: NDArray[np.integer]) -> NDArray[np.int32]:
        """The genome of a clique."""
        genome = self.graph.n + np.arange(self.genes, dtype=np.int32)
        genome[self._colour[clique]] = clique
        return genome

    def clique(self, genome: NDArray[np.int32]) -> NDArray[np.int32]:
        """The clique of a feasible genome, in ascending order."""
        return np.sort(genome[genome < self.graph.n])

    def create(self, count: int, rng: Generator) -> Genomes:
        """Random maximal cliques."""
        healed, feasible = self.heal(np.full((count, self.genes), -1, dtype=np.int32), rng)
        return healed[feasible]

    def heal(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Repair genomes to cliques that keep as much as possible; the local search may add barred vertices again."""
        healed, feasible = partial.copy(), np.zeros(len(partial), dtype=np.bool_)
        for row, genome in enumerate(partial):
            if self.budget.exhausted:
                break
            given = genome[(genome >= 0) & (genome < self.graph.n)]
            unwanted = np.empty(0, dtype=np.int64) if barred is None else barred[row]
            clique = self._grown(given, unwanted[(unwanted >= 0) & (unwanted < self.graph.n)], rng)
            healed[row], feasible[row] = self.genome(clique), True
        return healed, feasible

    def _grown(self, given: NDArray[np.int32], unwanted: NDArray[np.integer], rng: Generator) -> NDArray[np.int32]:
        """A maximal clique: adjacent vertices of `given` in random order, then other vertices that are not unwanted."""
        members: list[int] = []
        joined = np.ones(self.graph.n, dtype=np.bool_)
        for vertex in rng.permutation(given).tolist():
            if joined[vertex]:
                self._add(vertex, members, joined)
        if self.problem.weights is not None:
            joined &= self.problem.weights > 0  # other vertices add no weight
        joined[unwanted] = False
        while joined.any():
            self._add(int(rng.choice(np.flatnonzero(joined))), members, joined)
        clique = np.array(members, dtype=np.int32)
        spent = 1
        if self.selections and self.problem.value(clique) < self.goal:
            search = local_search(self.problem, rng, start=clique)
            search.advance(self.budget.affordable(self.selections), self.goal)
            clique, spent = search.vertices, 1 + search.selections
        self.budget.spend(work=spent)
        if self.problem.value(clique) > self.problem.value(self.best):
            self.best = np.sort(clique)
            self.budget.offer(self.best.copy(), -self.problem.value(self.best))
        return clique

    def _add(self, vertex: int, members: list[int], joined: NDArray[np.bool_]) -> None:
        members.append(vertex)
        joined[self.graph.non_neighbours(vertex)] = False
        joined[vertex] = False

    def fitness(self, genomes: Genomes) -> Fitness:
        """Negated sizes or weights."""
        worth: Fitness = self._worth[np.minimum(genomes, self.graph.n)].sum(axis=1)
        return -worth
