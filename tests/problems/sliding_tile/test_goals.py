"""Any goal: plans, bounds and parities against a breadth-first search from the goal."""

from __future__ import annotations

import random

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.methods.statespace import astar, heuristic_by_name
from matheur.problems.sliding_tile import TYPE, Instance, SlidingTile, goal_tiles
from matheur.problems.sliding_tile.domain import sliding_tile_domain
from matheur.problems.sliding_tile.instance import goal_of, spiral_tiles
from matheur.problems.sliding_tile.operators.guided_beam import GuidedBeam
from matheur.problems.sliding_tile.operators.guided_window import GuidedWindow
from matheur.problems.sliding_tile.operators.rule_based import RuleBased, solve_by_rules
from matheur.problems.sliding_tile.solvability import reachable


def test_equal_boards_have_equal_fingerprints() -> None:
    """Whatever the type of their numbers; halves are no tiles."""
    boards = [Instance(2, 2, tiles) for tiles in ((1, 2, 3, 0), [1, 2, 3, 0], np.array([1, 2, 3, 0]))]  # type: ignore[arg-type]
    assert len({SlidingTile(board).fingerprint for board in boards}) == len(set(boards)) == 1
    with pytest.raises(InputError, match=r"tile 1\.5 does not belong"):
        Instance(2, 2, (1.5, 2, 3, 0))  # type: ignore[arg-type]


@pytest.mark.parametrize("goal", ["blank first", "Blank-First", "blank_first", "spiral", "blank at 4"])
def test_names_of_goals_in_any_spelling(goal: str) -> None:
    """In a header, behind `goal:` in front of the board or after it, and in JSON."""
    rows = "1 2 3\n4 5 6\n7 8 0\n"
    texts = [f"# goal: {goal}\n{rows}", f"goal: {goal}\n{rows}", f"{rows}goal: {goal}\n",
             f'{{"tiles": [[1, 2, 3], [4, 5, 6], [7, 8, 0]], "goal": "{goal}"}}']  # fmt: skip
    found = {TYPE.read(Source("b.txt", text.encode())).instance for text in texts}
    assert len(found) == 1
    assert all(TYPE.recognises(Source("b.txt", text.encode())) for text in texts)


def distances(rows: int, columns: int, goal: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Slides of every board from which the goal can be reached, on the definition."""
    found, layer, depth = {goal: 0}, [goal], 0
    while layer:
        following, depth = [], depth + 1
        for board in layer:
            blank = board.index(0)
            row, column = divmod(blank, columns)
            for r, c in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
                if 0 <= r < rows and 0 <= c < columns:
                    other = list(board)
                    other[blank], other[r * columns + c] = other[r * columns + c], 0
                    if tuple(other) not in found:
                        found[tuple(other)] = depth
                        following.append(tuple(other))
        layer = following
    return found


def goals(rows: int, columns: int, count: int) -> list[tuple[int, ...]]:
    """The spiral, and random arrangements."""
    roll = random.Random(rows * columns)
    return [spiral_tiles(rows, columns)] + [
        tuple(roll.sample(range(rows * columns), rows * columns)) for _ in range(count)
    ]


@pytest.mark.parametrize(("rows", "columns", "count"), [(2, 3, 5), (1, 4, 2), (3, 3, 2)])
def test_every_operator_reaches_any_goal(rows: int, columns: int, count: int) -> None:
    """With the fewest slides where that is claimed; plans of the rules are valid, reasons say what is out of reach."""
    roll = random.Random(5)
    for goal in goals(rows, columns, count):
        known = distances(rows, columns, goal)
        for _ in range(3):
            board = Instance(rows, columns, tuple(roll.sample(range(rows * columns), rows * columns)), goal_of(goal))
            problem = SlidingTile(board)
            assert reachable(rows, columns, board.tiles, board.goal) == (board.tiles in known)
            assert (problem.infeasible_reason() is None) == (board.tiles in known)
        starts = roll.sample(sorted(known), min(4, len(known)))
        for start in starts:
            problem = SlidingTile(Instance(rows, columns, start, " ".join(map(str, goal))))
            fewest, budget = known[start], Budget(work=50_000)
            assert problem.trivial_bound <= fewest
            assert problem.evaluate(solve_by_rules(problem.instance)).feasible
            domain = sliding_tile_domain(problem)
            for name in domain.heuristics():
                answer = astar(domain, heuristic_by_name(domain, name))
                assert answer.cost == fewest, (goal, start, name)
                assert fewest == 0 or problem.evaluate(answer.plan).feasible
            exact = domain.ida_star("auto", budget=Budget(), memory=1 << 30)
            assert exact is None or exact.cost == fewest
            outcome = GuidedBeam(nodes=0, width=200, width_max=200).build(problem, budget, np.random.default_rng(0))
            assert problem.evaluate(outcome.solution).feasible
            assert (outcome.bound or 0) <= fewest <= outcome.objective
            if fewest > 4:
                plan = RuleBased().build(problem, Budget(), np.random.default_rng(0)).solution
                better = GuidedWindow(length=4, iterations=5).explore(problem, plan, Budget(), np.random.default_rng(0))
                assert better.solution is None or problem.evaluate(better.solution).feasible


def test_large_boards_with_a_blank_in_the_middle() -> None:
    """The spiral of the 15-puzzle: two exact engines agree, and beams with the tables of the usual goal find plans."""
    goal = spiral_tiles(4, 4)
    assert goal == (1, 2, 3, 4, 12, 13, 14, 5, 11, 0, 15, 6, 10, 9, 8, 7)
    made = TYPE.generate({"size": 4, "goal": "spiral", "moves": 60}, 1)
    problem = TYPE.read(Source("g", made.instance.encode()))
    assert problem.instance.target == goal
    assert problem.evaluate(problem.decode(made.solution)).feasible
    domain = sliding_tile_domain(problem)
    exact = domain.ida_star("auto", budget=Budget(), memory=1 << 30)
    assert exact.cost == astar(domain, heuristic_by_name(domain, "linear-conflict")).cost
    outcome = GuidedBeam(patterns="4", width=2000, width_max=2000).build(problem, Budget(), np.random.default_rng(0))
    assert problem.evaluate(outcome.solution).feasible
    assert outcome.bound <= exact.cost <= outcome.objective <= exact.cost + 4


START = (1, 2, 3, 4, 0, 6, 7, 5, 8)
SNAIL = (1, 2, 3, 8, 0, 4, 7, 6, 5)
WRITTEN = {
    "1 2 3\n4 x 6\n7 5 8": 0, "1,2,3\n4,,6\n7,5,8": 0, "1 2 3\n4   6\n7 5 8": 0, "01 02 03\n04 00 06\n07 05 08": 0,
    "1\t2\t3\n4\t.\t6\n7\t5\t8": 0, "123\n406\n758": 0, "123406758": 1, "1 2 3 4 0 6 7 5 8": 1,
    "[[1,2,3],[4,0,6],[7,5,8]]": 0, "np.array([[1, 2, 3],\n [4, -1, 6],\n [7, 5, 8]])": 0, "1 2 3/4 _ 6/7 5 8": 0,
    "((1,2,3),(4,None,6),(7,5,8))": 0, "[['1','2','3'],['4',' ','6'],['7','5','8']]": 0, "3\n1 2 3 4 0 6 7 5 8": 1,
    "size: 3x3\n1 2 3\n4 0 6\n7 5 8": 1,
    "+---+---+---+\n| 1 | 2 | 3 |\n+---+---+---+\n| 4 |   | 6 |\n+---+---+---+\n| 7 | 5 | 8 |\n+---+---+---+": 0,
    "1 2 3\n4 empty 6\n7 5 8": 0, '{"tiles": [[1, 2, 3], [4, null, 6], [7, 5, 8]]}': 0,
}  # fmt: skip
"""The same board, and how many notes its reading makes."""

GOALS_WRITTEN = [
    "# goal: 1 2 3 8 0 4 7 6 5\nROWS", "# goal: 123/8x4/765\nROWS", "# goal: snail\nROWS", "# Goal = Spiral\nROWS",
    "# goal:\n1 2 3\n8 0 4\n7 6 5\n\nROWS", "ROWS\n# goal:\n1 2 3\n8 _ 4\n7 6 5\n",
    "start:\nROWS\ngoal:\n1 2 3\n8 0 4\n7 6 5", "Initial state:\nROWS\nGoal state:\n1 2 3\n8 0 4\n7 6 5",
    "ROWS\n\n1 2 3\n8 0 4\n7 6 5",
]  # fmt: skip


def test_rows_and_goals_are_read_as_people_write_them() -> None:
    """Blanks of all kinds, brackets, frames, digits; and the goal in a header, below it, or as a second board."""
    for text, notes in WRITTEN.items():
        source = Source("b", text.encode())
        assert TYPE.recognises(source), text
        problem = TYPE.read(source)
        assert (problem.instance.tiles, problem.instance.goal) == (START, "blank-last"), text
        assert len(problem.assumptions) == notes, (text, problem.assumptions)
        given = {"goal": "1 2 3/8 0 4/7 6 5"}
        assert TYPE.read(Source("b", text.encode()), given).instance.target == SNAIL
    for text in GOALS_WRITTEN:
        source = Source("b", text.replace("ROWS", "1 2 3\n4 0 6\n7 5 8").encode())
        assert TYPE.recognises(source), text
        problem = TYPE.read(source)
        assert (problem.instance.tiles, problem.instance.target) == (START, SNAIL), text
    assert problem.assumptions == ("the second board, from line 5, is the goal",)


@pytest.mark.parametrize(
    ("text", "tiles"),
    [
        (" 1  2  3  4\n 5  6  7  8\n 9 10    11\n13 14 15 12", (*range(1, 11), 0, 11, 13, 14, 15, 12)),
        (" 1  2  3  4\n    5  6  7\n 8  9 10 11\n12 13 14 15", (1, 2, 3, 4, 0, *range(5, 16))),
        ("    9  2  3\n 4  5  6  7\n 8  1 10 11", (0, 9, 2, 3, 4, 5, 6, 7, 8, 1, 10, 11)),
        ("start:\n  1  2\n     3\ngoal:\n  1  2\n  3  0", (1, 2, 0, 3)),
    ],
)
def test_a_gap_is_found_below_the_columns_of_other_rows(text: str, tiles: tuple[int, ...]) -> None:
    """Also where numbers of one and two digits end in the same columns, and where it is the first of its row."""
    assert TYPE.read(Source("b", text.encode())).instance.tiles == tiles


def test_boards_in_json_have_the_size_that_they_say() -> None:
    """A list of tiles with rows or columns next to it; a size that does not fit, and other keys, are errors."""
    for text, size in (
        ('{"tiles": [1, 2, 3, 4, 0, 5], "rows": 2, "columns": 3}', (2, 3)),
        ('{"tiles": [1, 2, 3, 4, 0, 5], "width": 2}', (3, 2)),
        ('{"tiles": [[1, 2, 3], [4, 0, 5]], "height": 2}', (2, 3)),
    ):
        one = TYPE.read(Source("b", text.encode())).instance
        assert ((one.rows, one.columns), one.tiles) == (size, (1, 2, 3, 4, 0, 5))
    for text, words in (
        ('{"tiles": [1, 2, 3, 4, 0, 5], "rows": 4}', "6 tiles do not make a board of this size"),
        ('{"tiles": [[1, 2, 3], [4, 0, 5]], "columns": 2}', "6 tiles do not make a board of this size"),
        ('{"tiles": [1, 2, 3, 4, 0, 5], "rows": "2"}', "1 to 8 rows and columns"),
        ('{"tiles": [1, 2, 3, 4, 0, 5], "width": 0}', "1 to 8 rows and columns"),
        ('{"tiles": [1, 0, 2, 3], "gaol": "spiral"}', "unknown key 'gaol'. Maybe 'goal'"),
    ):
        source = Source("b", text.encode())
        assert TYPE.recognises(source)
        with pytest.raises(InputError, match=words):
            TYPE.read(source)


def test_goals_by_option() -> None:
    """By name, by tiles or in lists, for files and built-in boards; what is no goal is an error with a hint."""
    rows = Source("b", b"1 2 3\n4 0 6\n7 5 8")
    for given in ("spiral", "1 2 3 8 0 4 7 6 5", "123804765", 123804765, [[1, 2, 3], [8, 0, 4], [7, 6, 5]]):
        assert TYPE.read(rows, {"goal": given}).instance.target == SNAIL
    assert TYPE.read(rows, {"goal": "blank-at-4"}).instance.target == goal_tiles(9, "blank-at-4")
    board = TYPE.builtin("3x3", {"goal": "1 2 3 4 5 6 7 8 0"}).instance
    assert (board.goal, TYPE.builtin("3x3").instance.goal) == ("blank-last", "blank-last")
    for given, words in (("spirl", "Maybe 'spiral'"), ("1 2 3", "each of 0 to 8 once"), ("blank-at-9", "unknown goal")):
        with pytest.raises((ConfigurationError, InputError), match=words):
            TYPE.read(rows, {"goal": given})
        with pytest.raises(ConfigurationError, match=words):
            TYPE.generate({"size": 3, "goal": given}, 0)
