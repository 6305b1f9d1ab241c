"""Perfect boards by quotas of many sets of colours."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.problems.edge_matching import EdgeMatching, Hint, Instance, generate
from matheur.problems.edge_matching.backtracking.operator import Backtracking
from matheur.problems.edge_matching.backtracking.perfect_search import count_boards
from matheur.problems.edge_matching.backtracking.plan import Plan
from matheur.problems.edge_matching.backtracking.quotas import LATER, exhaustion_curve, rare_sets
from matheur.problems.edge_matching.backtracking.search import Search, perfect_search, scan_walks
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order
from matheur.problems.edge_matching.backtracking.sources.by_size import BySize, QuotaTree

RNG = np.random.default_rng


def unsolvable(instance: Instance) -> Instance:
    """The same with a piece inside that has a colour of its own, on two sides."""
    pieces = instance.pieces.copy()
    inside = np.flatnonzero((pieces != 0).all(axis=1))[0]
    pieces[inside, 0] = pieces[inside, 1] = 77
    return Instance(instance.rows, instance.columns, pieces)


def run(search: Search, most: int) -> None:
    """Until it is done or has made so many placements."""
    while not search.done and search.nodes < most:
        search.advance(200_000)


@pytest.mark.parametrize("size", [3, 5, 7])
@pytest.mark.parametrize("seed", [1, 2])
def test_small_puzzles_are_solved(size: int, seed: int) -> None:
    instance, _ = generate(size, size, seed=seed)
    search = perfect_search(instance, RNG(seed))
    assert search is not None
    run(search, 50_000_000)
    assert search.board is not None
    evaluation = EdgeMatching(instance).evaluate(search.board)
    assert evaluation.feasible
    assert evaluation.objective == search.slips == 0
    assert not search.exhausted


@pytest.mark.parametrize("job", [(0, 1), (2, 3)])
def test_all_of_a_small_puzzle_is_a_proof(job: tuple[int, int]) -> None:
    instance = unsolvable(generate(5, 5, seed=1)[0])
    search = perfect_search(instance, RNG(1), job)
    assert search is not None
    run(search, 50_000_000)
    assert search.done
    assert search.exhausted
    assert search.board is None
    assert search.slips == 1
    assert (search.partial() >= 0).sum() == search.deepest < 25


def meeting(boards: list[NDArray[np.int32]], instance: Instance, colours: NDArray[np.int64], strength: float) -> int:
    """How many boards, scanned by rows, meet a quota."""
    quota = exhaustion_curve(instance, colours, instance.cells, strength, LATER)[:-1]
    rare = np.isin(instance.pieces, colours).sum(axis=1)
    return sum(bool((np.cumsum(rare[board // 4]) >= quota).all()) for board in boards)


def test_a_tree_has_all_boards_that_its_quota_allows() -> None:
    """Of all perfect boards, those that meet the quota, for each of the strengths that it comes to."""
    instance, _ = generate(5, 5, seed=3, inner_colours=4, frame_colours=2)
    every: list[NDArray[np.int32]] = []
    count_boards(instance, look=every.append)
    assert len(every) > 100
    walk = scan_walks(instance, ("rows",))[0]
    colours = rare_sets(instance, 1)[0]
    tree, boards = QuotaTree(0, walk.beginnings, colours), set[bytes]()

    class Harvest(Search):
        def _take(self) -> bool:
            boards.update(self.walk.full(number).tobytes() for number in range(self.walk.found))
            return False

    plan = Plan(fill_order(5, 5, "rows"), total=0, opening=1.0, restart=None)
    search = Harvest(instance, tree, [walk], plan, RNG(1))
    seen = set()
    while not tree.whole:
        strength = tree.strength
        while tree.strength == strength and not tree.whole:
            search.advance(1)
        found = boards.copy()
        boards.clear()
        assert len(found) == meeting(every, instance, colours, strength)
        assert tree.strength < strength or tree.whole
        seen.add(len(found))
    assert seen >= {0, len(every)}
    assert len(seen) > 5


def test_the_smallest_tree_is_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees grow together: none is taken while another one is smaller."""
    monkeypatch.setattr("matheur.problems.edge_matching.backtracking.sources.by_size._WHOLE", 1)
    instance = unsolvable(generate(8, 8, seed=5, inner_colours=8, frame_colours=3)[0])
    search = perfect_search(instance, RNG(1))
    assert search is not None
    run(search, 60_000_000)
    sizes = sorted(size for size, _, _ in search.source.queue)
    assert len(sizes) > 100
    assert sizes[0] > 0
    assert search.nodes == pytest.approx(sum(tree.nodes for _, _, tree in search.source.queue), abs=1_000_000)
    before = search.source.queue[0]
    while search.source.queue[0][1] == before[1] and search.source.queue[0][0] == before[0]:
        search.advance(100_000)
    assert search.source.queue[0][0] == sizes[1]


@pytest.mark.parametrize("jobs", [2, 3])
def test_jobs_divide_the_trees(jobs: int) -> None:
    instance, _ = generate(6, 6, seed=2)
    walks = scan_walks(instance)

    def trees(job: tuple[int, int]) -> list[tuple[int, ...]]:
        return [(*tree.colours, tree.number) for _, _, tree in BySize(instance, walks, job).queue]

    parts = [trees((number, jobs)) for number in range(jobs)]
    assert sorted(tree for part in parts for tree in part) == sorted(trees((0, 1)))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize(
    ("frame_colours", "inner_colours", "family"),
    [(5, 8, (3, 3)), (4, 7, (3, 3)), (3, 8, (1, 2)), (4, 3, (1, 2)), (2, 8, (1, 2)), (1, 8, (1, 2))],
)
def test_sets_leave_a_colour_of_the_frame(frame_colours: int, inner_colours: int, family: tuple[int, int]) -> None:
    instance, _ = generate(8, 8, seed=1, frame_colours=frame_colours, inner_colours=inner_colours, unique=False)
    queue = BySize(instance, scan_walks(instance)).queue
    of_frame = [sum(colour <= frame_colours for colour in tree.colours) for _, _, tree in queue]
    assert set(of_frame) == {family[0]}
    assert {len(tree.colours) for _, _, tree in queue} == {sum(family)}
    assert len(queue) == 2 * math.comb(frame_colours, family[0]) * math.comb(inner_colours, family[1])


def test_hints_are_kept() -> None:
    instance, solution = generate(6, 6, seed=4)
    hints = tuple(Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4) for cell in range(3))
    search = perfect_search(replace(instance, hints=hints), RNG(1))
    assert search is not None
    run(search, 50_000_000)
    assert search.board is not None
    assert (search.board[:3] == solution[:3]).all()


def test_what_is_too_large_is_left_to_others() -> None:
    assert perfect_search(generate(12, 12, seed=1)[0], RNG(1)) is None


def test_a_construction_goes_over_to_perfect_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """When two mismatches are left, as one would leave two colours odd; a proof is handed out."""
    asked = []

    def perfect(instance: Instance, rng: np.random.Generator, job: tuple[int, int]) -> Search | None:
        asked.append(job)
        return perfect_search(instance, rng, job)

    monkeypatch.setattr("matheur.problems.edge_matching.backtracking.operator.perfect_search", perfect)
    instance = unsolvable(generate(5, 5, seed=6)[0])
    outcome = Backtracking().build(EdgeMatching(instance), Budget(work=100_000), RNG(1))
    assert outcome.objective == 2
    assert outcome.bound == 1
    assert asked == [(0, 1)]
    Backtracking(order="rows").build(EdgeMatching(instance), Budget(work=1_000), RNG(1))
    assert len(asked) == 1


def test_perfect_boards_alone_may_be_asked_for() -> None:
    instance, _ = generate(6, 6, seed=1)
    outcome = Backtracking(mismatches=0).build(EdgeMatching(instance), Budget(work=100_000), RNG(1))
    assert outcome.objective == 0
