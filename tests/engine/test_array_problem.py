"""The base class of problems whose solutions are arrays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import matheur
from matheur.engine import ArrayProblem, Given, Outcome, Remarking, Reporting, Status, Symmetric
from matheur.errors import ConfigurationError, InputError


@dataclass(frozen=True)
class Signs(ArrayProblem):
    """Split numbers into two sets."""

    numbers: tuple[int, ...]
    title: str = ""
    name = "signs"

    def objective(self, solution: Any) -> int:
        """The difference of the two sums."""
        return abs(int(solution @ np.array(self.numbers)))

    def violations(self, solution: Any) -> list[str]:
        """Entries that are no sign."""
        return [f"{value} is no sign" for value in solution.tolist() if value not in (-1, 1)]


def test_three_members_make_a_problem() -> None:
    """Everything else has a default."""
    problem = Signs((3, 1, 2))
    signs = problem.decode([1, -1, -1])
    assert problem.evaluate(signs).objective == 0
    assert problem.evaluate(signs).feasible
    assert problem.encode(signs) == [1, -1, -1]
    assert problem.score(5) == 5
    assert (problem.score_max, problem.trivial_bound, problem.infeasible_reason()) == (None, None, None)


def test_what_is_no_solution_is_said() -> None:
    """Wrong shapes, wrong types and the problem's own violations, of which not all are listed."""
    problem = Signs((3, 1, 2))
    for wrong in ([[1, 1, 1]], [0.5, 1, 1], [[1], [1, 1]]):
        assert not problem.evaluate(wrong).feasible
    assert problem.evaluate(np.arange(2, 30)).violations[-1] == "and more"


@pytest.mark.parametrize(
    ("answer", "said"), [(None, r"None\. Maybe 'return \(\)'"), (True, "True"), ("wrong", "'wrong'")]
)
def test_violations_are_sentences(answer: Any, said: str) -> None:
    """The error names the problem, not the operator whose solution was to be checked."""

    class Wrong(Signs):
        def violations(self, solution: Any) -> Any:
            return answer

    with pytest.raises(ConfigurationError, match=f"violations of 'signs' must return a list of sentences, not {said}"):
        Wrong((3, 1, 2)).evaluate([1, 1, 1])


def test_a_class_is_no_instance() -> None:
    """Said before anything is asked of it."""
    with pytest.raises(ConfigurationError, match=r"the class Signs is not an instance\. Maybe Signs\(\.\.\.\)"):
        matheur.solve(Signs)


@dataclass(frozen=True)
class Nameless(ArrayProblem):
    """What a problem is not."""

    numbers: tuple[int, ...]


class Numbered(Nameless):
    """Its name is no text."""

    name = 5  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Nameless((1,)), "Nameless cannot be used: 'name' is missing"),
        (Numbered((1,)), r"name is not a text, or is empty: 5"),
    ],
)
def test_a_name_that_is_missing_is_told(problem: Any, said: str) -> None:
    """Though without it there is no fingerprint either."""
    with pytest.raises(ConfigurationError, match=said):
        matheur.solve(problem)


class Scored(Signs):
    """Says all that it can in numbers of numpy."""

    name = "scored-signs"
    score_max = np.float32(0)  # type: ignore[assignment]

    def score(self, objective: float) -> Any:
        """The negative objective."""
        return np.float32(-objective)

    def report(self, solution: Any) -> dict[str, Any]:
        """How many signs are positive, and the numbers."""
        return {"positive": (solution > 0).sum(), "numbers": np.array(self.numbers)}


class Ones:
    """A construction."""

    def build(self, problem: Any, budget: Any, rng: Any) -> Outcome[Any]:
        """All signs are positive."""
        return Outcome(Status.IMPROVED, np.ones(len(problem.numbers), dtype=np.int32))


def test_figures_of_numpy_go_into_any_json() -> None:
    """Those of a score and of what the problem reports, too."""
    matheur.register_operator("scored-signs", "construction", "ones", Ones)
    found = matheur.solve(Scored((3, 1, 2)), construction="ones", iterations=0).to_dict()
    again = json.loads(json.dumps(found))
    assert (again["score"], again["score_max"], again["positive"], again["numbers"]) == (-6, 0, 3, [3, 1, 2])


def test_a_score_that_never_changes_has_no_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was a division by zero."""
    monkeypatch.setattr(Scored, "score", lambda *_: 5)
    with pytest.raises(ConfigurationError, match="'scored-signs' has no target: its score is always 5"):
        matheur.solve(Scored((3, 1, 2)), construction={"name": "any"}, target=4)


def test_equal_solutions_alone_have_equal_digests() -> None:
    """Whatever the type of the array."""
    problem = Signs((3, 1, 2))
    assert problem.digest(np.array([1, -1, 1], dtype=np.int64)) == problem.digest(np.array([1, -1, 1], dtype=np.int8))
    assert problem.digest(np.array([1, -1, 1])) != problem.digest(np.array([1, 1, -1]))


def test_the_fingerprint_is_made_of_the_fields() -> None:
    """All of them but the title, and arrays by all of their numbers."""
    assert Signs((3, 1, 2)).fingerprint == Signs((3, 1, 2), "another title").fingerprint
    assert Signs((3, 1, 2)).fingerprint != Signs((3, 12)).fingerprint
    long, other = np.arange(5000), np.arange(5000)
    other[2500] = 0
    assert Signs(long).fingerprint != Signs(other).fingerprint  # type: ignore[arg-type]


@dataclass(frozen=True)
class Table:
    """Numbers in a field of a field."""

    numbers: Any


class Frame:
    """What is an array if asked, as tables of pandas are."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.numbers, dtype=dtype)


@pytest.mark.parametrize(
    "holder",
    [
        Table, tuple, csr_array, Frame,
        lambda numbers: {"numbers": numbers}, lambda numbers: [Table({1: numbers})],
        lambda numbers: np.array([numbers, "names"], dtype=object),
    ],
)  # fmt: skip
def test_the_fingerprint_sees_all_numbers(holder: Callable[[Any], Any]) -> None:
    """Also those of arrays within other values, of sparse matrices and of tables."""
    long, other = np.arange(1, 5001), np.arange(1, 5001)
    other[2500] = 1
    one, two, again = (Signs(holder(numbers)).fingerprint for numbers in (long, other, long.copy()))
    assert one == again != two


def test_the_fingerprint_is_the_same_in_each_process() -> None:
    """The order of a set of texts is another one each time."""
    program = (
        "from matheur.engine.array_problem import _content; import numpy; "
        "print(_content([{'a', 'b', 'c', 'd'}, frozenset({'e', 'f', 'g'}), numpy.array(['x', None])]))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


@pytest.mark.parametrize("data", [None, "1", 3, {"a": 1}, [1, None], [1.5], [True], [2**40]])
def test_what_is_no_list_of_numbers_is_refused(data: object) -> None:
    """With an error for people."""
    with pytest.raises(InputError):
        Signs((3, 1, 2)).decode(data)


@pytest.mark.parametrize("port", [Given, Remarking, Reporting, Symmetric])
def test_no_optional_port_is_claimed(port: Any) -> None:
    """The engine asks for these by their methods."""
    assert not isinstance(Signs((1,)), port)
