"""The base class of problems whose solutions are arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import matheur
from matheur.engine import ArrayProblem, Given, Remarking, Reporting, Symmetric
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

    with pytest.raises(ConfigurationError, match=f"violations of 'signs' returns no list of sentences, but {said}"):
        Wrong((3, 1, 2)).evaluate([1, 1, 1])


def test_a_class_is_no_instance() -> None:
    """Said before anything is asked of it."""
    with pytest.raises(ConfigurationError, match=r"the class Signs is no instance\. Maybe Signs\(\.\.\.\)"):
        matheur.solve(Signs)


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


@pytest.mark.parametrize("data", [None, "1", 3, {"a": 1}, [1, None], [1.5], [True], [2**40]])
def test_what_is_no_list_of_numbers_is_refused(data: object) -> None:
    """With an error for people."""
    with pytest.raises(InputError):
        Signs((3, 1, 2)).decode(data)


@pytest.mark.parametrize("port", [Given, Remarking, Reporting, Symmetric])
def test_no_optional_port_is_claimed(port: Any) -> None:
    """The engine asks for these by their methods."""
    assert not isinstance(Signs((1,)), port)
