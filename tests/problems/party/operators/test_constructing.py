"""Algorithm 1: forward checking, healing, guidance."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.party.brute_force import all_parties, best_price, tiny_instance, tiny_instances

from matheur.engine import Budget
from matheur.engine.outcome import Status
from matheur.errors import ConfigurationError
from matheur.problems.party import (
    Catalogue,
    CountConstraint,
    Instance,
    Measure,
    Party,
    SumConstraint,
    Synergy,
    Term,
    Trait,
)
from matheur.problems.party.operators.constructing import MATCH, MIXED, UNGUIDED, Guidance, construct, construct_counted
from matheur.problems.party.operators.constructive import Constructive
from matheur.problems.party.operators.tables import Tables

GUIDANCES = (MIXED, MATCH, UNGUIDED, replace(UNGUIDED, lookahead=False, prune=True), replace(MIXED, scan=4))


def _empty(count: int, instance: Instance) -> np.ndarray:
    return np.full((count, len(instance.slots)), -1, dtype=np.int32)


@settings(max_examples=150)
@given(tiny_instances(), st.sampled_from(GUIDANCES), st.integers(0, 100))
def test_a_party_is_flagged_feasible_exactly_if_it_is(instance: Instance, guidance: Guidance, seed: int) -> None:
    """The flag agrees with the evaluator, also for complete parties that miss the synergy demand."""
    problem = Party(instance)
    rng = np.random.default_rng(seed)
    genomes, feasible = construct(Tables.of(instance), _empty(5, instance), rng, attempts=3, guidance=guidance)
    for genome, flag in zip(genomes, feasible, strict=True):
        assert problem.evaluate(genome).feasible == flag


@settings(max_examples=80)
@given(tiny_instances(), st.integers(0, 100))
def test_forward_checking_never_breaks_a_linear_demand(instance: Instance, seed: int) -> None:
    """Without guidance and pruning only the synergy of a completed party may fail."""
    problem = Party(instance)
    rng = np.random.default_rng(seed)
    genomes, _ = construct(Tables.of(instance), _empty(20, instance), rng, attempts=1, guidance=UNGUIDED)
    for genome in genomes[(genomes >= 0).all(axis=1)]:
        assert all("synergy" in violation for violation in problem.evaluate(genome).violations)


@pytest.mark.parametrize("guidance", [UNGUIDED, MIXED], ids=["unguided", "mixed"])
@pytest.mark.parametrize("seed", [1, 2, 7, 16, 19, 25])
def test_no_feasible_party_is_out_of_reach(seed: int, guidance: Guidance) -> None:
    """Bounds filter nothing that belongs to a feasible party: many constructions find all of them."""
    instance = tiny_instance(seed, slots=3, items=6)
    expected = {tuple(party.tolist()) for party in all_parties(Party(instance))}
    assert expected
    chance = replace(guidance, shares=False, chance=0.5 if guidance is MIXED else 0.0)
    rng = np.random.default_rng(1)
    genomes, feasible = construct(Tables.of(instance), _empty(5000, instance), rng, attempts=3, guidance=chance)
    assert {tuple(genome.tolist()) for genome in genomes[feasible]} == expected


@settings(max_examples=60)
@given(tiny_instances(), st.integers(0, 100))
def test_healing_keeps_what_is_given(instance: Instance, seed: int) -> None:
    """Given items stay, barred ones are not used, and the input is not changed."""
    tables, rng = Tables.of(instance), np.random.default_rng(seed)
    genomes, feasible = construct(tables, _empty(10, instance), rng)
    for genome in genomes[feasible][:3]:
        partial = genome.copy()
        partial[rng.integers(len(genome))] = -1
        given_ = partial.copy()
        barred = genome[partial < 0]
        healed, good, made = construct_counted(tables, partial[None], rng, attempts=4, barred=barred[None])
        assert np.array_equal(partial, given_)
        assert (healed[0][partial >= 0] == partial[partial >= 0]).all()
        assert 1 <= made[0] <= 4
        assert not good[0] or healed[0][partial < 0] != barred


def test_contradictions_in_what_is_given_make_a_row_infeasible() -> None:
    """The same item twice, or an item where it does not fit, is never completed; other rows are."""
    seed = next(s for s in range(200) if len(list(all_parties(Party(tiny_instance(s, 3, 7))))) > 20)
    instance = tiny_instance(seed, 3, 7)
    partial = _empty(3, instance)
    item = next(iter(all_parties(Party(instance))))[0]
    partial[0, :2] = item
    strange = np.flatnonzero(~instance.fits[1] | ~instance.usable(1))
    partial[1, 1] = strange[0] if len(strange) else item
    partial[1, 0] = item
    _, feasible = construct(Tables.of(instance), partial, np.random.default_rng(0), attempts=200)
    assert feasible.tolist() == [False, False, True]


def test_equal_seeds_make_equal_parties() -> None:
    """Constructions are a function of the generator's state; another seed makes others."""
    instance = tiny_instance(20)
    first, second, other = (
        construct(Tables.of(instance), _empty(30, instance), np.random.default_rng(seed))[0] for seed in (1, 1, 2)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_no_rows_are_no_parties() -> None:
    """An empty batch comes back empty."""
    instance = tiny_instance(20)
    genomes, feasible = construct(Tables.of(instance), _empty(0, instance), np.random.default_rng(0))
    assert genomes.shape == (0, len(instance.slots))
    assert feasible.shape == (0,)


def test_the_filter_of_the_paper_leaves_no_slot_without_an_item() -> None:
    """With high levels and many elves demanded, every construction of the paper meets all linear demands."""
    instance = _high_level_elves()
    for guidance, all_filled in ((UNGUIDED, True), (MATCH, True), (replace(MATCH, shares=False), False)):
        rng = np.random.default_rng(1)
        genomes, _ = construct(Tables.of(instance), _empty(200, instance), rng, attempts=1, guidance=guidance)
        assert bool((genomes >= 0).all()) == all_filled


def test_equal_shares_count_what_is_fixed_from_the_start() -> None:
    """A weak item that is fixed in the last slot makes the others stronger; an == demand is met as well."""
    strong = replace(_ladder(), fixed={3: 30})
    demand = SumConstraint("level", ">=", Fraction(10 + 20 + 30 + 31 - 12))
    exact = SumConstraint("level", "==", Fraction(80))
    most = SumConstraint("level", "<=", Fraction(80))
    for instance in (replace(strong, constraints=(demand,)), _ladder(exact), _ladder(most)):
        rng = np.random.default_rng(1)
        genomes, feasible = construct(Tables.of(instance), _empty(50, instance), rng, attempts=200, guidance=UNGUIDED)
        assert feasible.all()
        assert all(Party(instance).evaluate(genome).feasible for genome in genomes)


@pytest.mark.parametrize("guidance", [UNGUIDED, MATCH], ids=["unguided", "match"])
def test_the_choice_of_the_paper_is_uniform_on_large_tables(guidance: Guidance) -> None:
    """Among 10,000 items for free slots cheap ones are taken as often as others, with and without guidance."""
    items = 10_000
    codes = np.arange(items, dtype=np.int32)[::-1] % 20
    catalogue = Catalogue(
        [str(k) for k in range(items)],
        np.arange(items, dtype=np.int64),
        {"club": Trait(tuple("ABCDEFGHIJKLMNOPQRST"), codes)},
        {},
    )
    slots, edges = tuple("abcd"), np.array([[0, 1], [1, 2], [2, 3], [0, 3]], dtype=np.int32)
    instance = Instance(catalogue, slots, np.ones((4, items), dtype=bool), edges, Synergy((Term("club"),), Fraction(0)))
    rng = np.random.default_rng(1)
    genomes, feasible = construct(Tables.of(instance), _empty(250, instance), rng, attempts=1, guidance=guidance)
    assert feasible.all()
    tenths = np.bincount(genomes.ravel() // 1000, minlength=10)
    assert 60 <= tenths.min() <= tenths.max() <= 145  # of 1,000 in all; four standard deviations


def test_lookahead_by_slot_finds_what_the_weak_bound_misses() -> None:
    """With a demand near the largest sum, the bound by slot makes nearly every attempt succeed, the weak one few."""
    instance = _ladder()
    rates = []
    for lookahead in (True, False):
        guidance = replace(UNGUIDED, lookahead=lookahead, shares=False)
        rng = np.random.default_rng(1)
        rates.append(
            construct(Tables.of(instance), _empty(300, instance), rng, attempts=1, guidance=guidance)[1].mean()
        )
    assert rates[0] > 0.99
    assert rates[1] < 0.5


def _high_level_elves() -> Instance:
    """Six slots for 60 items; five elves at a level that only a few of them have."""
    level = np.arange(30, 90, dtype=np.int64)
    races = np.arange(60, dtype=np.int32) % 5
    catalogue = Catalogue(
        [str(k) for k in range(60)],
        np.full(60, 7, dtype=np.int64),
        {"race": Trait(("Elf", "Orc", "Imp", "Ogre", "Gnome"), races)},
        {"level": Measure(level, np.zeros(60, dtype=bool))},
    )
    edges = np.array([[k, k + 1] for k in range(5)], dtype=np.int32)
    demands = (SumConstraint("level", ">=", Fraction(6 * 68)), CountConstraint("race", ("Elf",), ">=", Fraction(5)))
    synergy = Synergy((Term("race"),), Fraction(1, 2))
    return Instance(catalogue, tuple("abcdef"), np.ones((6, 60), dtype=bool), edges, synergy, demands)


def _ladder(demand: SumConstraint | None = None) -> Instance:
    """Four slots with items of their own, of levels 1-10, 11-20, ...; the sum must be within 8 of the largest."""
    fits = np.kron(np.eye(4, dtype=bool), np.ones(10, dtype=bool))
    level = Measure(np.arange(1, 41, dtype=np.int64), np.zeros(40, dtype=bool))
    catalogue = Catalogue([str(k) for k in range(40)], np.full(40, 7, dtype=np.int64), {}, {"level": level})
    demand = demand or SumConstraint("level", ">=", Fraction(10 + 20 + 30 + 40 - 8))
    return Instance(catalogue, tuple("abcd"), fits, np.zeros((0, 2), dtype=np.int32), None, (demand,))


@pytest.mark.parametrize("seed", [*range(20), 24, 25, 28, 48])
def test_the_construction_finds_a_party_if_there_is_one(seed: int) -> None:
    """Within many tries a feasible party of a tiny puzzle is found, and never one where there is none."""
    problem = Party(tiny_instance(seed))
    outcome = Constructive(tries=1, attempts=3000).build(problem, Budget(), np.random.default_rng(0))
    assert (outcome.solution is None) == (best_price(problem) is None)
    if outcome.solution is not None:
        evaluation = problem.evaluate(outcome.solution)
        assert (evaluation.feasible, evaluation.objective) == (True, outcome.objective)


def test_the_construction_takes_the_cheapest_of_its_tries() -> None:
    """More tries never give a dearer party; every offer is cheaper than the one before; the work is the tries."""
    problem = Party(tiny_instance(24))
    prices = []
    for tries in (1, 10, 100):
        offers: list[float] = []
        budget = Budget(on_incumbent=lambda party, price, offers=offers: offers.append(price))
        outcome = Constructive(tries=tries, guide="unguided").build(problem, budget, np.random.default_rng(3))
        assert offers == sorted(set(offers), reverse=True)
        prices.append(outcome.objective)
    assert budget.spent_work >= 100
    assert prices[2] == min(prices)


def test_the_construction_honours_its_limits() -> None:
    """Work, attempts, a target and an interrupt end it."""
    problem = Party(tiny_instance(24))
    hopeless = Party(next(one for one in map(tiny_instance, range(100)) if best_price(Party(one)) is None))
    rng = np.random.default_rng(0)
    limited, free = Budget(work=7), Budget()
    Constructive().build(problem, limited, rng)
    assert limited.spent_work == 7
    Constructive(tries=10, attempts=90).build(hopeless, free, rng)
    assert free.spent_work in (0, 90)
    interrupted, aimed = Budget(interrupt=lambda: True), Budget(target=10**9)
    stopped = Constructive().build(problem, interrupted, rng)
    assert (stopped.status, stopped.solution, interrupted.spent_work) == (Status.EXHAUSTED, None, 0)
    Constructive(tries=10_000).build(problem, aimed, rng)
    assert aimed.spent_work < 200
    with pytest.raises(ConfigurationError, match="attempts"):
        Constructive(tries=10, attempts=5)
