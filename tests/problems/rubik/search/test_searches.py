"""Tables, perimeter and searches of the cube, against each other and published numbers."""

from __future__ import annotations

import csv
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.statespace import astar, bidirectional, heuristic_by_name, slices
from matheur.methods.statespace.slices import Builds
from matheur.problems.rubik import Rubik
from matheur.problems.rubik.cubies import cubies_of
from matheur.problems.rubik.domain import rubik_domain
from matheur.problems.rubik.generator import generate, uniform
from matheur.problems.rubik.search import tables as cubes
from matheur.problems.rubik.search.beam import Guide, anytime_beam_cube, beam_cube
from matheur.problems.rubik.search.classes import classes
from matheur.problems.rubik.search.deepening import CubeTables, cube_tables, ida_star_cube
from matheur.problems.rubik.search.perimeter import Perimeter, build_perimeter, perimeter
from matheur.problems.rubik.search.pieces import SOLVED_STATE, replay, state_of
from matheur.problems.rubik.search.table_rows import EDGE_SET
from matheur.problems.rubik.search.tables import build_table, distance_table
from matheur.problems.rubik.search.two_phase import two_phase

CORNERS = [
    1, 12, 114, 924, 6539, 39528, 199926, 806136, 2761740, 8656152, 22334112, 32420448, 18780864, 2166720, 6624,
]  # fmt: skip
CLASSES_WITHIN = [1, 1, 5, 17, 130, 1031, 9393]


@pytest.fixture(scope="module")
def tables() -> CubeTables:
    """The tables for quarter turns, from the session's cache."""
    found = cube_tables("quarter")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def ends() -> Perimeter:
    """All cubes within six quarter turns."""
    found = perimeter("quarter", 6)
    assert found is not None
    return found


def test_tables_have_the_known_histograms(tables: CubeTables) -> None:
    """God's number of the corners in quarter turns is 14; of 140,908,410 phase-1 classes the farthest are 13 away."""
    assert tables.corners.histogram().tolist() == CORNERS
    found = tables.phase1.histogram()
    assert len(classes().representative) == 64430
    assert (found.sum(), len(found) - 1, found[:10].sum()) == (140_908_410, 13, 10_138_830)
    assert distance_table("corners", "quarter") is tables.corners


def test_the_table_of_six_edges_counts_what_a_search_counts() -> None:
    """Its entries near home are the places and flips that cubes within four turns show; no entry is missing."""
    found = distance_table("edges", "quarter")
    assert found is not None
    histogram = found.histogram().tolist()
    domain = rubik_domain(Rubik(generate(seed=1, moves=1)[0]))
    keys, seen = domain.packing.pack(SOLVED_STATE[None]), set[bytes]()
    for entries in histogram[:4]:
        states = domain.packing.unpack(keys)
        order = np.argsort(states[:, 8:] // 2, axis=1)[:, list(EDGE_SET)]
        shown = 2 * order + np.take_along_axis(states[:, 8:], order, axis=1) % 2
        before = len(seen)
        seen |= {row.astype(np.uint8).tobytes() for row in shown}
        assert len(seen) - before == entries
        keys = np.unique(domain.expand(keys).keys, axis=0)
    assert sum(histogram) == 42_577_920
    assert len(histogram) - 1 == 11


def test_korf_is_the_largest_of_corners_and_both_sets_of_edges(ends: Perimeter) -> None:
    """Never more than the distance, within one over a turn; flipped edges of either set and twists count alone."""
    domain = rubik_domain(Rubik(generate(seed=1, moves=1)[0]))
    heuristic = heuristic_by_name(domain, "korf")
    rng = np.random.default_rng(8)
    states = np.array([replay(SOLVED_STATE, rng.integers(0, 12, 6).tolist()) for _ in range(60)])
    values = heuristic.estimate(domain.packing.pack(states))
    assert (values <= ends.distances(states)).all()
    far = domain.packing.pack(np.array([replay(SOLVED_STATE, rng.integers(0, 12, 40).tolist()) for _ in range(60)]))
    after = domain.expand(far)
    assert (np.abs(heuristic.estimate(after.keys) - heuristic.estimate(far)[after.parents]) <= 1).all()
    # A half turn of the cube about the axis R-L takes one set of edges to the other: these two are alike.
    flipped = []
    for edges in ([0, 2], [4, 6], []):
        state = SOLVED_STATE.copy()
        state[[8 + edge for edge in edges]] ^= 1
        flipped.append(state)
    first, second, none = heuristic.estimate(domain.packing.pack(np.array(flipped))).tolist()
    assert first == second > none == 0


def test_a_table_is_the_same_in_several_processes(
    tables: CubeTables, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The corners, stopped in each kind of step and read back."""
    monkeypatch.setenv("MATHEUR_CACHE", str(tmp_path))
    monkeypatch.setattr(slices, "_WORTH", -1.0)
    found = None
    for looks in (100, 500, 1000, None):
        monkeypatch.setattr(cubes, "_builds", Builds())
        asked = count()
        budget = None if looks is None else Budget(interrupt=lambda looks=looks, asked=asked: next(asked) >= looks)
        found = build_table("corners", "quarter", budget=budget)
        assert (found is None) == (looks is not None)
    assert found is not None
    assert (found.packed == tables.corners.packed).all()


def test_tables_are_refused_or_given_up() -> None:
    """An unknown name is an error; a spent budget gives no table."""
    with pytest.raises(ConfigurationError):
        distance_table("centres", "quarter")
    with pytest.raises(ConfigurationError):
        build_perimeter("quarter", 20)
    spent = Budget(interrupt=lambda: True)
    assert build_table("corners", "half", budget=spent) is None
    assert build_perimeter("quarter", 5, budget=spent) is None


def test_perimeter_counts_and_plans(ends: Perimeter) -> None:
    """The known numbers of classes (symmetries and inverses); plans as long as the distance says."""
    stored = ends.slots[ends.slots != 0] & np.uint64(15)
    assert np.bincount(stored.astype(np.int64)).tolist() == CLASSES_WITHIN
    assert ends.classes == sum(CLASSES_WITHIN)
    rng = np.random.default_rng(2)
    for length in range(9):
        state = replay(SOLVED_STATE, rng.integers(0, 12, length).tolist())
        away = int(ends.distances(state[None])[0])
        if away < 0:
            with pytest.raises(ValueError, match="not within"):
                ends.plan(state)
        else:
            assert away <= length
            assert away % 2 == length % 2
            plan = ends.plan(state)
            assert len(plan) == away
            assert (replay(state, plan) == SOLVED_STATE).all()


def test_entries_are_lower_bounds_and_zero_at_home(tables: CubeTables, ends: Perimeter) -> None:
    """Of cubes whose distance the perimeter knows."""
    assert tables.distances(SOLVED_STATE) == (0,) * 7
    rng = np.random.default_rng(3)
    states = np.array([replay(SOLVED_STATE, rng.integers(0, 12, 6).tolist()) for _ in range(60)])
    for state, away in zip(states, ends.distances(states).tolist(), strict=True):
        assert max(tables.distances(state)) <= away


def test_deepening_finds_the_distances_of_the_perimeter(tables: CubeTables, ends: Perimeter) -> None:
    """Proved lengths of short scrambles; a limit on the length, and one on the work."""
    rng = np.random.default_rng(4)
    for length in (0, 1, 2, 4, 6, 6, 6):
        state = replay(SOLVED_STATE, rng.integers(0, 12, length).tolist())
        answer = ida_star_cube(tables, state)
        assert answer.cost == int(ends.distances(state[None])[0])
        assert answer.proved
        assert (replay(state, answer.plan) == SOLVED_STATE).all()
    far = state_of(uniform(rng).cubies)
    bounds: list[int] = []
    cut = ida_star_cube(tables, far, budget=Budget(work=50_000), on_bound=bounds.append)
    assert (cut.plan, cut.limit) == (None, "work")
    assert cut.bound == bounds[-1] >= 13
    short = ida_star_cube(tables, far, most=13)
    assert (short.plan, short.limit) == (None, None)
    assert short.bound > 13


def test_published_cubes_of_length_16(data: Path, tables: CubeTables) -> None:
    """The stored optimum of the nearest of the 1000 cubes is proved again."""
    with (data / "state_space" / "deepcubea_cube3_test.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if int(row["optimal_len_qtm"]) <= 16]
    assert rows
    for row in rows:
        answer = ida_star_cube(tables, state_of(cubies_of(row["facelets_urfdlb"])))
        assert (answer.cost, answer.proved) == (16, True)


def test_two_phase_gets_better_and_proves_short_plans(tables: CubeTables) -> None:
    """Plans shrink, replay, and are the same for the same work; a short scramble ends with a proof."""
    state = state_of(uniform(np.random.default_rng(5)).cubies)
    seen: list[int] = []
    budget = Budget(work=400_000)
    answer = two_phase(tables, state, budget=budget, on_plan=lambda plan, cost: seen.append(cost))
    assert answer.limit == "work"
    assert seen == sorted(set(seen), reverse=True)
    assert seen[-1] == answer.cost
    assert (replay(state, answer.plan) == SOLVED_STATE).all()
    again = two_phase(tables, state, budget=Budget(work=400_000))
    assert (again.plan == answer.plan).all()
    first = two_phase(tables, state, until="first")
    assert first.cost == seen[0]
    near = replay(SOLVED_STATE, [0, 6, 8, 4, 2])
    short = two_phase(tables, near)
    assert (short.cost, short.proved) == (ida_star_cube(tables, near).cost, True)
    in_group = two_phase(tables, replay(SOLVED_STATE, [0, 6, 6, 2]))
    assert (in_group.cost, in_group.proved) == (4, True)
    assert two_phase(tables, SOLVED_STATE).cost == 0


def test_an_estimate_has_the_last_word(tables: CubeTables, ends: Perimeter) -> None:
    """One that knows a way home finds it in layers of one state; its opposite does not."""
    way = [0, 3, 6, 8, 2, 11, 5, 1, 9, 7, 4, 10]
    state, back = replay(SOLVED_STATE, way), [move ^ 1 for move in reversed(way)]
    on_the_way = {replay(state, back[:number]).tobytes() for number in range(len(back))}

    def knowing(states: np.ndarray) -> np.ndarray:
        return np.array([one.tobytes() not in on_the_way for one in states], dtype=np.float32)

    near = Guide(estimate=knowing, tables=0.0, shortlist=64)
    far = Guide(estimate=lambda states: -knowing(states), tables=0.0, shortlist=64)
    found = [beam_cube(tables, ends, state, width=1, most=12, guide=one).cost for one in (near, far)]
    assert found == [12, None]
    stopped = beam_cube(tables, ends, state, width=1, guide=near, budget=Budget(interrupt=lambda: True))
    assert (stopped.plan, stopped.limit) == (None, "interrupt")


def test_beams_at_once(tables: CubeTables, ends: Perimeter) -> None:
    """Two threads find the same twice, offer falling lengths, count all work, and stop when they are asked to."""
    state = state_of(cubies_of(uniform(np.random.default_rng(4)).facelets))
    lengths: list[int] = []
    found = []
    for _ in range(2):
        budget = Budget()
        found.append(
            anytime_beam_cube(
                tables, ends, state, width=500, width_max=2000, threads=2, budget=budget,
                on_plan=lambda plan, length: lengths.append(length if replays(state, plan) else -1),
            )
        )  # fmt: skip
        assert budget.spent_work == found[-1].expanded > 0
    assert found[0].plan is not None
    assert (found[0].plan == found[1].plan).all()
    half = lengths[: len(lengths) // 2]
    assert lengths == half + half
    assert half == sorted(set(half), reverse=True)
    assert half[-1] == found[0].cost
    asked = iter([False] * 20 + [True] * 10_000)
    stopped = anytime_beam_cube(tables, ends, state, threads=2, budget=Budget(interrupt=lambda: next(asked)))
    assert stopped.limit == "interrupt"


def replays(state: np.ndarray, plan: np.ndarray) -> bool:
    """Whether the plan solves the cube."""
    return bool((replay(state, plan) == SOLVED_STATE).all())


def test_beams_find_plans_and_keep_limits(tables: CubeTables, ends: Perimeter) -> None:
    """A plan of a scramble no longer than it; the same again; no plan longer than asked for."""
    instance, scramble = generate(seed=6, moves=13)
    state = state_of(instance.cubies)
    answer = beam_cube(tables, ends, state, width=2000)
    assert answer.cost is not None
    assert answer.cost <= len(scramble)
    assert (replay(state, answer.plan) == SOLVED_STATE).all()
    assert (beam_cube(tables, ends, state, width=2000).plan == answer.plan).all()
    assert beam_cube(tables, ends, state, width=2000, most=answer.cost - 2).plan is None
    assert beam_cube(tables, ends, state, width=2000, budget=Budget(work=10)).limit == "work"
    seen: list[int] = []
    best = anytime_beam_cube(
        tables, ends, state, width=64, width_max=1024, on_plan=lambda plan, cost: seen.append(cost)
    )
    assert best.cost == seen[-1] <= len(scramble)
    assert seen == sorted(set(seen), reverse=True)
    assert beam_cube(tables, ends, SOLVED_STATE, width=1).cost == 0
    assert beam_cube(tables, ends, replay(SOLVED_STATE, [0, 4]), width=1).cost == 2


@pytest.mark.parametrize(("width", "most"), [(1, 1100), (73, 40)])
def test_long_beams_end(tables: CubeTables, width: int, most: int) -> None:
    """A beam of more layers than its table of hashes is made for ends, and takes no cube far away for a near one."""
    near = build_perimeter("quarter", 1)
    assert near is not None
    answer = beam_cube(tables, near, state_of(uniform(np.random.default_rng(0)).cubies), width=width, most=most)
    assert answer.plan is None
    assert answer.limit is None
    assert answer.expanded >= 9 * most


def test_domain_agrees_with_the_cube_searches(tables: CubeTables) -> None:
    """General searches, with and without the tables, to the solved cube and to another goal."""
    problem = Rubik(generate(seed=3, moves=6)[0])
    domain = rubik_domain(problem)
    rng = np.random.default_rng(7)
    goal = replay(SOLVED_STATE, rng.integers(0, 12, 20).tolist())
    other = domain.between(replay(goal, rng.integers(0, 12, 6).tolist()), goal)
    for one in (domain, other):
        true = bidirectional(one).cost
        for name in ("tables", "corners", "phase1", "korf"):
            heuristic = heuristic_by_name(one, name)
            assert (heuristic.admissible, heuristic.consistent) == (True, True)
            answer = astar(one, heuristic)
            assert (answer.cost, answer.proved) == (true, True), name
            assert (one.apply(one.start, answer.plan)[-1] == one.goal).all()
        own = one.ida_star("auto", budget=Budget(), memory=1 << 30)
        assert own is not None
        assert (own.cost, own.proved) == (true, True)
        assert (one.apply(one.start, own.plan)[-1] == one.goal).all()
    assert domain.ida_star("corners", budget=Budget(), memory=1 << 30) is None
    assert domain.ida_star("auto", budget=Budget(), memory=1 << 20) is None
    keys = domain.packing.pack(np.array([replay(SOLVED_STATE, rng.integers(0, 12, 30).tolist()) for _ in range(20)]))
    expected = [tables.distances(state) for state in domain.packing.unpack(keys)]
    assert heuristic_by_name(domain, "tables").estimate(keys).tolist() == [max(row) for row in expected]
    assert heuristic_by_name(domain, "table-sum").estimate(keys).tolist() == [sum(row) for row in expected]


def test_half_turns_need_only_a_small_perimeter() -> None:
    """In half turns: the known counts of classes, and expanding by all 18 moves."""
    near = build_perimeter("half", 4)
    assert near is not None
    assert np.bincount((near.slots[near.slots != 0] & np.uint64(15)).astype(np.int64)).tolist() == [1, 2, 8, 48, 509]
    problem = Rubik(generate(seed=1, moves=4, metric="half")[0])
    domain = rubik_domain(problem)
    assert bidirectional(domain).cost == int(near.distances(domain.start[None])[0])
