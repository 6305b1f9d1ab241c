"""The opening of backtracking settles where mismatches take a fixed share of the time."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.engine.budget import Budget
from matheur.problems.edge_matching import EdgeMatching, generate
from matheur.problems.edge_matching.backtracking import allowances
from matheur.problems.edge_matching.backtracking.allowances import WINDOW, SettlingOpening
from matheur.problems.edge_matching.backtracking.operator import Backtracking
from matheur.problems.edge_matching.backtracking.plan import Plan, default_opening
from matheur.problems.edge_matching.backtracking.search import planned_search
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order

RNG = np.random.default_rng


@pytest.mark.parametrize("begin", [0.8, 0.88, 0.95])
@pytest.mark.parametrize("growth", [1.6, 3.0, 8.0])
def test_it_settles_whatever_the_growth(begin: float, growth: float) -> None:
    """Tries grow by a factor for each cell that the opening is earlier, and vary by a factor of e or so."""
    cells, rng = 144, RNG(1)
    opening = SettlingOpening(begin, cells)
    shares = []
    for number in range(400):
        tries = min(1.0, 0.04 * growth ** (cells * (0.88 - opening.opening)) * rng.lognormal(-0.5, 1.0))
        ahead = 1.0 - 0.5 * tries
        opening.look(int(WINDOW * ahead + 1.15 * WINDOW * tries), int(WINDOW * tries))
        if number >= 100:
            shares.append((tries, ahead))
    tried, ahead = np.sum(shares, axis=0)
    assert 0.15 < 2.5 * tried / (2.5 * tried + ahead) < 0.45


def test_it_stays_on_the_board() -> None:
    """However little or much is tried."""
    early, late = SettlingOpening(0.05, 16), SettlingOpening(0.95, 16)
    for _ in range(50):
        early.look(WINDOW, 0)
        late.look(WINDOW, 10 * WINDOW)
    assert (early.opening, late.opening) == (0.0, 1.0)


def test_what_was_seen_counts_for_less_with_another_number_of_mismatches() -> None:
    """The next look then moves it further."""
    moved = []
    for renewed in (False, True):
        opening = SettlingOpening(0.9, 100)
        for _ in range(100):
            opening.look(WINDOW, WINDOW // 8)
        before = opening.opening
        if renewed:
            opening.renew()
        opening.look(WINDOW, WINDOW // 2)
        moved.append(opening.opening - before)
    assert 0 < 2 * moved[0] < moved[1]


@pytest.mark.parametrize("settling", [False, True])
def test_the_search_moves_it_by_its_placements_only(settling: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same boards and the same opening in one call or many, an opening that was given stays."""
    monkeypatch.setattr(allowances, "WINDOW", 30_000)
    instance, _ = generate(8, 8, seed=2)
    order = fill_order(8, 8, "rows")
    plan = Plan(order, 6, 0.75, settling, strength=0.9, patience=20_000, restart=100_000, loose=8)
    runs = []
    for room in (2_000_000, 7_777):
        search, seen = planned_search(instance, plan, RNG(1)), []
        while search.nodes < 2_000_000 and not search.done:
            if search.advance(min(room, 2_000_000 - search.nodes)):
                seen.append((search.nodes, search.slips, search.opening, search.board.tobytes()))  # type: ignore[union-attr]
        runs.append((seen, search.opening))
    assert runs[0] == runs[1]
    assert len(runs[0][0]) > 0
    assert (runs[0][1] != 0.75) is settling


def test_an_exhaustive_search_fixes_it() -> None:
    """The default moves; that of a search without restarts does not."""
    instance, _ = generate(10, 10, seed=1)
    budget = Budget(work=1)
    plans = [
        Backtracking(**options).plan(instance, "rows", budget)  # type: ignore[arg-type]
        for options in ({}, {"restart": None})
    ]
    assert [plan.settling for plan in plans] == [True, False]
    assert [plan.opening for plan in plans] == 2 * [default_opening(100, "rows")]


def test_a_search_that_begins_too_late_mends_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards of 5 mismatches on 8 x 8, an opening at the very end: none while it stays there, soon one as it moves."""
    monkeypatch.setattr(allowances, "WINDOW", 200_000)
    instance, _ = generate(8, 8, inner_colours=8, frame_colours=4, seed=5)
    found = []
    for settling in (False, True):
        plan = Plan(
            fill_order(8, 8, "rows"), 5, 0.99, settling, strength=0.9, restart=2_000_000, patience=200_000, loose=8
        )
        search = planned_search(instance, plan, RNG(2))
        search.demand(6)
        while search.nodes < 12_000_000 and search.board is None:
            search.advance(1_000_000)
        found.append(search.board)
    assert found[0] is None
    assert found[1] is not None
    assert EdgeMatching(instance).evaluate(found[1]).objective <= 5
