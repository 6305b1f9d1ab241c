"""The Lagrangian bound and the reduction of candidates against all parties of tiny puzzles."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from problems.party.brute_force import all_parties, best_price, tiny_instance, tiny_instances

from matheur.problems.party import Instance, Party, load
from matheur.problems.party.operators.lagrangian import Lagrangian
from matheur.problems.party.operators.reduction import cheaper, undominated


def priced(instance: Instance) -> list[tuple[list[int], int]]:
    """All parties with their prices."""
    problem = Party(instance)
    return [(party.tolist(), int(problem.evaluate(party).objective)) for party in all_parties(problem)]


@given(tiny_instances())
@settings(max_examples=40)
def test_bounds_and_reduced_costs(instance: Instance) -> None:
    """A party costs at least the bound and by so much more as its reduced costs exceed the least ones of the slots."""
    lagrangian = Lagrangian(instance)
    parties = priced(instance)
    if lagrangian.impossible or not all(len(items) for items in instance.candidates):
        assert not parties
        return
    root = lagrangian.root(enough=lagrangian.price_max)
    bound = lagrangian.price_out(root)
    above = lagrangian.above(root)
    assert bound <= root.bound + 1e-9 * max(1.0, abs(bound))
    extra = {(int(k), int(i)): e for k, i, e in zip(lagrangian.slot, lagrangian.item, above, strict=True)}
    for party, price in parties:
        assert price % lagrangian.step == lagrangian.base % lagrangian.step
        assert price >= lagrangian.round_up(root.bound)
        assert lagrangian.round_down(price + 0.5) == price
        spent = bound + sum(extra[slot, item] for slot, item in enumerate(party))
        assert price >= spent - lagrangian.tolerance(price)


@given(tiny_instances())
@settings(max_examples=40)
def test_enumeration(instance: Instance) -> None:
    """All parties up to a price are found near the dual point, and nothing else is."""
    lagrangian = Lagrangian(instance)
    parties = priced(instance)
    if not parties:
        return
    root = lagrangian.root()
    limit = int(np.median([price for _, price in parties]))
    enough = limit + lagrangian.tolerance(limit)
    found, _, complete = lagrangian.enumerate(root, lagrangian.price_out(root), enough, limit, 1_000_000)
    problem = Party(instance)
    met = {tuple(party) for party in found.tolist() if problem.evaluate(party).feasible}
    wanted = {tuple(party) for party, price in parties if price <= limit}
    assert met <= wanted
    assert met == wanted or not complete


def test_infeasible_puzzle_has_no_finite_bound() -> None:
    """Where the relaxation has no solution the bound exceeds what any party can cost."""
    proved = 0
    for seed in range(40):
        instance = tiny_instance(seed)
        lagrangian = Lagrangian(instance)
        if lagrangian.impossible or not all(len(items) for items in instance.candidates):
            continue
        if lagrangian.root(enough=lagrangian.price_max).bound > lagrangian.price_max:
            proved += 1
            assert best_price(Party(instance)) is None
    assert proved > 5


@given(tiny_instances())
@settings(max_examples=50)
def test_undominated(instance: Instance) -> None:
    """Without dominated candidates the least price is the same, and fixed items stay."""
    candidates = undominated(instance)
    assert all(set(left.tolist()) <= set(items) for left, items in zip(candidates, instance.candidates, strict=True))
    parties = priced(instance)
    left = [price for party, price in parties if all(item in candidates[k] for k, item in enumerate(party))]
    assert min(left, default=None) == min((price for _, price in parties), default=None)
    for slot in instance.fixed:
        assert candidates[slot].tolist() == instance.candidates[slot].tolist()


def test_dominance_reduces() -> None:
    """Of equal items only as many are left as there are slots for them."""
    instance = tiny_instance(6, slots=3, items=9)
    same = np.zeros(9, dtype=np.int64)
    catalogue = instance.catalogue
    for trait in catalogue.traits.values():
        trait.codes[:] = 0
    for measure in catalogue.measures.values():
        measure.amounts[:], measure.missing[:] = 55, False
    catalogue.prices[:] = same + 7
    instance.fits[:] = True
    plain = Instance(catalogue, instance.slots, instance.fits, instance.edges, instance.synergy, instance.constraints)
    assert [items.tolist() for items in undominated(plain)] == [[0, 1, 2]] * 3


@given(tiny_instances())
@settings(max_examples=40)
def test_cheaper(instance: Instance) -> None:
    """All parties up to the price are still there, and no party costs less than the bound."""
    parties = priced(instance)
    if not parties:
        return
    limit = int(np.median([price for _, price in parties]))
    candidates, bound = cheaper(instance, instance.candidates, limit)
    for party, price in parties:
        assert price >= bound
        assert price > limit or all(item in candidates[slot] for slot, item in enumerate(party))
    _, beyond = cheaper(instance, instance.candidates, min(price for _, price in parties) - 1)
    assert beyond <= min(price for _, price in parties)


def test_real_cards(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound of a puzzle with 10,000 cards is that of the linear relaxation, and prices most cards out."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[4] / "experiments" / "party_building"))
    from puzzles import write  # type: ignore[import-not-found]

    folder = data / "assignment" / "sbc"
    problem = load(write(tmp_path, "f442", Decimal(82), Decimal("0.6"), folder=folder))
    candidates = undominated(problem.instance)
    root = Lagrangian(problem.instance, candidates).root()
    assert 10_450 < root.bound <= 10_495.46  # the linear relaxation by HiGHS: 10495.4545
    left, bound = cheaper(problem.instance, candidates, 12_000)
    assert 10_450 < bound <= 12_000
    assert sum(map(len, left)) < 0.15 * sum(map(len, candidates))
