"""Different near-optimal solutions, against all solutions of tiny puzzles."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from problems.party.brute_force import all_parties, tiny_instance

from matheur.errors import ConfigurationError
from matheur.problems.party import Instance, Party, builtin
from matheur.problems.party.designing import finder as party_finder
from matheur.problems.party.designing.demands import demand_of
from matheur.problems.quadratic_assignment import QuadraticAssignment
from matheur.problems.quadratic_assignment import builtin as assignment
from matheur.running.diversity import Diversity, diverse

FAST = ("construction=annealing", "neighbourhoods=[]", "construction.steps=2000")


def ask(instance: Instance, **options: object) -> Diversity:
    """A reproducible question."""
    return diverse(Party(instance), settings=FAST, work=options.pop("work", 400_000), **options)  # type: ignore[arg-type]


def oracle(problem: Party, within: float, by_slot: bool) -> tuple[int | None, dict[tuple[int, ...], int]]:
    """The least price, and the price of every different party that is near enough."""
    prices: dict[tuple[int, ...], int] = {}
    for party in all_parties(problem):
        key = tuple(party.tolist()) if by_slot else tuple(sorted(party.tolist()))
        price = int(problem.evaluate(party).objective)
        prices[key] = min(price, prices.get(key, price))
    if not prices:
        return None, {}
    best = min(prices.values())
    return best, {key: price for key, price in prices.items() if price <= best + math.floor(best * within / 100)}


@pytest.mark.parametrize("by_slot", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 6, 12, 14])
def test_all_parties_of_a_tiny_puzzle_are_counted(seed: int, by_slot: bool) -> None:
    """An exact count is that of an enumeration, in all and in each band; each party is there once."""
    problem = Party(tiny_instance(seed))
    best, near = oracle(problem, 25, by_slot)
    found = ask(problem.instance, count=1000, within=25, by_slot=by_slot, seed=seed)
    assert found.best == best
    if best is None:
        assert found.status in ("infeasible", "unknown")
        return
    assert (found.status, found.exact, found.known) == ("complete", True, len(near))
    assert sorted(variant.objective for variant in found.variants) == sorted(near.values())
    assert sum(band.found for band in found.bands) == len(near)
    assert all(band.exact for band in found.bands)
    for band in found.bands[1:]:
        assert band.found == sum(band.low < price <= band.high for price in near.values())


@pytest.mark.parametrize("most", [20_000, 0])
@pytest.mark.parametrize("seed", [6, 7, 12])
def test_the_distance_is_kept_and_no_further_party_fits(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every two differ enough, and none of all parties could be added: by enumeration, or else by the MILP."""
    monkeypatch.setattr(party_finder, "MOST", most)
    problem = Party(tiny_instance(seed))
    best, near = oracle(problem, 60, False)
    found = ask(problem.instance, count=50, within=60, distance=2, seed=seed)
    assert best is not None
    chosen = [set(variant.solution.tolist()) for variant in found.variants]
    slots = len(problem.instance.slots)
    assert all(slots - len(one & two) >= 2 for i, one in enumerate(chosen) for two in chosen[:i])
    assert found.status == "complete"
    assert not any(all(slots - len(set(key) & other) >= 2 for other in chosen) for key in near)
    for variant, own in zip(found.variants, chosen, strict=True):
        others = [slots - len(own & other) for other in chosen if other is not own]
        assert variant.nearest == (min(others) if others else None)


def test_enough_parties_end_the_search_without_a_proof() -> None:
    """Nothing is claimed that was not proved; prices ascend and stay below the cap."""
    easy = demand_of(builtin("demo"), "synergy").put(Party(builtin("demo")), Fraction(1, 2))
    found = ask(easy.instance, count=3, within=60, distance=3, work=200_000)
    assert found.status == "found"
    assert len(found.variants) == 3
    assert not found.exact
    prices = [variant.objective for variant in found.variants]
    assert all(one <= two for one, two in pairwise(prices))
    assert found.best == prices[0]
    assert found.cap is not None
    assert prices[-1] <= found.cap
    plain = found.to_dict()
    assert plain["solutions"][0]["synergy"] >= 0.5
    assert not any(band["exact"] for band in plain["bands"])


def test_the_same_seed_gives_the_same_answer() -> None:
    """In work units everything is reproducible."""
    one, two = (ask(builtin("demo"), count=3, within=60, work=100_000, seed=4) for _ in range(2))
    assert [variant.solution.tolist() for variant in one.variants] == [v.solution.tolist() for v in two.variants]
    assert (one.known, one.work) == (two.known, two.work)


def test_settings_are_obeyed_or_refused() -> None:
    """Limits and seed may be settings, as in a run; settings that do not apply are errors."""
    few = ("construction=random", "neighbourhoods=none")
    found = diverse("quadratic-assignment/tiny8", count=2, settings=(*few, "seconds=none", "work=300", "seed=7"))
    assert (found.seed, found.work < 2_000) == (7, True)
    again = diverse("quadratic-assignment/tiny8", count=2, settings=few, work=300, seed=7)
    assert [one.objective for one in found.variants] == [one.objective for one in again.variants]
    for setting in ("jobs=2", "target=5", "iterations=3", "pool.folder=x"):
        with pytest.raises(ConfigurationError, match="has no effect on a search for different solutions"):
            diverse("quadratic-assignment/tiny8", settings=(*few, setting))


def test_permutations_are_collected_by_restarts() -> None:
    """Solutions of quadratic assignment are valid, different, near the best, and nothing is proved of them."""
    problem = QuadraticAssignment(assignment("tiny8"))
    settings = ("construction=random", "neighbourhoods=['swap']")
    found = diverse(problem, count=3, within=20, distance=2, work=20_000, settings=settings)
    assert found.status == "found"
    assert not found.exact
    rows = np.array([variant.solution for variant in found.variants])
    for row, variant in zip(rows, found.variants, strict=True):
        assert problem.evaluate(row).feasible
        assert problem.evaluate(row).objective == variant.objective
        assert found.cap is not None
        assert variant.objective <= found.cap
    assert all((one != two).sum() >= 2 for i, one in enumerate(rows) for two in rows[:i])


def test_a_puzzle_without_a_solution_says_why() -> None:
    """The reason of the search is passed on."""
    impossible = ask(_impossible())
    assert impossible.status == "infeasible"
    assert impossible.reason
    assert (impossible.best, impossible.known, impossible.variants, impossible.bands) == (None, 0, [], [])


def _impossible() -> Instance:
    one = builtin("demo")
    nobody = frozenset(range(len(one.catalogue)))
    return Instance(one.catalogue, one.slots, one.fits, one.edges, one.synergy, one.constraints, {}, nobody)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "at least"),
        ({"within": -1.0}, "at least"),
        ({"within": math.nan}, "at least"),
        ({"bands": 0}, "at least"),
        ({"distance": 7}, "between 1 and 6"),
        ({"distance": 0}, "between 1 and 6"),
    ],
)
def test_senseless_numbers_are_refused(options: dict[str, float], message: str) -> None:
    """Before anything is searched."""
    with pytest.raises(ConfigurationError, match=message):
        ask(builtin("demo"), **options)
