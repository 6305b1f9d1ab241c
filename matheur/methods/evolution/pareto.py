"""Several objectives, all minimised: dominance, crowding, hypervolume, and an archive of nondominated genomes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.methods.evolution.species import Genomes

__all__ = ["ParetoArchive", "crowding_distance", "dominance", "fronts", "hypervolume", "nondominated"]

Objectives = NDArray[np.int64]


def dominance(objectives: Objectives) -> NDArray[np.bool_]:
    """Whether row i dominates row j: no objective is worse, and one is better. Shape (n, n)."""
    no_worse = np.all(objectives[:, None, :] <= objectives[None, :, :], axis=2)
    dominates: NDArray[np.bool_] = no_worse & ~no_worse.T
    return dominates


def nondominated(objectives: Objectives) -> NDArray[np.bool_]:
    """Mask of the rows that no other row dominates; equal rows do not dominate each other. Shape (n,)."""
    dominated: NDArray[np.bool_] = np.any(dominance(objectives), axis=0)
    return ~dominated


def fronts(objectives: Objectives) -> NDArray[np.intp]:
    """The front of each row: 0 if nothing dominates it, 1 if only rows of front 0 do, and so on. Shape (n,)."""
    dominates = dominance(objectives)
    rank = np.full(len(objectives), -1, dtype=np.intp)
    number = 0
    while (rank < 0).any():
        left = rank < 0
        rank[left & ~dominates[left].any(axis=0)] = number
        number += 1
    return rank


def crowding_distance(objectives: Objectives) -> NDArray[np.float64]:
    """Crowding distance of the rows of a front, infinite at its ends (Deb and others 2002, section III-B)."""
    count = len(objectives)
    distance = np.zeros(count)
    if count < 3:
        return np.full(count, np.inf)
    for column in objectives.T.astype(np.float64):
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        distance[order[[0, -1]]] = np.inf
        width = ordered[-1] - ordered[0]
        if width > 0:
            distance[order[1:-1]] += (ordered[2:] - ordered[:-2]) / width
    return distance


def hypervolume(objectives: Objectives, reference: tuple[int, int]) -> int:
    """Area that two-objective rows dominate below a reference point; rows that are not better than it do not count."""
    inside = objectives[(objectives < np.array(reference)).all(axis=1)]
    area, height = 0, reference[1]
    for one, two in sorted(map(tuple, inside.tolist())):
        if two < height:
            area += (reference[0] - one) * (height - two)
            height = two
    return area


class ParetoArchive:
    """Genomes that do not dominate each other, up to a capacity; one genome for equal objectives.

    Parameters
    ----------
    genes, objectives
        Length of a genome, and number of objectives.
    capacity
        Most genomes; above it the most crowded genomes are removed one by one, but never an end of the front.
    """

    def __init__(self, genes: int, objectives: int = 2, capacity: int = 200) -> None:
        self.capacity = capacity
        self.genomes: Genomes = np.empty((0, genes), dtype=np.int32)
        self.objectives: Objectives = np.empty((0, objectives), dtype=np.int64)

    def __len__(self) -> int:
        return len(self.objectives)

    def insert(self, genomes: Genomes, objectives: Objectives) -> int:
        """Add new genomes that are not dominated; returns how many of these rows are in the archive afterwards."""
        before = len(self)
        everyone = np.concatenate([self.genomes, genomes])
        values = np.concatenate([self.objectives, objectives])
        first = np.sort(np.unique(values, axis=0, return_index=True)[1])
        kept = first[nondominated(values[first])]
        while len(kept) > self.capacity:
            kept = np.delete(kept, np.argmin(crowding_distance(values[kept])))
        self.genomes, self.objectives = everyone[kept], values[kept]
        return int(np.count_nonzero(kept >= before))

    def sorted(self) -> tuple[Genomes, Objectives]:
        """Genomes and objectives, ascending by the first objective."""
        order = np.argsort(self.objectives[:, 0], kind="stable")
        return self.genomes[order], self.objectives[order]

    def state(self) -> dict[str, Any]:
        """The archive as plain values."""
        return {"genomes": self.genomes.tolist(), "objectives": self.objectives.tolist()}
