"""Sliding tiles: boards, the evaluator, parity, files, generator and pictures."""

from __future__ import annotations

import csv
from collections import deque
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.engine.problem_type import ProblemType
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.sliding_tile import (
    BUILTINS,
    GOALS,
    TYPE,
    Instance,
    ReadOptions,
    SlidingTile,
    generate,
    goal_tiles,
    reachable,
    read_instance,
    uniform,
    write_board,
)
from matheur.running.loading import recognise

sizes = st.tuples(st.integers(1, 5), st.integers(1, 5)).filter(lambda size: size[0] * size[1] > 1)
boards = st.builds(
    lambda size, seed, goal: Instance(
        *size, tuple(np.random.default_rng(seed).permutation(size[0] * size[1]).tolist()), goal
    ),
    sizes,
    st.integers(0, 10**6),
    st.sampled_from(GOALS),
)


@pytest.mark.parametrize(("rows", "columns"), [(1, 4), (2, 2), (4, 1), (2, 3), (3, 2)])
@pytest.mark.parametrize("goal", GOALS)
def test_parity_says_what_a_search_finds(rows: int, columns: int, goal: str) -> None:
    """All boards of up to six cells: a walk through the whole graph from the goal meets those that are reachable."""
    start = goal_tiles(rows * columns, goal)
    seen, waiting = {start}, deque([start])
    while waiting:
        tiles = waiting.popleft()
        blank = tiles.index(0)
        row, column = divmod(blank, columns)
        for r, c in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if 0 <= r < rows and 0 <= c < columns:
                other = list(tiles)
                other[blank], other[r * columns + c] = other[r * columns + c], 0
                if tuple(other) not in seen:
                    seen.add(tuple(other))
                    waiting.append(tuple(other))
    for tiles in permutations(range(rows * columns)):
        assert reachable(rows, columns, tiles, goal) == (tiles in seen)
        problem = SlidingTile(Instance(rows, columns, tiles, goal))
        assert (problem.infeasible_reason() is None) == (tiles in seen)


def test_public_plans_are_played(data: Path) -> None:
    """DeepCubeA's stored optimal plans of the 15- and 24-puzzle solve their boards in as many slides as stated."""
    for name, side in (("puzzle15", 4), ("puzzle24", 5)):
        with (data / "state_space" / f"deepcubea_{name}_test.csv").open() as file:
            for row in list(csv.DictReader(file))[:100]:
                problem = SlidingTile(Instance(side, side, tuple(map(int, row["tiles"].split()))))
                evaluation = problem.evaluate(problem.decode(row["optimal_solution"].replace(" ", "")))
                assert (evaluation.feasible, evaluation.objective) == (True, int(row["optimal_len"]))
                assert problem.trivial_bound <= evaluation.objective


def test_the_evaluator_names_what_is_wrong() -> None:
    """A slide from off the board, and tiles that are not home."""
    problem = SlidingTile(Instance(2, 2, (1, 2, 0, 3)))
    assert problem.evaluate(problem.decode("L")).feasible
    assert "right of the blank" in problem.evaluate(problem.decode("LL")).violations[0]
    assert "at the end tile" in problem.evaluate(problem.decode("D")).violations[0]
    assert not problem.evaluate(np.array([7])).feasible
    assert problem.encode(problem.decode("UDLR")) == "UDLR"
    assert problem.encode(problem.decode("udLR")) == "UDLR"
    for wrong in (["U"], "q", 3, None):
        with pytest.raises(InputError):
            problem.decode(wrong)


def test_plans_of_the_blank_are_told() -> None:
    """Letters that say where the blank goes make another plan, or none."""
    problem = SlidingTile(Instance(2, 3, (1, 2, 3, 0, 4, 5)))
    assert problem.evaluate(problem.decode("LL")).feasible
    assert "if the letters say where the blank goes" in problem.evaluate(problem.decode("RR")).violations[-1]
    assert "blank goes" not in problem.evaluate(problem.decode("R")).violations[-1]


@given(boards)
def test_files_are_read_back(one: Instance) -> None:
    """What is written is read as the same board, and recognised."""
    source = Source("board", write_board(one).encode())
    assert read_instance(source) == one
    assert TYPE.recognises(source)
    other = read_instance(source, ReadOptions("blank-first"))
    assert other.goal == "blank-first"


def test_the_goal_follows_from_parity() -> None:
    """Without a header the goal is blank-last, unless only the other one can be reached."""
    for tiles, goal in (("1 2 3\n4 5 6\n7 8 0\n", "blank-last"), ("0 1 2\n3 4 5\n6 7 8\n", "blank-last")):
        assert read_instance(Source("b", tiles.encode())).goal == goal
    first = "0 1 2 3\n4 5 6 7\n8 9 10 11\n12 13 14 15\n"
    assert read_instance(Source("b", first.encode())).goal == "blank-first"
    declared = SlidingTile(read_instance(Source("b", f"# goal: blank-last\n{first}".encode())))
    assert "parities" in (declared.infeasible_reason() or "")


def complaint(source: Source) -> str:
    """What the reader says of a file, nothing if it takes it."""
    try:
        read_instance(source)
    except InputError as error:
        return str(error)
    return ""


@given(st.binary(max_size=200) | st.text("0123456789 \n#goal:-", max_size=80).map(str.encode))
def test_any_bytes_are_a_board_or_one_clear_error(data: bytes) -> None:
    """The reader never fails otherwise, and recognition never fails at all."""
    source = Source("file", data)
    TYPE.recognises(source)
    said = complaint(source)
    assert said == "" or said.startswith("file")
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 2\n3 y\n", "b:2: not the number of a tile ('y')"),
        ("1 2\n3\n", "b:2: 1 tiles, the first row has 2"),
        ("1 2\n2 0\n", "b:2: tile 2 is there twice"),
        ("1 2\n4 0\n", "b:2: tile 4 does not belong on a board of 4 cells"),
        ("1 2\n4 3\n", "b:2: tile 4 does not belong on a board of 4 cells; they are 0 to 3. Maybe 0 for the blank?"),
        ("0\n", "b: a board has 2 cells or more"),
        ("0 1 2 3 4 5 6 7 8 9\n", "1 to 8 rows and columns"),
        ("# goal: blank-middle\n1 0\n", "b:1: unknown goal 'blank-middle'"),
        ("", "b: no rows of tiles"),
    ],
)
def test_bad_boards(text: str, words: str) -> None:
    """One line with file, line and value."""
    with pytest.raises(InputError) as caught:
        read_instance(Source("b", text.encode()))
    assert words in str(caught.value)


@given(sizes, st.integers(0, 1000), st.sampled_from(GOALS), st.integers(0, 60))
def test_generated_boards_have_their_plan(size: tuple[int, int], seed: int, goal: str, moves: int) -> None:
    """The hidden plan takes the walk back, and the board can be solved."""
    board, plan = generate(*size, seed=seed, goal=goal, moves=moves)  # type: ignore[arg-type]
    problem = SlidingTile(board)
    evaluation = problem.evaluate(np.array(plan, dtype=np.int32))
    assert evaluation.feasible
    assert evaluation.objective <= moves
    assert problem.infeasible_reason() is None


def test_uniform_boards_can_be_solved() -> None:
    """Also where a swap has to mend the parity; a single line is refused."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        assert SlidingTile(uniform(3, 4, rng, "blank-first")).infeasible_reason() is None
    with pytest.raises(ConfigurationError):
        uniform(1, 5, rng)


def test_the_port() -> None:
    """Generation by options, with its errors."""
    port: ProblemType = TYPE
    made = port.generate({"size": "3x4", "goal": "blank-first", "moves": "30"}, seed=2)
    problem = port.read(Source("g", made.instance.encode()), {})
    assert problem.evaluate(problem.decode(made.solution)).objective == made.score
    for options in ({"sise": 3}, {"size": "big"}, {"moves": "many"}, {"goal": "middle"}, {"size": 9}):
        with pytest.raises(ConfigurationError):
            port.generate(options, 0)


@pytest.mark.parametrize("name", BUILTINS)
def test_built_in_boards_have_pictures(name: str) -> None:
    """Each can be drawn in every way, alone and with a plan, an impossible one too."""
    problem = TYPE.builtin(name)
    plan = np.array([0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3], dtype=np.int32)
    for kind, head in (("svg", b"<svg"), ("html", b"<!doctype"), ("text", b"Sliding tiles")):
        assert TYPE.picture(problem, None, kind).startswith(head)
        assert TYPE.picture(problem, plan, kind).startswith(head)


def test_png_and_unknown_kinds() -> None:
    """Matplotlib draws the same; another kind is an error that helps."""
    problem = TYPE.builtin("3x3")
    assert TYPE.picture(problem, np.array([1, 2], dtype=np.int32), "png").startswith(b"\x89PNG")
    with pytest.raises(ConfigurationError, match="Maybe 'html'"):
        TYPE.picture(problem, None, "htm")


def test_plans_in_files() -> None:
    """A JSON text or plain letters; anything else is an error with its line."""
    problem = TYPE.builtin("3x3")
    for text in ('"UDLR"', "UD LR # and no more\n", "U,D\nL R", '["U", "D", "L", "R"]', '["ud", "lr"]'):
        assert problem.encode(TYPE.read_solution(problem, Source("s", text.encode()))) == "UDLR"
    with pytest.raises(InputError, match="s: a plan is a text of the letters UDLR, not list"):
        TYPE.read_solution(problem, Source("s", b'["U", 1]'))
    with pytest.raises(InputError, match=r"s:2: a move is one of"):
        TYPE.read_solution(problem, Source("s", b"UD\nx\n"))


ROWS = "1 2 3\n4 5 6\n7 0 8\n"


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3 # above\n4 5 6 // below\n7 0 8",
        "1 2 3\n4 5 6\n7 _ 8",
        "1 2 3\n4 5 6\n7 . 8",
        "1 2 3\n4 5 6\n7 x 8",
        "1,2,3\n4, 5, 6\n7;0;8",
        "[[1, 2, 3],\n [4, 5, 6],\n [7, 0, 8]]",
        "01 02 03\n04 05 06\n07 00 08",
        "|1|2|3|\r\n|4|5|6|\r\n|7|0|8|\r\n",
        "# goal: 1 2 3 4 5 6 7 8 0\n" + ROWS,
        "# GOAL = Blank_Last\n" + ROWS,
        "# goal: 1 2 3 4 5 6 7 8 _\n" + ROWS,
        "# goal: 1 2 3 / 4 5 6 / 7 8 0\n" + ROWS,
    ],
)
def test_ways_to_write_a_board(text: str) -> None:
    """They all mean the same, and nothing is assumed."""
    source = Source("b", text.encode())
    assert TYPE.recognises(source)
    problem = TYPE.read(source, {})
    assert problem.instance == Instance(3, 3, (1, 2, 3, 4, 5, 6, 7, 0, 8))
    assert problem.assumptions == ()


@pytest.mark.parametrize(
    "text",
    [
        "9 A B C\n1 2 3 4\n5 6 7 8\nD E F 0\n",
        "9,a,b,c\n1,2,3,4\n5,6,7,8\nd,e,f,_\n",
        "9abc\n1234\n5678\ndef.\n",
        "9 a b c/1 2 3 4/5 6 7 8/d e f 0",
        "# goal: blank-last\n9 A B C\n1 2 3 4\n5 6 7 8\nD E F x\n",
    ],
)
def test_letters_for_numbers_above_nine(text: str) -> None:
    """With blanks between them or not; the tile `B` is no blank."""
    source = Source("b", text.encode())
    assert TYPE.recognises(source)
    assert TYPE.read(source, {}).instance.tiles == (9, 10, 11, 12, *range(1, 9), 13, 14, 15, 0)


@pytest.mark.parametrize("size", ["3", "3 3", "3x3", "3, 3"])
@pytest.mark.parametrize("rows", [ROWS, "1 2 3 4 5 6 7 0 8"])
def test_a_size_before_the_rows_is_assumed(size: str, rows: str) -> None:
    """Then the rows may stand on one line."""
    source = Source("b", f"{size}\n{rows}".encode())
    assert TYPE.recognises(source)
    problem = TYPE.read(source, {})
    assert problem.instance == Instance(3, 3, (1, 2, 3, 4, 5, 6, 7, 0, 8))
    assert problem.assumptions == (f"line 1, '{size}', is the size",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"# gaol: blank-first\n{ROWS}", "b:1: unknown header 'gaol'. Maybe 'goal'?"),
        (f"# goal: first\n{ROWS}", "b:1: unknown goal 'first'. Maybe 'blank-first'?"),
        (f"# goal blank first\n{ROWS}", "b:1: a header without its colon. Maybe '# goal: blank first'?"),
        (f"# goal:\n{ROWS}", "b:2: rows of a goal, but no board. Maybe an empty line"),
        (ROWS.replace("3", "3 # goal: blank-first"), "b:1: a header needs a line of its own"),
        (f"# goal: 1 2 3 8 0 4 7 6 6\n{ROWS}", "b:1: a goal of 9 cells has each of 0 to 8 once ('1 2 3 8 0 4 7 6 6')"),
        (f"# goal: blank-at-9\n{ROWS}", "b:1: unknown goal 'blank-at-9'"),
        (f"{ROWS}\n# goal:\n", "b:5: a header without a value. Maybe '# goal: spiral', or the rows of the goal"),
        ("1 2 3\n4 6\n7 5 8", "b:2: 2 tiles, the first row has 3. Maybe 0 for the blank?"),
        ("1 2 3 4 5 6 7 0 8 9", "1 to 8 rows and columns (1 x 10). Maybe one line per row, or the size before them?"),
    ],
)
def test_recognised_and_refused(text: str, words: str) -> None:
    """Nothing that would change the board is a comment without a word."""
    source = Source("b", text.encode())
    assert TYPE.recognises(source)
    assert words in complaint(source)


def test_rows_of_lights_are_no_tiles() -> None:
    """`01` is not the number of a tile unless other tiles are padded as well."""
    assert TYPE.recognises(Source("b", b"01\n00\n")) == Recognition.NO
    assert TYPE.recognises(Source("b", b"01 02\n03 00\n")) == Recognition.FITS
    assert TYPE.recognises(Source("b", b"1 2 0\n5 4 3\n")) == Recognition.PROVED
    with pytest.raises(InputError, match="may be an instance of sliding-tile or lights-out"):
        recognise(Source("b", b"1 0\n"))


def test_a_goal_that_was_chosen_is_assumed() -> None:
    """Loyd's puzzle; a declared goal is kept."""
    loyd = b"1 2 3 4\n5 6 7 8\n9 10 11 12\n13 15 14 0\n"
    problem = TYPE.read(Source("b", loyd), {})
    assert problem.assumptions == ("goal blank-first, as blank-last cannot be reached",)
    assert TYPE.read(Source("b", loyd), {"goal": "blank-last"}).infeasible_reason()
    assert TYPE.read(Source("b", b"1 0 3 2\n"), {}).assumptions == ("a board of one row, 1 x 4",)


def test_a_blank_in_the_first_row_is_no_size() -> None:
    """`3 x 2` may be both; and a sign next to a 0 is no blank."""
    assert read_instance(Source("b", b"3 x 2\n1 4 5\n")).tiles == (3, 0, 2, 1, 4, 5)
    assert "not the number of a tile ('x')" in complaint(Source("b", b"1 2 3\n4 x 6\n7 8 0\n"))
