"""Measures of many parties at once: synergy, sums, numbers of different values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.methods.evolution.species import Genomes
from matheur.problems.party.instance import Instance

__all__ = ["costs", "different_values", "pair_points", "sums", "synergy_points"]


def costs(instance: Instance, genomes: Genomes) -> NDArray[np.int64]:
    """Objective values: costs of the items, or points missing to a synergy of 1. Shape (parties,)."""
    if instance.additive:
        found: NDArray[np.int64] = instance.costs[genomes].sum(axis=1, dtype=np.int64)
        return found
    unit = 0 if instance.points is None else instance.points.unit
    return unit - synergy_points(instance, genomes)


def synergy_points(instance: Instance, genomes: Genomes) -> NDArray[np.int64]:
    """Points of the synergy, see `Instance.points`; 0 for a puzzle without synergy. Shape (parties,)."""
    one, two = (genomes[:, end] for end in instance.edges.T)
    return pair_points(instance, one, two).sum(axis=1, dtype=np.int64)


def pair_points(instance: Instance, one: NDArray[np.int32], two: NDArray[np.int32]) -> NDArray[np.int64]:
    """Points of the synergy of pairs of neighbouring items; the two arrays are broadcast."""
    total = np.zeros(np.broadcast_shapes(np.shape(one), np.shape(two)), dtype=np.int64)
    for term in () if instance.points is None else instance.points.terms:
        here, there = term.codes[one], term.codes[two]
        value = np.where(here == there, term.same, term.other)
        if len(term.table) > 1:
            groups = np.append(term.group, 0)  # the last one for an empty cell
            listed = term.table[groups[here], groups[there]]
            value = np.where(listed >= 0, listed, value)
        total += np.where((here >= 0) & (there >= 0), value, 0)
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
