"""Cliques as a species of `matheur.methods.evolution`: what is not joined gives way, and what can join does.

A clique has at most one vertex of each colour of a colouring, so that gene c of a genome is the vertex of colour c, or
`n + c` where the clique has none. Two parents thus exchange what can stand for each other.
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
    """Maximal cliques under a budget. Work: cliques made, and selections of the local search.

    Parameters
    ----------
    problem
        The graph, with weights or without.
    budget
        Its work is spent here. When it ends, `create` returns fewer cliques and `heal` leaves some unhealed.
    selections
        Selections of a local search from every clique; 0 for none.
    goal
        Size, or weight, at which nothing better is needed.
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
        self._worth = np.append(weights, 0)  # of a vertex, and of none

    def genome(self, clique: NDArray[np.integer]) -> NDArray[np.int32]:
        """The genome of a clique."""
        genome = self.graph.n + np.arange(self.genes, dtype=np.int32)
        genome[self._colour[clique]] = clique
        return genome

    def clique(self, genome: NDArray[np.int32]) -> NDArray[np.int32]:
        """The clique of a feasible genome, ascending."""
        return np.sort(genome[genome < self.graph.n])

    def create(self, count: int, rng: Generator) -> Genomes:
        """Random maximal cliques."""
        healed, feasible = self.heal(np.full((count, self.genes), -1, dtype=np.int32), rng)
        return healed[feasible]

    def heal(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Cliques that keep what they can of genomes; what was barred may come back by the local search."""
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
        """A maximal clique from some vertices, in random order as far as they are joined, and from others then."""
        members: list[int] = []
        joined = np.ones(self.graph.n, dtype=np.bool_)
        for vertex in rng.permutation(given).tolist():
            if joined[vertex]:
                self._add(vertex, members, joined)
        if self.problem.weights is not None:
            joined &= self.problem.weights > 0  # others add nothing
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
        """Minus the sizes, or the weights."""
        worth: Fitness = self._worth[np.minimum(genomes, self.graph.n)].sum(axis=1)
        return -worth
