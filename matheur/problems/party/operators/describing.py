"""Measures of many parties at once: synergy, sums, numbers of different values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.methods.evolution.species import Genomes
from matheur.problems.party.instance import Instance

__all__ = ["different_values", "sums", "synergy_points"]


def synergy_points(instance: Instance, genomes: Genomes) -> NDArray[np.int64]:
    """Points of the synergy, see `Instance.points`; 0 for a puzzle without. Shape (parties,)."""
    total = np.zeros(len(genomes), dtype=np.int64)
    if instance.points is None:
        return total
    for term in instance.points.terms:
        one, two = (term.codes[genomes[:, end]] for end in instance.edges.T)
        value = np.where(one == two, term.same, term.other)
        if len(term.table) > 1:
            groups = np.append(term.group, 0)  # the last one for an empty cell
            listed = term.table[groups[one], groups[two]]
            value = np.where(listed >= 0, listed, value)
        total += np.where((one >= 0) & (two >= 0), value, 0).sum(axis=1)
    return total


def sums(instance: Instance, column: str, genomes: Genomes) -> NDArray[np.int64]:
    """Sum of a measure, in units of 1 / scale. Shape (parties,)."""
    return instance.catalogue.measures[column].amounts[genomes].sum(axis=1, dtype=np.int64)


def different_values(instance: Instance, column: str, genomes: Genomes) -> NDArray[np.int64]:
    """Number of different non-empty values of a trait. Shape (parties,)."""
    codes = np.sort(instance.catalogue.traits[column].codes[genomes], axis=1)
    new = np.ones(codes.shape, dtype=bool)
    new[:, 1:] = codes[:, 1:] != codes[:, :-1]
    return np.count_nonzero(new & (codes >= 0), axis=1).astype(np.int64)
