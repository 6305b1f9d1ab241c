"""Guides of several partitions, and beams of boards."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from matheur.engine import Budget
from matheur.problems.sliding_tile import GOALS, SlidingTile, uniform
from matheur.problems.sliding_tile.domain import sliding_tile_domain
from matheur.problems.sliding_tile.search.beam import anytime_beam_tiles, beam_from_goal, beam_tiles
from matheur.problems.sliding_tile.search.databases import build_database
from matheur.problems.sliding_tile.search.deepening import ida_star_tiles
from matheur.problems.sliding_tile.search.geometry import geometry
from matheur.problems.sliding_tile.search.guide import AUTO_GUIDES, Guide, canonical, guide_by_name
from matheur.problems.sliding_tile.search.partitions import partition


def small_guide(rows: int, columns: int, goal: str, names: str) -> Guide:
    """A guide of small patterns."""
    made = guide_by_name(geometry(rows, columns, goal), names)
    assert made is not None
    return made


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (3, 5)])
def test_images_of_a_pattern_share_its_table(rows: int, columns: int, goal: str) -> None:
    """The table of the canonical pattern, with cells mapped, is the pattern's own table."""
    board = geometry(rows, columns, goal)
    guide = small_guide(rows, columns, goal, "3")
    rng = np.random.default_rng(1)
    patterns = partition(board, "3")
    assert any(canonical(board, pattern)[0] != pattern for pattern in patterns)
    tables = [build_database(board, pattern) for pattern in patterns]
    for _ in range(20):
        cell_of = rng.permutation(board.cells).astype(np.uint8)
        values = guide.values(cell_of)
        for number, made in enumerate(tables):
            assert made is not None
            rank, free = 0, list(range(board.cells))
            for tile in made.tiles:
                place = free.index(int(cell_of[tile]))
                rank, free = rank * len(free) + place, [cell for cell in free if cell != cell_of[tile]]
            assert values[number] == int(made.packed[rank // 2] >> 4 * (rank % 2)) & 15


@pytest.mark.parametrize("goal", GOALS)
def test_the_transposed_look_ups_are_those_of_the_mirrored_board(goal: str) -> None:
    """The second partition of a board is the first one of its mirror image, and neither exceeds the true distance."""
    board = geometry(3, 3, goal)
    guide = small_guide(3, 3, goal, "4")
    assert board.mirror_cell is not None
    assert board.mirror_tile is not None
    rng = np.random.default_rng(2)
    for _ in range(20):
        problem = SlidingTile(uniform(3, 3, rng, goal))  # type: ignore[arg-type]
        cell_of = np.argsort(problem.instance.tiles).astype(np.uint8)
        mirrored = np.empty_like(cell_of)
        mirrored[board.mirror_tile] = board.mirror_cell[cell_of]
        sums = guide.sums(guide.values(cell_of))
        assert sums.tolist() == guide.sums(guide.values(mirrored)).tolist()[::-1]
        answer = sliding_tile_domain(problem).ida_star("auto", budget=Budget(), memory=1 << 30)
        assert answer is not None
        assert answer.cost is not None
        assert problem.trivial_bound + 2 * max(sums) <= answer.cost


def test_beams_find_plans_that_work() -> None:
    """Wider beams find plans as short or shorter on the whole; none is shorter than the optimum."""
    guide = small_guide(4, 4, "blank-last", "5")
    from matheur.problems.sliding_tile.domain import estimator_of

    estimator = estimator_of(guide.board, "5")
    assert estimator is not None
    rng = np.random.default_rng(11)
    lengths = {16: 0, 1024: 0}
    for _ in range(6):
        problem = SlidingTile(uniform(4, 4, rng))
        optimum = ida_star_tiles(estimator, problem.instance.tiles).cost
        assert optimum is not None
        for width in lengths:
            answer = beam_tiles(guide, problem.instance.tiles, width=width)
            assert answer.plan is not None
            assert problem.evaluate(answer.plan).feasible
            assert len(answer.plan) == answer.cost >= optimum
            assert answer.bound <= optimum
            lengths[width] += answer.cost
    assert lengths[1024] < lengths[16]


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (3, 5)])
def test_beams_from_the_goal(rows: int, columns: int, goal: str) -> None:
    """The plan leads from the board to the goal, and wide beams of both directions find plans of like lengths."""
    guide = small_guide(rows, columns, goal, "4")
    rng = np.random.default_rng(6)
    lengths = {beam_tiles: 0, beam_from_goal: 0}
    for _ in range(6):
        problem = SlidingTile(uniform(rows, columns, rng, goal))  # type: ignore[arg-type]
        for beam in lengths:
            answer = beam(guide, problem.instance.tiles, width=2000)
            assert answer.plan is not None
            assert problem.evaluate(answer.plan).feasible
            assert answer.bound <= len(answer.plan) == problem.evaluate(answer.plan).objective
            lengths[beam] += len(answer.plan)
    assert abs(lengths[beam_tiles] - lengths[beam_from_goal]) <= 12


def test_timed_beams_come_from_both_sides() -> None:
    """With a deadline the third beam begins at the goal; plans work whichever beam has found them."""
    guide = small_guide(4, 4, "blank-last", "3")
    problem = SlidingTile(uniform(4, 4, np.random.default_rng(9)))
    found: list[int] = []

    def look(plan: NDArray[np.int32], length: int) -> None:
        assert problem.evaluate(plan).objective == length
        found.append(length)

    now = iter(range(10**6))
    budget = Budget(seconds=3000, clock=lambda: float(next(now)))
    answer = anytime_beam_tiles(guide, problem.instance.tiles, width=2, width_max=4096, budget=budget, on_plan=look)
    assert found
    assert answer.cost == found[-1] == min(found)


@pytest.mark.parametrize("timed", [False, True])
def test_the_widest_beams(timed: bool) -> None:
    """Without a deadline one beam of the greatest width is the last; with one, those of both directions have a try."""
    guide = small_guide(3, 3, "blank-last", "3")
    problem = SlidingTile(uniform(3, 3, np.random.default_rng(2)))
    now = iter(range(10**6))
    budget = Budget(seconds=10**6, clock=lambda: float(next(now))) if timed else Budget()
    answer = anytime_beam_tiles(guide, problem.instance.tiles, width=64, width_max=64, budget=budget)
    one = beam_tiles(guide, problem.instance.tiles, width=64)
    assert answer.limit is None
    assert answer.cost is not None
    assert one.cost is not None
    assert answer.cost <= one.cost
    assert (answer.expanded > one.expanded) == timed


def test_threads_share_a_layer() -> None:
    """Layers hold hardly a board twice and are as wide as with one thread; the plan works, and is the same again."""
    guide = small_guide(4, 4, "blank-last", "4")
    problem = SlidingTile(uniform(4, 4, np.random.default_rng(8)))
    widths: dict[int, list[int]] = {1: [], 2: [], 3: []}
    answers = {}
    for threads, seen in widths.items():

        def look(layer: NDArray[np.uint8], seen: list[int] = seen, threads: int = threads) -> None:
            different = len({*layer.view(f"V{layer.shape[1]}").ravel().tolist()})
            # What one thread has found another one forgets only where hashes collide.
            assert different == len(layer) if threads == 1 else different > 0.99 * len(layer)
            seen.append(len(layer))

        answers[threads] = beam_tiles(
            guide, problem.instance.tiles, width=10_000, seed=4, on_layer=look, threads=threads
        )
        plan = answers[threads].plan
        assert plan is not None
        assert problem.evaluate(plan).feasible
        again = beam_tiles(guide, problem.instance.tiles, width=10_000, seed=4, threads=threads)
        assert again.plan is not None
        assert again.plan.tolist() == plan.tolist()
        assert 9_500 < max(seen) < 10_300
    assert widths[1][:8] == widths[2][:8] == widths[3][:8]  # as long as nothing is dropped all are alike
    lengths = [len(answer.plan) for answer in answers.values() if answer.plan is not None]
    assert max(lengths) - min(lengths) <= 4


def test_a_limit_stops_all_threads() -> None:
    """Work limits are exact with any number of threads; an interrupt ends a beam."""
    guide = small_guide(4, 4, "blank-last", "4")
    tiles = uniform(4, 4, np.random.default_rng(3)).tiles
    runs = [beam_tiles(guide, tiles, width=10_000, budget=Budget(work=50_000), threads=n) for n in (1, 2)]
    assert runs[0].expanded == runs[1].expanded <= 50_000
    assert {run.limit for run in runs} == {"work"}
    layers: list[int] = []
    stopped = beam_tiles(
        guide, tiles, width=10_000, threads=2, budget=Budget(interrupt=lambda: len(layers) >= 12),
        on_layer=lambda layer: layers.append(len(layer)),
    )  # fmt: skip
    assert stopped.plan is None
    assert (stopped.limit, len(layers)) == ("interrupt", 12)


def test_longest_plans_and_limits() -> None:
    """Nothing longer than asked for; work limits are exact, reproducible, and the same for all slices."""
    guide = small_guide(4, 4, "blank-last", "4")
    problem = SlidingTile(uniform(4, 4, np.random.default_rng(3)))
    first = beam_tiles(guide, problem.instance.tiles, width=100)
    assert first.cost is not None
    short = beam_tiles(guide, problem.instance.tiles, width=100, most=first.cost - 2)
    assert short.cost is None or short.cost < first.cost
    runs = [beam_tiles(guide, problem.instance.tiles, width=1000, budget=Budget(work=5_000)) for _ in range(2)]
    assert runs[0].limit == "work"
    assert runs[0].expanded == runs[1].expanded <= 5_000
    solved = beam_tiles(guide, guide.board.target.tolist(), width=10)
    assert (solved.cost, solved.proved) == (0, True)
    stopped = anytime_beam_tiles(guide, problem.instance.tiles, budget=Budget(interrupt=lambda: True))
    assert (stopped.plan, stopped.limit) == (None, "interrupt")
    reached = anytime_beam_tiles(guide, problem.instance.tiles, width=64, budget=Budget(target=1000))
    assert reached.limit == "target"


def test_partitions_of_the_automatic_guides_exist() -> None:
    """For both goals, and they hold all tiles."""
    for (rows, columns), names in AUTO_GUIDES.items():
        for goal in GOALS:
            board = geometry(rows, columns, goal)
            for name in names.split("+"):
                tiles = sorted(tile for pattern in partition(board, name) for tile in pattern)
                assert tiles == list(range(1, board.cells))
