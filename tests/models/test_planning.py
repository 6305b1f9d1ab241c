"""The time-expanded model of moving pieces."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from matheur.models.planning import PlanModel, Relocation, build
from matheur.solvers import MilpSolution, MilpStatus, SolveRequest, get_backend


def faces(d: int, k: int) -> tuple[tuple[int, ...], ...]:
    """Vertices of the k-faces of the d-cube, found by comparing vertices."""
    found = set()
    for fixed in combinations(range(d), d - k):
        for corner in range(2**d):
            found.add(tuple(v for v in range(2**d) if all((v ^ corner) >> i & 1 == 0 for i in fixed)))
    return tuple(sorted(found))


def grid(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """Pairs of neighbouring cells."""
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    return tuple(
        (r * columns + c, s * columns + e) for r, c in cells for s, e in ((r, c + 1), (r + 1, c)) if (s, e) in cells
    )


def shortest(one: Relocation) -> int | None:
    """Breadth-first search on the definition."""
    away, queue = {one.start: 0}, [one.start]
    for places in queue:
        if places == one.goal:
            return away[places]
        for piece, vertex in enumerate(places):
            others = places[:piece] + places[piece + 1 :]
            for region in one.regions:
                if vertex in region and not set(region) & set(others):
                    for there in region:
                        after = (*places[:piece], there, *places[piece + 1 :])
                        if after not in away:
                            away[after] = away[places] + 1
                            queue.append(after)
    return None


def solve(built: PlanModel, backend: str = "highs") -> MilpSolution:
    """To the end."""
    return get_backend(backend).solve(built.model, SolveRequest(absolute_gap=0.999))


def check(built: PlanModel, answer: MilpSolution) -> None:
    """The moves read back lead from start to goal by the definition, as many as the objective says."""
    one = built.relocation
    places, moves = list(one.start), built.read(answer.values)
    assert len(moves) == round(answer.objective or 0)
    for piece, here, there in moves:
        assert places[piece] == here
        others = set(places) - {here}
        assert any(here in region and there in region and not others & set(region) for region in one.regions)
        places[piece] = there
    assert tuple(places) == one.goal


@pytest.mark.parametrize("backend", ["highs", "scip"])
@pytest.mark.parametrize(
    ("d", "k", "start", "goal"),
    [
        (2, 1, (0, 1), (1, 0)),
        (3, 1, (6, 4, 5, 1), (4, 1, 5, 6)),
        (3, 2, (6, 1, 4), (1, 4, 6)),
        (3, 2, (0, 3, 5, 6), (3, 0, 5, 6)),
        (4, 2, (4, 7), (7, 4)),
    ],
)
def test_the_optimum_is_that_of_breadth_first_search(
    backend: str, d: int, k: int, start: tuple[int, ...], goal: tuple[int, ...]
) -> None:
    """With steps to spare the model finds the optimum; with one step less than that it is infeasible."""
    one = Relocation(2**d, faces(d, k), start, goal)
    best = shortest(one)
    if best is None:
        assert solve(build(one, 6), backend).status is MilpStatus.INFEASIBLE
        return
    built = build(one, best + 1)
    answer = solve(built, backend)
    assert answer.status is MilpStatus.OPTIMAL
    assert round(answer.objective or 0) == best
    check(built, answer)
    if best > max(1, one.moves_min):
        assert solve(build(one, best - 1), backend).status is MilpStatus.INFEASIBLE


@settings(max_examples=15)
@example([5, 0, 2, 3, 4, 1], 2)  # the presolve of HiGHS 1.16.0 fails on it
@given(st.permutations(range(6)), st.integers(1, 4))
def test_sliding_tiles(order: list[int], tiles: int) -> None:
    """Tiles on a grid are pieces, pairs of neighbouring cells are regions."""
    goal = tuple(range(tiles))
    one = Relocation(6, grid(2, 3), tuple(order[:tiles]), goal)
    best = shortest(one)
    if best in (None, 0) or (best or 0) > 9:
        return
    built = build(one, best or 0)
    answer = solve(built)
    assert round(answer.objective or 0) == best
    check(built, answer)


def test_variables_that_cannot_matter_are_left_out() -> None:
    """A horizon of as few moves as possible leaves each piece on shortest ways; more steps leave more places."""
    one = Relocation(8, faces(3, 1), (0, 7), (3, 7))
    assert one.moves_min == 2
    tight, loose = build(one, 2), build(one, 4)
    standing = {(v, t) for p, v, t in tight.model.x if p == 0}
    assert standing == {(0, 0), (0, 1), (0, 2), (1, 1), (2, 1), (3, 0), (3, 1), (3, 2)} - {
        (3, 0),
        (0, 2),
        (0, 1),
        (3, 1),
    }
    assert len(loose.model.x) > len(tight.model.x)
    assert not [key for key in tight.leaving if key[0] == 1]


def test_impossible_horizons_are_refused() -> None:
    """Fewer steps than moves needed are an error, not a model."""
    one = Relocation(8, faces(3, 1), (0, 7), (3, 7))
    with pytest.raises(ValueError, match="at most 1 moves; 2 are needed"):
        build(one, 1)
    with pytest.raises(ValueError, match="at most 0"):
        build(Relocation(8, faces(3, 1), (0,), (0,)), 0)


@pytest.mark.parametrize(
    ("start", "goal", "message"),
    [((0, 0), (1, 2), "different"), ((0, 8), (1, 2), "0 to 7"), ((0,), (1, 2), "1 pieces start, 2 have a goal")],
)
def test_wrong_data_are_refused(start: tuple[int, ...], goal: tuple[int, ...], message: str) -> None:
    """Pieces need places of their own that exist."""
    with pytest.raises(ValueError, match=message):
        Relocation(8, faces(3, 1), start, goal)
