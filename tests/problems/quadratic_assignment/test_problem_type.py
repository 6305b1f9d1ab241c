"""Quadratic assignment through the port."""

from __future__ import annotations

import json

import pytest

from matheur.engine.problem_type import ProblemType
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.quadratic_assignment import BUILTINS, KINDS, TYPE


def test_the_type_follows_the_port() -> None:
    """A type checker and this assignment agree that the port is implemented."""
    port: ProblemType = TYPE
    assert port.name == "quadratic-assignment"
    assert port.summary
    assert port.builtins() == BUILTINS


@pytest.mark.parametrize("kind", KINDS)
def test_generated_files_are_read_back_with_their_solution(kind: str) -> None:
    """The text of a generated instance reads as such, and its solution has the value that its score says."""
    generated = TYPE.generate({"kind": kind, "size": "9"}, seed=5)
    problem = TYPE.read(Source("generated", generated.instance.encode()), {})
    assert problem.instance.n == 9
    evaluation = problem.evaluate(problem.decode(generated.solution))
    assert (evaluation.feasible, evaluation.objective) == (True, generated.score)
    json.dumps(generated.solution)


@pytest.mark.parametrize(
    ("options", "n"),
    [
        ({}, 12),
        ({"size": None}, 12),
        ({"size": 7}, 7),
        ({"size": " 5x6 "}, 30),
        ({"size": "3,3", "kind": "planted"}, 9),
    ],
)
def test_sizes(options: dict, n: int) -> None:
    """A number, or rows and columns."""
    assert TYPE.read(Source("g", TYPE.generate(options, seed=1).instance.encode()), {}).instance.n == n


@pytest.mark.parametrize(
    ("options", "seed", "words"),
    [
        ({"size": "big"}, 0, "size must be n, or ROWSxCOLUMNS"),
        ({"size": "3x4x5"}, 0, "size must be"),
        ({"size": "1"}, 0, "size must be 2 to 1000"),
        ({"size": "5x6", "kind": "uniform"}, 0, "has no rows and columns .'5x6'."),
        ({"sise": 4}, 0, "Maybe 'size'"),
        ({"kind": "gird"}, 0, "Maybe 'grid'"),
        ({"kind": ["grid"]}, 0, "no kind of instance"),
        ({}, -1, "seed must be"),
        ({}, "1", "seed must be"),
    ],
)
def test_bad_generator_options(options: dict, seed: int, words: str) -> None:
    """Wrong options name themselves."""
    with pytest.raises(ConfigurationError, match=words):
        TYPE.generate(options, seed)


def test_the_readers_have_no_options() -> None:
    """Any option is one too many."""
    assert TYPE.builtin("tiny8").instance.n == 8
    with pytest.raises(ConfigurationError, match="unknown option 'k'"):
        TYPE.builtin("tiny8", {"k": 1})
    with pytest.raises(ConfigurationError, match="unknown option 'sides'"):
        TYPE.read(Source("f", b"1 1 1"), {"sides": "x"})
    with pytest.raises(InputError, match="no built-in"):
        TYPE.builtin("tiny9")


def test_solutions_and_pictures() -> None:
    """A permutation in any format, and its picture."""
    problem = TYPE.builtin("tiny8")
    places = TYPE.read_solution(problem, Source("f", b"1 2 3 4 5 6 7 8"))
    assert places.tolist() == list(range(8))
    assert b"<svg" in TYPE.picture(problem, places, "svg")
