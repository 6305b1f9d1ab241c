"""Lights Out: boards, the evaluator, the algebra behind solvability, files and pictures."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.engine.problem_type import ProblemType
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.lights_out import (
    BUILTINS,
    PATTERNS,
    TYPE,
    Instance,
    LightsOut,
    ReadOptions,
    builtin,
    eliminate,
    generate,
    read_instance,
    write_board,
)
from matheur.problems.lights_out.instance import CELLS_MAX

boards = st.builds(
    lambda rows, columns, pattern, seed: Instance(
        rows, columns, tuple(np.random.default_rng(seed).integers(0, 2, rows * columns).astype(bool).tolist()), pattern
    ),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from(PATTERNS),
    st.integers(0, 10**6),
)


def solutions(one: Instance) -> list[int]:
    """Every set of presses that puts the lights out, by trying all."""
    found = []
    for presses in range(1 << one.cells):
        lights = one.lit
        for cell in range(one.cells):
            if presses >> cell & 1:
                lights ^= one.masks[cell]
        if lights == 0:
            found.append(presses)
    return found


@given(st.builds(lambda b: b, boards.filter(lambda one: one.cells <= 9)))
def test_elimination_finds_exactly_the_solutions(one: Instance) -> None:
    """All solutions differ by the kernel; where there is none, the witness shows why."""
    elimination, every = eliminate(one), solutions(one)
    found = elimination.solve(one.lit)
    witness = elimination.witness(one.lit)
    assert (found is None) == (not every)
    assert (witness is None) == bool(every)
    if found is None:
        assert witness is not None
        assert all((mask & witness).bit_count() % 2 == 0 for mask in one.masks)
        assert (one.lit & witness).bit_count() % 2 == 1
        assert "odd number" in (LightsOut(one).infeasible_reason() or "")
        return
    span = {0}
    for vector in elimination.kernel:
        span |= {vector ^ other for other in span}
    assert {found ^ vector for vector in span} == set(every)


def test_nullities_of_square_boards() -> None:
    """The dimensions of the kernels of n x n boards, as Anderson and Feil and others list them."""
    known = {4: 4, 5: 2, 9: 8, 11: 6, 14: 4, 16: 8, 17: 2, 19: 16, 23: 14, 24: 4}
    for n in range(1, 25):
        kernel = eliminate(Instance(n, n, (False,) * (n * n))).kernel
        assert len(kernel) == known.get(n, 0), n


@given(boards)
def test_files_are_read_back(one: Instance) -> None:
    """What is written is read as the same board; the reader's option changes the pattern."""
    source = Source("board", write_board(one).encode())
    assert read_instance(source) == one
    assert read_instance(source, ReadOptions("king")).pattern == "king"
    assert TYPE.recognises(source) == (Recognition.FITS if one.pattern == "plus" else Recognition.PROVED)


def complaint(source: Source) -> str:
    """What the reader says of a file, nothing if it takes it."""
    try:
        read_instance(source)
    except InputError as error:
        return str(error)
    return ""


@given(st.binary(max_size=200) | st.text("01 #\npattern:king", max_size=80).map(str.encode))
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
        ("01\n0x\n", "file:2: a row has only 0 and 1 ('x')"),
        ("010\n01\n", "file:2: 2 lights, the first row has 3"),
        ("\n# nothing\n", "file: no rows of lights"),
        ("# pattern: kong\n01\n10\n", "file:1: unknown pattern 'kong'. Maybe 'king'?"),
        ("# states: 3\n11\n13", "file:3: a row has only numbers from 0 to 2 ('3'). Maybe '# states: 4'?"),
        ("# states: 3\n" + ("01" * 20 + "\n") * 40, "more than two states have up to 1024 cells (40 x 40)"),
        ("01" * (CELLS_MAX + 1) + "\n", "cells"),
    ],
)
def test_bad_boards(text: str, words: str) -> None:
    """One line with file, line and value."""
    with pytest.raises(InputError) as caught:
        read_instance(Source("file", text.encode()))
    assert words in str(caught.value)


def test_the_evaluator_presses_one_by_one() -> None:
    """The order does not matter, two presses of a cell cancel, and what is wrong is named."""
    problem = LightsOut(Instance(2, 2, (True, True, True, False)))
    assert problem.evaluate(np.array([0])).feasible
    assert problem.evaluate(np.array([0, 3, 3])).objective == 3
    assert problem.evaluate(np.array([0, 3, 3])).feasible
    assert "lights are on" in problem.evaluate(np.array([1])).violations[0]
    assert "no cell 9" in problem.evaluate(np.array([9])).violations[0]
    assert problem.encode(np.array([0, 3])) == [0, 3]
    for wrong in ("0", [4], [-1], [0.5], [True], None):
        with pytest.raises(InputError):
            problem.decode(wrong)


@pytest.mark.parametrize("size", ["3", "2x5", 4])
def test_generated_boards_have_their_solution(size: str | int) -> None:
    """The hidden presses solve the board that the text describes."""
    port: ProblemType = TYPE
    made = port.generate({"size": size, "pattern": "king"}, seed=7)
    problem = port.read(Source("g", made.instance.encode()), {})
    evaluation = problem.evaluate(problem.decode(made.solution))
    assert (evaluation.feasible, evaluation.objective) == (True, made.score)
    with pytest.raises(ConfigurationError, match="unknown option"):
        port.generate({"sise": 3}, 0)
    with pytest.raises(ConfigurationError):
        generate(0, 3, seed=1)


@pytest.mark.parametrize("name", BUILTINS)
def test_built_in_boards_have_pictures(name: str) -> None:
    """Each can be drawn in every way, alone and with presses, wrong ones too."""
    problem = TYPE.builtin(name)
    assert problem.instance == builtin(name)
    for kind, head in (("svg", b"<svg"), ("html", b"<!doctype"), ("text", b"Lights Out")):
        assert TYPE.picture(problem, None, kind).startswith(head)
        assert TYPE.picture(problem, np.array([0, 1], dtype=np.int32), kind).startswith(head)


def test_png_and_unknown_kinds() -> None:
    """Matplotlib draws the same; another kind is an error that helps."""
    problem = TYPE.builtin("demo")
    assert TYPE.picture(problem, np.array([3], dtype=np.int32), "png").startswith(b"\x89PNG")
    with pytest.raises(ConfigurationError, match="Maybe 'svg'"):
        TYPE.picture(problem, None, "svgg")


def test_titles_are_escaped() -> None:
    """A title cannot become markup."""
    problem = LightsOut(Instance(2, 2, (True,) * 4, title="<script>alert(1)</script>"))
    for kind in ("svg", "html"):
        assert b"<script>alert" not in TYPE.picture(problem, None, kind)


def test_presses_in_files() -> None:
    """A JSON list or plain numbers; anything else is an error with its line."""
    problem = TYPE.builtin("demo")
    for text in ("[1, 2, 3]", "1 2\n3 # and no more\n", "1,2;3"):
        assert TYPE.read_solution(problem, Source("s", text.encode())).tolist() == [1, 2, 3]
    with pytest.raises(InputError, match=r"s:2: not a cell \('x'\)"):
        TYPE.read_solution(problem, Source("s", b"1\nx\n"))


def test_public_boards_have_unique_solutions(data: Path) -> None:
    """The 500 boards of DeepCubeA: the presses of the data folder are the only ones."""
    with (data / "state_space" / "deepcubea_lightsout7_test.csv").open() as file:
        for row in csv.DictReader(file):
            one = Instance(7, 7, tuple(light == "1" for light in row["lights"]))
            presses = eliminate(one).solve(one.lit)
            assert presses == sum(1 << cell for cell, press in enumerate(row["optimal_presses"]) if press == "1")
    assert eliminate(one).kernel == ()


def test_the_trivial_bound_is_one() -> None:
    """On boards of up to nine cells it is never more than the fewest presses."""
    for seed in range(30):
        one = generate(3, 3, seed=seed, pattern="king" if seed % 2 else "plus")[0]
        fewest = next(k for k in range(10) for c in combinations(range(9), k) if _solves(one, c))
        assert LightsOut(one).trivial_bound <= fewest
    json.dumps(LightsOut(one).encode(np.array([1])))


def _solves(one: Instance, cells: tuple[int, ...]) -> bool:
    return LightsOut(one).evaluate(np.array(cells, dtype=np.int32)).feasible


def read(text: str) -> tuple[str, str, tuple[str, ...]]:
    """Lights by row and pattern, and what was assumed."""
    problem = TYPE.read(Source("file", text.encode()), {})
    one = problem.instance
    rows = write_board(one).split("\n")[one.pattern != "plus" : -1]
    return "/".join(rows), one.pattern, problem.assumptions


@pytest.mark.parametrize(
    ("text", "rows", "pattern"),
    [
        ("1", "1", "plus"),
        ("1 0 1", "101", "plus"),
        ("0\n1", "0/1", "plus"),
        ("0,1,1\n1,0,1", "011/101", "plus"),
        ("[0, 1]\n[1, 1]", "01/11", "plus"),
        ("01 // first\n10 # second", "01/10", "plus"),
        ("# Pattern = King\n01\n\n10\n\n11", "01/10/11", "king"),
    ],
)
def test_ways_to_write_rows(text: str, rows: str, pattern: str) -> None:
    """Any rectangle, with comments, and nothing assumed."""
    assert read(text) == (rows, pattern, ())


@pytest.mark.parametrize(
    ("text", "rows", "assumed"),
    [
        (".#.\n###\n.#.", "010/111/010", "'#' is a light that is on, '.' one that is off"),
        ("-X\nXX", "01/11", "'X' is a light that is on, '-' one that is off"),
        ("□■\n■■", "01/11", "'■' is a light that is on, '□' one that is off"),
        ("o..\n..o", "100/001", "'o' is a light that is on, '.' one that is off"),
        ("2 3\n010\n111", "010/111", "line 1, '2 3', is the size"),
        ("3\n010\n111\n010", "010/111/010", "line 1, '3', is the size"),
    ],
)
def test_other_signs_and_a_size_are_assumed(text: str, rows: str, assumed: str) -> None:
    """Where they leave no doubt; a row of walls is no comment."""
    assert TYPE.recognises(Source("file", text.encode()))
    assert read(text) == (rows, "plus", (assumed,))


@pytest.mark.parametrize(
    ("text", "rows", "noted"),
    [
        ("010/111/010", "010111010", ""),
        ("0 1;1 1", "0111", ""),
        ("|010|111|", "010111", ""),
        ("((0, 1, 0), (1, 1, 1))", "010111", ""),
        ("[[0 1 0] [1 1 1]]", "010111", ""),
        ("x../.x.", "100010", "'x' is a light that is on"),
        ("0101 1010", "01011010", "line 1 has 2 rows of 4 lights"),
        ("# states: 12\n11 0 3/2 10 5", "[11, 0, 3, 2, 10, 5]", ""),
    ],
)
def test_rows_on_one_line(text: str, rows: str, noted: str) -> None:
    """Between slashes, bars, semicolons or brackets; between blanks only, it is said. They were one row."""
    source = Source("b", text.encode())
    one = read_instance(source)
    assert one.lights == tuple(json.loads(rows) if rows[0] == "[" else map(int, rows))
    assert one.rows == (3 if len(rows) == 9 else 2)
    assert any(noted in phrase for phrase in source.assumed) == bool(source.assumed)
    for single in ("0|1|1", "0 1 1", "0; 1; 1", "[0, 1, 1]", "011"):
        assert read_instance(Source("b", single.encode())).rows == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# pattern: kong\n11\n10", "file:1: unknown pattern 'kong'. Maybe 'king'?"),
        ("# edges: toro\n11\n10", "file:1: unknown edges 'toro'. Maybe 'torus'?"),
        ("# edges torus\n11\n10", "file:1: a header without its colon. Maybe '# edges: torus'?"),
        ("# pattern: 11/11\n11\n10", "file:1: a pattern has an odd number of rows and columns"),
        ("# pattern: x\n11\n10", "file:1: unknown pattern 'x'. Maybe rows such as 'x.x/.x./x.x'?"),
        ("# pattern: 020\n11\n10", "file:1: a row has only 0 and 1 ('2'). Maybe '# states: N'"),
        ("# pattern: ...\n11\n10", "file:1: a press of the pattern '...' changes nothing"),
        ("# pattern:\n\n# states: 3\n11\n10", "file:1: a header without a value. Maybe '# pattern: ...', or rows"),
        ("# states: 1\n11\n10", "file:1: a light has 2 to 256 states ('1')"),
        ("# target: 11/1\n11\n10", "file:1: row 2 of the target has 1 cells, the first one has 2"),
        ("# target: 111\n11\n10", "file:1: 2 x 2 cells, but a target of 3 lights"),
        ("# target: onn\n11\n10", "file:1: unknown target 'onn'. Maybe 'on'?"),
        (
            "# states: 3\n# target: on\n11\n10",
            "file:2: a target 'on' of lights with 3 states. Maybe a number from 1 to 2?",
        ),
        ('{"lights": [[0, 2]]}', "file: lights of 2 states are 0 to 1 ('2')"),
        ('{"lights": [0, 1], "buttons": [[2]]}', "file: button 0: there is no light 2; they are 0 to 1"),
        ('{"lights": [0, 1], "buttons": [[0]], "pattern": "king"}', "file: 'buttons' sets what a press changes"),
        ('{"lights": [0, 1], "neighbours": [[0]]}', "file: 2 lights, but neighbours of 1"),
        ('{"lights": [0, 1], "states": 2, "modulo": 2}', "file: two keys for the states ('modulo')"),
        ('{"lights": [0, 1], "statse": 2}', "file: unknown key 'statse'. Maybe 'states'?"),
        ("# pattren: king\n11\n10", "file:1: unknown header 'pattren'. Maybe 'pattern'?"),
        ("# pattern king\n11\n10", "file:1: a header without its colon. Maybe '# pattern: king'?"),
        ("11 # pattern: king\n10", "file:1: a header needs a line of its own ('# pattern: king')"),
        ("01\n10\n\n11\n11", "file:4: rows after an empty line. Maybe a separate file for each board?"),
        ("# pattern: king\nXO\nOX", "file:2: a row has only 0 and 1 ('X'). Maybe 1 for a light that is on"),
        ("# states: 2\n0 1\n0 2", "file:3: a row has only 0 and 1 ('2'). Maybe '# states: 3'?"),
        ("# edges: torus\n01\n10\n0", "file:4: 1 lights, the first row has 2"),
        ("# target: on\n01\nx0", "file:3: a row has only 0 and 1 ('x')"),
        ("# pattern: king\n01\n0\x1b", "file:3: a row has only 0 and 1 ('\\x1b')"),
    ],
)
def test_recognised_and_refused(text: str, words: str) -> None:
    """Nothing that would change the board is a comment without a word."""
    source = Source("file", text.encode())
    assert TYPE.recognises(source)
    assert words in complaint(source)


def test_a_word_in_a_comment_of_another_file_claims_nothing() -> None:
    """A header proves the kind with a value that exists; with another one the rows have to fit."""
    for word in ("pattern: random", "edges: 2", "target: 4 vertices"):
        assert TYPE.recognises(Source("f", f"# {word}\n1 2\n2 3\n".encode())) == Recognition.NO
    assert TYPE.recognises(Source("f", b"# target: on\nR U\n")) == Recognition.NO
    assert TYPE.recognises(Source("f", b"# pattern: king\n1 2\n2 3\n")) == Recognition.PROVED
    assert TYPE.recognises(Source("f", b"# pattern: torus\n11\n01\n")) == Recognition.PROVED


def test_a_file_holds_one_board() -> None:
    """`FILE#2` is an error, `FILE#1` is not."""
    assert read_instance(Source("f", b"01", 1)).columns == 2
    with pytest.raises(InputError, match="a file holds one board, there is no number 2"):
        read_instance(Source("f", b"01", 2))


def test_presses_drawn_as_rows_are_no_cells() -> None:
    """Rows of zeros and ones would be other cells."""
    with pytest.raises(InputError, match=r"s:1: not a cell \('010'\)\. Maybe the numbers of the cells"):
        TYPE.read_solution(TYPE.builtin("demo"), Source("s", b"010\n111\n"))


@pytest.mark.parametrize("text", ["010\n000", "0 1 0\n0 0 0", ".x. / ...", "[[0, 1, 0], [0, 0, 0]]", '["010", "000"]'])
def test_presses_drawn_in_the_shape_of_the_board(text: str) -> None:
    """They say how often each cell is pressed, with zeros and ones as much as with lists."""
    problem = TYPE.read(Source("b", b"111\n010"))
    plan = TYPE.read_solution(problem, Source("s", text.encode()))
    assert plan.tolist() == [1]
    assert problem.evaluate(plan).feasible


def test_presses_drawn_say_how_often() -> None:
    """With more states up to one less; on a single row numbers are cells."""
    problem = TYPE.read(Source("b", b"# states: 3\n00\n00"))
    assert TYPE.read_solution(problem, Source("s", b"02\n10")).tolist() == [1, 1, 2]
    with pytest.raises(InputError, match="not a cell"):
        TYPE.read_solution(problem, Source("s", b"03\n10"))
    row = TYPE.read(Source("b", b"111"))
    assert TYPE.read_solution(row, Source("s", b"0 1 0")).tolist() == [0, 1, 0]
