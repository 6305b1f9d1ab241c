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


@settings(max_examples=40)
@given(tiny_instances(), st.integers(0, 50))
def test_random_filling_keeps_what_is_given_and_says_what_is_feasible(instance: Instance, seed: int) -> None:
    """Gaps get different items that fit; the flag is the evaluator's, and the work is one for each row."""
    problem, budget, rng = Party(instance), Budget(work=15), np.random.default_rng(seed)
    species = PartySpecies(instance, Healing(), budget)
    partial = np.full((20, species.genes), -1, dtype=np.int32)
    first = instance.candidates[0]
    partial[:, 0] = rng.choice(first, size=20) if len(first) else -1
    filled, feasible = species.fill(partial, rng)
    assert (filled[:, 0] == partial[:, 0]).all()
    assert not feasible[15:].any()
    assert budget.spent_work == 15
    for genome, flag in zip(filled, feasible, strict=True):
        assert flag == ((genome >= 0).all() and problem.evaluate(genome).feasible)
        assert len(set(genome[genome >= 0].tolist())) == (genome >= 0).sum()
        assert all(item in instance.candidates[slot] for slot, item in enumerate(genome) if item >= 0)


def test_random_filling_draws_all_items_alike() -> None:
    """In a slot of its own every candidate that is not barred is drawn equally often."""
    instance = tiny_instance(3, slots=4, items=9)
    species, rng = PartySpecies(instance, Healing(), Budget()), np.random.default_rng(1)
    partial, barred = np.full((2000, 4), -1, dtype=np.int32), np.full((2000, 4), -1, dtype=np.int32)
    items = instance.candidates[2]
    barred[:, 2] = items[0]
    others = species.create(1, rng)[0]
    partial[:, [0, 1, 3]] = others[[0, 1, 3]]
    filled, _ = species.fill(partial, rng, barred)
    free = [item for item in items[1:].tolist() if item not in others[[0, 1, 3]]]
    counts = np.bincount(filled[:, 2], minlength=9)[free]
    assert counts.sum() == 2000
    assert abs(counts - 2000 / len(free)).max() < 5 * np.sqrt(2000 / len(free))


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
