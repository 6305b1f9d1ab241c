"""Parties as a species."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.party.brute_force import all_parties, tiny_instance, tiny_instances

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.problems.party import Instance, Party
from matheur.problems.party.operators.species import Healing, Improvement, PartyHabitat, PartySpecies


@settings(max_examples=40)  # the first call compiles
@given(tiny_instances(), st.sampled_from(["none", "descent", "annealing"]))
def test_individuals_are_feasible_parties(instance: Instance, improve: Improvement) -> None:
    """Everything made or healed satisfies the evaluator, and the fitness is the price; offers are true."""
    problem = Party(instance)

    def check(genome, price):  # type: ignore[no-untyped-def]
        assert problem.evaluate(genome).feasible
        assert problem.evaluate(genome).objective == price

    budget = Budget(work=400, on_incumbent=check)
    species, rng = PartySpecies(instance, Healing(improve=improve), budget), np.random.default_rng(1)
    made = species.create(5, rng)
    assert len(made) <= 5
    partial = made.copy()
    partial[:, 0] = -1
    healed, feasible = species.heal(partial, rng)
    for genome in [*made, *healed[feasible]]:
        check(genome, int(species.fitness(genome[None])[0]))
    assert budget.spent_work <= 400


def test_healing_keeps_what_is_given() -> None:
    """Without an improvement only the gaps change, and of the gaps none has the item that is barred there."""
    instance = tiny_instance(3, slots=4, items=9)
    species, rng = PartySpecies(instance, Healing(), Budget()), np.random.default_rng(1)
    made = species.create(40, rng)
    assert len(made) == 40
    partial, barred = made.copy(), np.full_like(made, -1)
    partial[:, 1], barred[:, 1] = -1, made[:, 1]
    healed, feasible = species.heal(partial, rng, barred)
    assert (healed[feasible][:, [0, 2, 3]] == made[feasible][:, [0, 2, 3]]).all()
    assert (healed[feasible][:, 1] != made[feasible][:, 1]).all()
    assert feasible.any()


def test_a_fixed_item_cannot_be_barred() -> None:
    """A slot without a choice is filled again with its only item."""
    seed = next(number for number in range(200) if tiny_instance(number).fixed and _solvable(number))
    instance = tiny_instance(seed)
    species, rng = PartySpecies(instance, Healing(), Budget()), np.random.default_rng(1)
    made = species.create(4, rng)
    _, feasible = species.heal(
        np.full_like(made, -1), rng, np.where(made == next(iter(instance.fixed.values())), made, -1)
    )
    assert feasible.any()


def _solvable(seed: int) -> bool:
    return next(all_parties(Party(tiny_instance(seed))), None) is not None


def test_an_impossible_puzzle_ends() -> None:
    """Where there is no party the species gives up after some work, or when there is none left."""
    seed = next(number for number in range(200) if not _solvable(number))
    for budget in (Budget(), Budget(work=77)):
        species = PartySpecies(tiny_instance(seed), Healing(), budget)
        assert species.create(3, np.random.default_rng(1)).shape == (0, species.genes)
        assert budget.spent_work > 0
    assert budget.spent_work == 77


def test_habitats_make_equal_species() -> None:
    """The same seed gives the same parties from two species of a habitat."""
    habitat = PartyHabitat(tiny_instance(3, slots=4, items=9), Healing())
    one, two = (habitat(Budget()).create(20, np.random.default_rng(5)) for _ in range(2))
    assert (one == two).all()
    for wrong in ({"attempts": 0}, {"steps": 0}, {"hot": 0.0}):
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            Healing(**wrong)  # type: ignore[arg-type]
