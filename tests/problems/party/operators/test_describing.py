"""Figures of many parties at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from problems.party.brute_force import tiny_instances

from matheur.problems.party import Instance, Party
from matheur.problems.party.operators.describing import different_values, sums, synergy_points


@given(tiny_instances())
def test_figures_are_those_of_the_problem(instance: Instance) -> None:
    """Synergy, sums and numbers of values of random rows are what exact arithmetic says, one by one."""
    rng = np.random.default_rng(1)
    items = len(instance.catalogue)
    genomes = np.array([rng.permutation(items)[: len(instance.slots)] for _ in range(6)], dtype=np.int32)
    points = synergy_points(instance, genomes)
    for row, genome in enumerate(genomes):
        if instance.points is None:
            assert points[row] == 0
        else:
            assert points[row] == Party(instance).synergy(genome) * instance.points.unit  # type: ignore[operator]
        for column, measure in instance.catalogue.measures.items():
            assert sums(instance, column, genomes)[row] == sum(int(measure.amounts[item]) for item in genome)
        for column, trait in instance.catalogue.traits.items():
            found = {trait.value(int(item)) for item in genome} - {None}
            assert different_values(instance, column, genomes)[row] == len(found)
