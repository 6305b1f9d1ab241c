"""Permutations as a species."""

from __future__ import annotations

import numpy as np
import pytest
from problems.quadratic_assignment.operators.assignments import problem

from matheur.engine import Budget
from matheur.problems.quadratic_assignment.operators.species import PermutationSpecies


@pytest.mark.parametrize("descent", [True, False])
def test_healed_genomes_are_permutations(descent: bool) -> None:
    """Gaps take the locations that are free; without exchanges all else stays and nothing barred comes back."""
    one, rng = problem(7), np.random.default_rng(1)
    species = PermutationSpecies(one, Budget(), descent=descent)
    genomes = species.create(6, rng)
    dropped = rng.random(genomes.shape) < 0.5
    barred = np.where(dropped, genomes, -1).astype(np.int32)
    healed, feasible = species.heal(np.where(dropped, -1, genomes).astype(np.int32), rng, barred)
    assert all(sorted(row) == list(range(7)) for row in healed[feasible].tolist())
    assert (species.fitness(healed[feasible]) == [one.evaluate(row).objective for row in healed[feasible]]).all()
    if not descent:
        assert (healed[~dropped] == genomes[~dropped]).all()
        assert not (healed[feasible] == barred[feasible]).any()


def test_a_single_gap_that_is_barred_cannot_be_healed() -> None:
    """The one free location is the barred one."""
    species = PermutationSpecies(problem(4), Budget(), descent=False)
    partial = np.array([[0, 1, 2, -1]], dtype=np.int32)
    _, feasible = species.heal(partial, np.random.default_rng(1), np.array([[-1, -1, -1, 3]], dtype=np.int32))
    assert not feasible.any()
