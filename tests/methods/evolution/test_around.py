"""A short evolution around known individuals."""

from __future__ import annotations

import numpy as np
from methods.evolution.letters import Letters

from matheur.engine.budget import Budget
from matheur.methods.evolution.around import AroundOptions, evolved_around, others


def test_the_incumbent_is_never_lost() -> None:
    """The fittest of the last population is as fit as the best seed, and with some generations fitter."""
    rng, species = np.random.default_rng(1), Letters()
    seeds = species.create(3, rng)
    before = int(species.fitness(seeds).min())
    for generations, better in ((1, False), (10, True)):
        options = AroundOptions(population=8, offspring=8, generations=generations)
        found = evolved_around(species, seeds, options, Budget(), np.random.default_rng(2))
        assert len(found) == 8
        assert found.fitness.min() < before if better else found.fitness.min() <= before


def test_it_stays_near() -> None:
    """Without generations to cross in, the individuals are the seed and mutants that share most genes with it."""
    rng, species = np.random.default_rng(3), Letters()
    seed = species.create(1, rng)
    options = AroundOptions(population=30, mutation=0.2)
    found = evolved_around(species, seed, options, Budget(target=10**9), rng)
    shared = (found.genomes == seed).mean()
    assert 0.6 < shared < 0.98


def test_a_budget_that_has_ended_leaves_the_seeds() -> None:
    """Nothing is made then; the seeds come back."""
    rng, species = np.random.default_rng(1), Letters()
    seeds = species.create(2, rng)
    found = evolved_around(species, seeds, AroundOptions(), Budget(work=0), rng)
    assert sorted(found.genomes.tolist()) == sorted(seeds.tolist())


def test_elites_are_others_than_the_incumbent() -> None:
    """At most as many as asked for, and never the incumbent itself."""
    budget, rng = Budget(), np.random.default_rng(1)
    for number in range(5):
        budget.elites.add(bytes([number]), np.array([number]), number)
    keys = {elite.key for _ in range(20) for elite in others(budget, b"\x02", 2, rng)}
    assert keys == {b"\x00", b"\x01", b"\x03", b"\x04"}
    assert len(others(budget, b"\x02", 2, rng)) == 2
