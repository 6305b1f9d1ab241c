"""The kernels' bookkeeping against a recount, and the descents and the annealing against all parties."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace as changed
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import typeof
from numpy.typing import NDArray
from problems.party.brute_force import all_parties, best_price, ruled_instance, tiny_instance, tiny_instances

from matheur.engine import Budget
from matheur.engine.outcome import Status
from matheur.errors import ConfigurationError
from matheur.problems.party import Instance, Party, SumConstraint
from matheur.problems.party.operators import move_kernels as kernels
from matheur.problems.party.operators.annealing import Annealing, anneal
from matheur.problems.party.operators.move_state import State
from matheur.problems.party.operators.moving import any_party, begin, puzzle_of, state_of, weights
from matheur.problems.party.operators.polishing import polish
from matheur.problems.party.operators.replace import Replace
from matheur.problems.party.operators.swap import Swap
from matheur.problems.party.operators.tables import Tables

Solution = NDArray[np.int32]
FEASIBLE = (6, 7, 12, 17, 18, 19, 24, 25, 26, 28)  # seeds of tiny puzzles with several parties


def _check(problem: Party, state: State, tables: Tables) -> None:
    """Everything in the state is what a recount of the party gives."""
    party = tables.from_places(state.party)
    items = tables.local[party]
    assert len(set(items.tolist())) == tables.slots
    assert np.flatnonzero(state.used).tolist() == sorted(items.tolist())
    assert state.sums[kernels.PRICE] == problem.evaluate(party).objective
    assert state.totals.tolist() == tables.amounts[items].sum(axis=0).tolist()
    for label in range(len(tables.same_high)):
        counts = Counter(code for code in tables.labels[items, label].tolist() if code >= 0)
        assert state.distinct[label] == len(counts)
        assert state.excess[label] == sum(max(0, count - int(tables.same_high[label])) for count in counts.values())
    points = problem.instance.points
    if points is not None and points.demand > 0:
        assert problem.synergy(party) * points.unit == state.sums[kernels.POINTS]
    assert not state.equal.any()
    assert not state.listed.any()


def test_all_puzzles_share_what_is_compiled() -> None:
    """Kernels are compiled for each type of array, so a view that is not contiguous would cost half a minute."""
    found = set()
    for seed in range(12):
        for instance in (tiny_instance(seed), ruled_instance(seed)):
            tables = Tables.of_any(instance)
            found.add((typeof(puzzle_of(tables)), typeof(state_of(tables, np.random.default_rng(1)))))
    assert len(found) == 1


@settings(max_examples=100)
@given(tiny_instances(), st.integers(0, 1000), st.sampled_from([4, 100]))
def test_annealing_steps_keep_the_books(instance: Instance, seed: int, scan: int) -> None:
    """After any number of steps price, points, totals and labels are right, and the best party is feasible."""
    problem, tables, rng = Party(instance), Tables.of(instance), np.random.default_rng(seed)
    start = any_party(tables, rng)
    if start is None:
        assert not list(all_parties(problem))
        return
    state, puzzle = state_of(tables, rng), puzzle_of(tables)
    feasible = begin(state, puzzle, start, weights(tables, 5.0))
    assert feasible == problem.evaluate(tables.from_places(start)).feasible
    _check(problem, state, tables)
    kernels.anneal(20.0, 0.99, int(rng.integers(1, 400)), 0, 128, scan, state, puzzle)
    _check(problem, state, tables)
    if state.sums[kernels.BEST] < kernels.NONE:
        evaluation = problem.evaluate(tables.from_places(state.best))
        assert (evaluation.feasible, evaluation.objective) == (True, state.sums[kernels.BEST])


@pytest.mark.parametrize("seed", range(40))
def test_annealing_finds_the_cheapest_party_of_tiny_puzzles(seed: int) -> None:
    """The best of all parties is found; where there is none, none is claimed."""
    problem = Party(tiny_instance(seed))
    outcome = Annealing(steps=1000).build(problem, Budget(), np.random.default_rng(0))
    assert outcome.objective == best_price(problem)
    assert (outcome.status is Status.IMPROVED) == (outcome.solution is not None)
    if outcome.solution is not None:
        evaluation = problem.evaluate(outcome.solution)
        assert (evaluation.feasible, evaluation.objective) == (True, outcome.objective)


def test_annealing_offers_each_new_best_and_spends_exactly_its_work() -> None:
    """Offers fall strictly; equal seeds give equal answers; a target, an interrupt and a work limit are honoured."""
    problem = Party(tiny_instance(24))
    offers: list[float] = []
    budget = Budget(work=700, on_incumbent=lambda party, price: offers.append(price))
    first = Annealing(steps=300).build(problem, budget, np.random.default_rng(5))
    assert offers == sorted(set(offers), reverse=True)
    assert offers[-1] == first.objective
    assert budget.spent_work <= 700
    second = Budget(work=700)
    again = Annealing(steps=300).build(problem, second, np.random.default_rng(5))
    assert np.array_equal(first.solution, again.solution)
    assert second.spent_work == budget.spent_work
    for work in (1, 2, 13):
        budget = Budget(work=work)
        Annealing().build(problem, budget, np.random.default_rng(1))
        assert budget.spent_work == work
    budget = Budget(interrupt=lambda: True)
    stopped = Annealing().build(problem, budget, np.random.default_rng(0))
    assert (stopped.status, stopped.solution, budget.spent_work) == (Status.EXHAUSTED, None, 0)
    budget = Budget(target=10**9)
    assert Annealing().build(problem, budget, np.random.default_rng(0)).solution is not None
    assert budget.spent_work < 400_000


def test_annealing_says_when_the_slots_cannot_be_filled() -> None:
    """Two slots that only one item fits are a proof of infeasibility, with a reason."""
    instance = tiny_instance(24)
    fits = instance.fits.copy()
    fits[:2] = False
    fits[:2, 0] = True
    outcome = Annealing().build(Party(changed(instance, fits=fits)), Budget(), np.random.default_rng(0))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.reason is not None
    assert "different items" in outcome.reason


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"cold": 2.0}, {"swaps": 1.5}, {"patience": 0}, {"scan": 1}])
def test_wrong_options_are_refused(wrong: dict[str, float]) -> None:
    """Options out of range are errors that carry the value."""
    with pytest.raises(ConfigurationError, match=str(next(iter(wrong.values())))):
        Annealing(**wrong)  # type: ignore[arg-type]


def test_one_run_may_start_from_a_party() -> None:
    """`anneal` returns the best party met and its price; without a start it takes any."""
    problem = Party(tiny_instance(24))
    tables, rng = Tables.of(problem.instance), np.random.default_rng(0)
    start = next(iter(all_parties(problem)))
    for given_ in (start, None):
        party, price = anneal(tables, given_, rng, 2000)
        assert party is not None
        assert problem.evaluate(party).feasible
        assert price == problem.evaluate(party).objective == best_price(problem)
    party, price = anneal(tables, start, rng, 1)
    assert price is not None
    assert price <= problem.evaluate(start).objective


@settings(max_examples=60)
@given(tiny_instances(), st.integers(0, 1000))
def test_any_party_is_found_if_there_is_one(instance: Instance, seed: int) -> None:
    """Different items that fit are found exactly if they exist, demands left aside."""
    bare = changed(instance, constraints=(), synergy=None)
    tables = Tables.of(bare)
    places = any_party(tables, np.random.default_rng(seed))
    assert (places is not None) == (next(iter(all_parties(Party(bare))), None) is not None)
    if places is not None:
        assert Party(bare).evaluate(tables.from_places(places)).feasible


@settings(max_examples=80)
@given(tiny_instances(), st.integers(0, 1000))
def test_polishing_never_makes_a_party_worse(instance: Instance, seed: int) -> None:
    """Feasible parties stay so and get no dearer; flags and prices agree with the evaluator."""
    problem, tables, rng = Party(instance), Tables.of(instance), np.random.default_rng(seed)
    found = [any_party(tables, rng) for _ in range(4)]
    genomes = np.array([tables.from_places(one) for one in found if one is not None], dtype=np.int32)
    polished, prices, feasible = polish(tables, genomes, rng)
    for before, after, price, flag in zip(genomes, polished, prices, feasible, strict=True):
        was, now = problem.evaluate(before), problem.evaluate(after)
        assert (now.feasible, now.objective) == (flag, price)
        assert not was.feasible or (now.feasible and now.objective <= was.objective)


def test_polishing_ends_where_demands_contradict_each_other() -> None:
    """A total that is too low and too high at once counts twice, wherever violations are counted."""
    plain = changed(tiny_instance(24), synergy=None)
    column = next(iter(plain.catalogue.measures))
    middle = int(np.median(plain.catalogue.measures[column].amounts)) * len(plain.slots)
    both = (SumConstraint(column, ">=", Fraction(middle + 9)), SumConstraint(column, "<=", Fraction(middle - 9)))
    tables, rng = Tables.of(changed(plain, constraints=both)), np.random.default_rng(0)
    for _ in range(20):
        party = any_party(tables, rng)
        assert party is not None
        assert not polish(tables, tables.from_places(party)[None], rng)[2].any()


def test_polishing_refuses_what_is_no_party() -> None:
    """An item twice is an error; no parties are no parties."""
    tables = Tables.of(tiny_instance(24))
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="different"):
        polish(tables, np.full((1, tables.slots), tables.items[0], dtype=np.int32), rng)
    assert polish(tables, np.zeros((0, tables.slots), dtype=np.int32), rng)[0].shape == (0, tables.slots)


def _replacements(problem: Party, party: Solution) -> list[Solution]:
    """All parties that differ in one slot."""
    found = []
    for slot, item in np.ndindex(len(party), len(problem.instance.catalogue)):
        other = party.copy()
        other[slot] = item
        found.append(other)
    return found


def _swaps(problem: Party, party: Solution) -> list[Solution]:
    """All parties after an exchange of two slots and a replacement in any slot, both ends of the exchange included."""
    found = []
    for a, b in permutations(range(len(party)), 2):
        other = party.copy()
        other[a], other[b] = party[b], party[a]
        found += _replacements(problem, other)
    return found


@pytest.mark.parametrize("seed", FEASIBLE)
@pytest.mark.parametrize(("move", "neighbours"), [(Replace(), _replacements), (Swap(), _swaps)])
def test_local_optima_withstand_all_neighbours(seed: int, move: Replace | Swap, neighbours) -> None:  # type: ignore[no-untyped-def]
    """From every party the descent ends where the evaluator finds no cheaper neighbour, and says so the second time."""
    problem = Party(tiny_instance(seed))
    parties = list(all_parties(problem))
    assert parties
    for start in parties[:: max(1, len(parties) // 5)]:
        before = start.copy()
        rng = np.random.default_rng(1)
        reached = move.explore(problem, start, Budget(), rng)
        assert np.array_equal(start, before)
        evaluation = problem.evaluate(reached.solution)
        assert (evaluation.feasible, evaluation.objective) == (True, reached.objective)
        assert (reached.status is Status.IMPROVED) == (reached.objective < problem.evaluate(start).objective)
        again = move.explore(problem, reached.solution, Budget(), rng)
        assert again.status is Status.LOCAL_OPTIMUM
        assert np.array_equal(again.solution, reached.solution)
        near = [problem.evaluate(one) for one in neighbours(problem, reached.solution)]
        assert min(one.objective for one in near if one.feasible) >= reached.objective


@pytest.mark.parametrize("move", [Replace(), Swap()])
def test_descents_honour_their_limits(move: Replace | Swap) -> None:
    """Work is spent exactly, an interrupt stops at once, and a party that violates demands is left alone."""
    problem = Party(tiny_instance(24))
    dearest = max(all_parties(problem), key=lambda party: problem.evaluate(party).objective)
    rng = np.random.default_rng(0)
    for work in (1, 2):
        budget = Budget(work=work)
        move.explore(problem, dearest, budget, rng)
        assert budget.spent_work == work
    interrupted = Budget(interrupt=lambda: True)
    assert move.explore(problem, dearest, interrupted, rng).status is Status.EXHAUSTED
    assert interrupted.spent_work == 0
    wrong = np.full_like(dearest, dearest[0])
    assert move.explore(problem, wrong, Budget(), rng).status is Status.NO_IMPROVEMENT
    offers: list[float] = []
    outcome = move.explore(problem, dearest, Budget(on_incumbent=lambda party, price: offers.append(price)), rng)
    assert offers[-1] == outcome.objective


def test_swaps_find_what_replacements_miss() -> None:
    """Over tiny puzzles some local optima of single replacements have a cheaper party behind an exchange."""
    gains = 0
    for seed in FEASIBLE:
        problem, rng = Party(tiny_instance(seed)), np.random.default_rng(0)
        for start in list(all_parties(problem))[::7]:
            stuck = Replace().explore(problem, start, Budget(), rng)
            gains += Swap().explore(problem, stuck.solution, Budget(), rng).status is Status.IMPROVED
    assert gains > 0
