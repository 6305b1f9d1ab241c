"""Quotas chosen by samples: sizes of trees, what their boards promise, and the search that goes on with them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from matheur.engine.budget import Budget
from matheur.problems.edge_matching import EdgeMatching, Hint, Instance, generate
from matheur.problems.edge_matching.backtracking import plan as plan_module
from matheur.problems.edge_matching.backtracking.operator import Backtracking
from matheur.problems.edge_matching.backtracking.plan import Plan, default_sampling
from matheur.problems.edge_matching.backtracking.quotas import BLACKWOOD, LATER, Quota, rare_sets
from matheur.problems.edge_matching.backtracking.search import planned_search
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order, transposed_order
from matheur.problems.edge_matching.backtracking.sources import sampled, tree_sampler
from matheur.problems.edge_matching.backtracking.sources.sampled import (
    QuotaRounds,
)
from matheur.problems.edge_matching.backtracking.sources.tree_sampler import TreeSample, TreeSampler
from matheur.problems.edge_matching.backtracking.walks.layered import LayerWalk, layer_tables

RNG = np.random.default_rng
ALL = 1 << 50


def puzzle(size: int, seed: int = 2, hint: bool = False) -> Instance:
    inner, frame = (8, 4) if size > 6 else (6, 3)
    instance, board = generate(size, size, seed=seed, inner_colours=inner, frame_colours=frame)
    if not hint:
        return instance
    piece, rotation = divmod(int(board[0]), 4)
    return Instance(size, size, instance.pieces, (Hint(0, piece, rotation),))


def quota_of(instance: Instance, strength: float) -> Quota:
    return Quota(tuple(rare_sets(instance, 1)[0].tolist()), strength, LATER)


def counted(instance: Instance, order: np.ndarray, quota: Quota) -> np.ndarray:
    """Placements without a mismatch, by depth, as the layered backtracker makes them."""
    tables = layer_tables(instance, order, look_ahead=False)
    assert tables is not None
    walk, cells = LayerWalk(tables), len(tables.order)
    walk.begin(np.array(quota.colours), RNG(1))
    while not walk.ended:
        asked = quota.asked(instance)[instance.cells - cells :] - walk.sides
        walk.advance(ALL, np.zeros(cells + 1, dtype=np.int64), asked)
    return walk.placed


def ways_to_join(instance: Instance, filled: np.ndarray, board: np.ndarray) -> float:
    """The logarithm of how many ways there are to join the sides that are left, counted on a partial board."""
    cells = set(filled.astype(int).tolist())
    free, wanted = np.zeros(instance.colours), np.zeros(instance.colours)
    for cell in range(instance.cells):
        for side in range(4):
            colour, beside = int(instance.sides[board[cell], side]), int(instance.neighbours[cell, side])
            if cell not in cells:
                free[colour] += 1
            elif beside >= 0 and beside not in cells:
                wanted[colour] += 1
    total = 0.0
    for n, f in zip(free[1:], wanted[1:], strict=True):
        pairs = (n - f) / 2
        total += math.lgamma(n + 1) - math.lgamma(pairs + 1) - pairs * math.log(2)
    return total


@pytest.mark.parametrize("scan", [fill_order, transposed_order])
@pytest.mark.parametrize("hint", [False, True])
def test_whole_samples_count(scan: Any, hint: bool) -> None:
    """Where nothing is left out a sample is the tree."""
    instance = puzzle(6, hint=hint)
    order = scan(6, 6, "comb")
    sampler, quota = TreeSampler(instance, order), quota_of(instance, 0.4)
    sample = sampler.sample(quota, ALL, RNG(1))
    assert sample is not None
    depth = sample.boards.shape[1]
    assert depth == int(0.73 * (36 - hint))
    assert sample.placements == counted(instance, order, quota)[:depth].sum() > 10_000


def test_samples_are_right_in_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    """By less than a hundredth of the placements."""
    instance, order = puzzle(8), fill_order(8, 8, "comb")
    sampler, quota = TreeSampler(instance, order), quota_of(instance, 0.7)
    whole = counted(instance, order, quota)[: int(0.73 * 64)].sum()
    monkeypatch.setattr(tree_sampler, "_KEPT", 10_000)
    samples = [sampler.sample(quota, 4000, RNG(seed)) for seed in range(100)]
    sizes = [sample.placements if sample else 0.0 for sample in samples]
    error = np.std(sizes) / 10
    assert abs(np.mean(sizes) - whole) < 4 * error < 0.6 * whole
    assert whole > 100 * 4000 * 46


@pytest.mark.parametrize("hint", [None, 0, 14, 28])
def test_promises_are_the_ways_to_join_what_is_left(hint: int | None) -> None:
    """Of the board that was planted, the first cells of which are as those of a sample; wherever a piece is given."""
    instance, board = generate(6, 6, seed=5, inner_colours=5, frame_colours=3)
    if hint is not None:
        piece, rotation = divmod(int(board[hint]), 4)
        instance = Instance(6, 6, instance.pieces, (Hint(hint, piece, rotation),))
    sampler = TreeSampler(instance, fill_order(6, 6, "rows"))
    order = sampler._tables.order
    planted = board[order] >> 2
    row = np.zeros((1, len(order)), dtype=np.uint16)
    for depth, cell in enumerate(order.tolist()):
        up, left = (int(instance.neighbours[cell, side]) for side in (0, 3))
        colours = {colour: number for number, colour in enumerate(np.unique(instance.sides).tolist())}
        shows = instance.sides[board]
        address = sampler._tables.base[depth]
        address += colours[int(shows[up, 2])] * len(colours) if up >= 0 else 0
        address += colours[int(shows[left, 1])] if left >= 0 else 0
        fitting = np.arange(sampler._start[address], sampler._start[address + 1])
        right, down = colours[int(shows[cell, 1])], colours[int(shows[cell, 2])] * len(colours)
        one = (sampler._pieces[fitting] == planted[depth]) & (sampler._rights[fitting] == right)
        row[0, depth] = fitting[one & (sampler._downs[fitting] == down)][0]
    for filled in (7, 20, 26):
        known = np.append(order[:filled], [] if hint is None else hint)
        expected = ways_to_join(instance, known, board)
        assert sampler._promises(row[:, :filled], filled)[0] == pytest.approx(expected)


def test_boards_drawn_meet_the_quota() -> None:
    instance, order = puzzle(8), fill_order(8, 8, "comb")
    sampler, quota = TreeSampler(instance, order), quota_of(instance, 0.7)
    sample = sampler.sample(quota, 100_000, RNG(1))
    assert isinstance(sample, TreeSample)
    assert sampler.meeting(sample.boards, quota).all()
    assert all(len(set(board)) == len(board) for board in sample.boards[:100].tolist())
    stricter = sampler.meeting(sample.boards, Quota(quota.colours, 0.72, LATER))
    assert 0 < stricter.mean() < 1
    assert sampler.sample(Quota(quota.colours, 1.5, BLACKWOOD), 100_000, RNG(1)) is None


TINY = replace(plan_module.SMALL, sets=6, placements=2e5, fitted=8, after=100_000)
FEW = replace(plan_module.LARGE, sets=4, placements=3e6, after=500_000)


@pytest.fixture
def small_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_SMALL", 20_000), ("_LARGE", 50_000)):
        monkeypatch.setattr(sampled, name, value)


def quotas(rounds: QuotaRounds, number: int) -> list[Quota]:
    found: list[Quota] = []
    while len(found) < number and not rounds.ended:
        quota = rounds.look()
        found += [quota] if quota else []
    return found


@pytest.mark.usefixtures("small_rounds")
def test_rounds_of_larger_and_larger_trees() -> None:
    """The same for all jobs, no quota twice, and each has a tree of about the size of its round."""
    instance, order = puzzle(8, seed=4), fill_order(8, 8, "comb")
    chosen = quotas(QuotaRounds(instance, order, TINY), 6)
    assert chosen[:4] == quotas(QuotaRounds(instance, order, TINY), 4)
    assert len(set(chosen)) == 6
    sampler = TreeSampler(instance, order)
    samples = [sampler.sample(quota, 100_000, RNG(1)) for quota in chosen]
    sizes = np.array([sample.placements if sample else 0.0 for sample in samples])
    rounds = np.round(np.log(sizes / TINY.placements) / np.log(sampled._LARGER))
    assert rounds.min() == 0
    assert rounds.max() >= 1
    assert (np.diff(rounds) >= -1).all()
    assert len({quota.colours for quota in chosen}) > 3


@pytest.mark.usefixtures("small_rounds")
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_search_goes_over_to_chosen_quotas(jobs: int) -> None:
    """Once a quota takes long; each chosen one is tried in all parts, which jobs divide, and boards are good ones."""
    instance = puzzle(8)
    first, second = fill_order(8, 8, "comb"), transposed_order(8, 8, "comb")
    plan = Plan(
        first, total=8, opening=0.8, restart=0, strength=0.8, sampling=TINY, layered=True, others=(second,),
        job=(0, jobs),
    )  # fmt: skip
    search, problem = planned_search(instance, plan, RNG(1)), EdgeMatching(instance)
    tried: list[tuple[Quota, int]] = []
    while len({quota for quota, _ in tried}) < 3 and not search.done:
        if search.advance(100_000):
            evaluation = problem.evaluate(search.board)
            assert evaluation.feasible
            assert evaluation.objective == search.slips
        if search.source.chosen is not None:
            state = (search.source.chosen, len(search.source.left))
            tried += [state] if state not in tried else []
    assert search.slips <= 6
    by_quota = {quota: [left for other, left in tried if other == quota] for quota, _ in tried}
    parts = len(search.source.parts)
    assert parts == {1: 8, 3: 3}[jobs]
    assert list(by_quota) == quotas(QuotaRounds(instance, first, TINY), len(by_quota))
    assert max(map(len, by_quota.values())) <= parts


@pytest.mark.usefixtures("small_rounds")
@pytest.mark.parametrize("hint", [False, True])
def test_starts_have_a_chosen_quota(hint: bool) -> None:
    """All of them once there were so many placements, unless there are hints; and placements are counted once."""
    instance, order = puzzle(8, hint=hint), fill_order(8, 8, "comb")
    plan = Plan(order, total=8, opening=0.8, restart=200_000, strength=0.7, sampling=FEW, layered=True)
    search, nodes, chosen = planned_search(instance, plan, RNG(1)), 0, set()
    search.demand(3)
    while search.nodes < 3_000_000 and not search.done:
        search.advance(100_000)
        assert nodes <= search.nodes < nodes + 300_000
        nodes = search.nodes
        if search.task is not None and search.task.firm:
            chosen.add(search.task.quota)
            assert nodes >= 500_000
    assert len(chosen) == 1 - hint
    if chosen:
        assert chosen == set(quotas(QuotaRounds(instance, order, FEW), 1))


@pytest.mark.parametrize(
    ("options", "limits", "chosen"),
    [
        ({}, {"seconds": 60}, True),
        ({}, {"work": 5_000_000}, True),
        ({"quota": "adaptive"}, {"seconds": 60}, False),
        ({"quota": "none"}, {"seconds": 60}, False),
        ({"quota": "sampled"}, {"seconds": 20}, True),
        ({"nodes": 10**9}, {"seconds": 60}, False),
        ({}, {"seconds": 20}, False),
        ({}, {}, False),
    ],
)
def test_quotas_are_chosen_unless_one_is_asked_for(
    options: dict[str, Any], limits: dict[str, Any], chosen: bool
) -> None:
    """And where there is time, or work to be done, for that."""
    instance, _ = generate(12, 12, seed=1)
    plan = Backtracking(**options).plan(instance, "comb", Budget(**limits))
    assert plan.sampling is (plan_module.LARGE if chosen else None)


@pytest.mark.usefixtures("small_rounds")
def test_rounds_end_when_all_was_tried() -> None:
    """On a puzzle that is so small that the tree of some quota is nearly all."""
    instance, _ = generate(5, 5, seed=3, inner_colours=5, frame_colours=3)
    order = fill_order(5, 5, "rows")
    rounds, sampler = QuotaRounds(instance, order, TINY), TreeSampler(instance, order)
    chosen = quotas(rounds, 1000)
    assert rounds.ended
    assert len(set(chosen)) == len(chosen) < 200
    samples = [sampler.sample(quota, ALL, RNG(1)) for quota in (*chosen, replace(chosen[0], strength=0.0))]
    *some, whole = [sample.placements if sample else 0.0 for sample in samples]
    assert max(some) > 0.8 * whole


@pytest.mark.usefixtures("small_rounds")
def test_nothing_is_promised_without_a_frame() -> None:
    """Sides on the edge join nothing, so nobody can tell how many are left; starts go on as they did."""
    framed = puzzle(6)
    pieces = np.where(framed.pieces == 0, framed.pieces.max() + 1, framed.pieces)
    instance = Instance(6, 6, pieces)
    plan = Plan(fill_order(6, 6, "comb"), total=40, opening=0.5, restart=100_000, strength=0.5, sampling=FEW)
    search = planned_search(instance, plan, RNG(1))
    search.demand(20)
    while search.nodes < 1_000_000 and not search.done:
        search.advance(100_000)
    assert search.source.rounds is not None
    assert search.source.rounds.ended
    assert search.source.chosen is None


@pytest.mark.parametrize(
    ("cells", "seconds", "search"),
    [
        (64, 9999, None), (100, 60, None), (81, 600, "SMALL"), (100, 600, "SMALL"), (100, 3600, "LONG"),
        (144, 20, None), (144, 60, "LARGE"), (256, 600, None),
    ],
)  # fmt: skip
def test_quotas_are_chosen_where_there_is_time(cells: int, seconds: float, search: str | None) -> None:
    assert default_sampling(cells, seconds) is (search and getattr(plan_module, search))
    assert default_sampling(cells) is default_sampling(cells, 1e9)
