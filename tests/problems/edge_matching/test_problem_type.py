"""Edge matching through the port that the command line uses."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from matheur.engine.problem_type import ProblemType
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.edge_matching import TYPE, Hint, load


def test_the_type_follows_the_port() -> None:
    """A type checker and this assignment agree that the port is implemented."""
    port: ProblemType = TYPE
    assert port.name == "edge-matching"
    assert port.summary


def test_generated_files_are_read_back_with_their_solution() -> None:
    """The text of a generated puzzle reads as such, and its hidden solution is perfect."""
    generated = TYPE.generate({"size": "4x7", "frame_colours": 3, "inner_colours": "6"}, seed=5)
    source = Source("generated", generated.instance.encode())
    assert TYPE.recognises(source)
    problem = TYPE.read(source, {})
    assert (problem.instance.rows, problem.instance.columns) == (4, 7)
    evaluation = problem.evaluate(problem.decode(generated.solution))
    assert (evaluation.objective, evaluation.feasible) == (0, True)
    assert problem.score(evaluation.objective) == generated.score == 45


@pytest.mark.parametrize(("size", "cells"), [(None, 64), ("5", 25), (5, 25), ("3X2", 6), ("2,3", 6)])
def test_sizes(size, cells: int) -> None:
    """One number is a square; without a size the board is 8 x 8."""
    assert len(TYPE.generate({"size": size}, seed=1).solution) == cells


@pytest.mark.parametrize(
    ("options", "seed", "words"),
    [
        ({"size": "big"}, 0, "size must be"),
        ({"size": "0x5"}, 0, "1 to 4096 cells"),
        ({"sizes": "4"}, 0, "Maybe 'size'"),
        ({"frame_colours": "few"}, 0, "frame_colours must be a whole number"),
        ({"unique": "no"}, 0, "unique must be"),
        ({}, -1, "seed must be"),
    ],
)
def test_bad_generator_options(options: dict, seed: int, words: str) -> None:
    """Wrong options name themselves."""
    with pytest.raises(ConfigurationError, match=words):
        TYPE.generate(options, seed)


def test_builtins_take_hints() -> None:
    """Hints may be added to a built-in puzzle; other reader options make no sense there."""
    hinted = TYPE.builtin("3x3", {"hints": [(1, 1, 9, None)], "sides": None})
    assert hinted.instance.hints == (Hint(4, 8),)
    assert TYPE.builtin("demo").score_max == 112
    with pytest.raises(ConfigurationError, match="needs no sides"):
        TYPE.builtin("demo", {"sides": "dlur"})
    with pytest.raises(InputError, match="no built-in instance"):
        TYPE.builtin("0x0")


def test_solutions_and_pictures_pass_through() -> None:
    """The port reads boards and draws."""
    problem = TYPE.builtin("3x3")
    board = TYPE.read_solution(problem, Source("b", b"[null,null,null,null,[9,0],null,null,null,null]"))
    assert board[4] == 32
    assert TYPE.picture(problem, board, "png").startswith(b"\x89PNG")


def test_load_takes_paths_urls_and_sources(tmp_path) -> None:
    """A path, a URL and bytes give the same puzzle; a missing file is an input error."""
    file = tmp_path / "two.txt"
    file.write_text("1 2\n0 1 0 0\n0 0 0 1\n")
    url = "https://e2.bucas.name/#board_w=2&board_h=1&board_edges=abaaaaab"
    puzzles = [load(origin) for origin in (file, str(file), url, Source("x", file.read_bytes()))]
    assert all(np.array_equal(problem.instance.pieces, puzzles[0].instance.pieces) for problem in puzzles)
    with pytest.raises(InputError, match=r"nowhere\.txt: cannot read \(No such file"):
        load(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="cannot read"):
        load("with\0null")


def test_the_import_is_light() -> None:
    """Reading puzzles needs numpy and nothing heavier."""
    heavy = "{'scipy', 'numba', 'pyomo', 'networkx', 'matplotlib', 'jax', 'highspy'}"
    code = (
        f"import sys, matheur.problems.edge_matching; print({heavy} & {{name.split('.')[0] for name in sys.modules}})"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        == "set()"
    )
