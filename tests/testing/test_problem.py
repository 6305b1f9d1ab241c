"""`check_problem` passes a right problem, and names the contract that a wrong one breaks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from testing.signs import SOLUTIONS, WRONG, Signs

from matheur.engine import Evaluation
from matheur.errors import ConfigurationError
from matheur.testing import check_problem

_numbers = count()


def liar(**members: Any) -> Signs:
    """The problem with other members."""
    return dataclass(frozen=True)(type("Liar", (Signs,), members))()  # type: ignore[no-any-return]


def blind(_self: Any, solution: Any) -> Evaluation:
    """Takes everything for a solution."""
    return Evaluation(0, True)


def silent(self: Any, solution: Any) -> Evaluation:
    """Does not say what is wrong."""
    found = Signs.evaluate(self, solution)
    return Evaluation(found.objective, found.feasible)


def writing(self: Any, solution: Any) -> Evaluation:
    """Turns the first sign."""
    found = Signs.evaluate(self, solution)
    solution[:1] *= -1
    return found


LIARS = {
    "name that is a method": (liar(name=lambda _: "signs"), "'name' is a method, and has to be an attribute"),
    "bound that is a method": (liar(trivial_bound=lambda _: 0), "'trivial_bound' is a method"),
    "largest score that is a method": (liar(score_max=lambda _: 9), r"'score_max' is a method.*Maybe @property\?"),
    "reason that is an attribute": (liar(infeasible_reason=None), "'infeasible_reason' is an attribute, and has to be"),
    "reason that is a property": (liar(infeasible_reason=property(lambda _: None)), "has to be a method"),
    "score that is an attribute": (liar(score=3), "'score' is an attribute"),
    "given that is an attribute": (liar(given_solution=None), "'given_solution' is an attribute"),
    "bound that is text": (liar(trivial_bound="0"), "trivial_bound is neither a number nor None: '0'"),
    "largest score that is text": (liar(score_max="9"), "score_max is neither a number nor None: '9'"),
    "score that is text": (liar(score=lambda *_: "9"), "a score is not a number"),
    "objective that is text": (liar(objective=lambda *_: "9"), "the objective is not a number: '9'"),
    "no name": (liar(name=""), "name is not a text"),
    "fingerprint of a moment": (liar(fingerprint=property(lambda _: str(next(_numbers)))), "fingerprint changes"),
    "never feasible": (liar(violations=lambda *_: ["no"]), "a solution is said to violate"),
    "endless objective": (liar(objective=lambda *_: float("inf")), "the objective is inf"),
    "objective of a moment": (liar(objective=lambda *_: next(_numbers)), "the evaluation changes"),
    "evaluation that writes": (liar(evaluate=writing), "the evaluation changes"),
    "everything is a solution": (liar(evaluate=blind), "invalid solutions is said to be feasible"),
    "violations without words": (liar(evaluate=silent), "no sentence says why"),
    "arrays as JSON": (liar(encode=lambda _, it: it), "not plain JSON"),
    "decodes something else": (liar(decode=lambda self, data: -Signs.decode(self, data)), "is decoded as"),
    "decode that stumbles": (
        liar(decode=lambda self, data: Signs.decode(self, data) if len(data) else None), "has to be an InputError",
    ),
    "one digest for all": (liar(digest=lambda *_: b"same"), "the same digest"),
    "digest as text": (liar(digest=lambda *_: "same"), "a digest is not of type bytes"),
    "score that is a square": (liar(score=lambda _, objective: objective**2), "scores"),
    "score that is constant": (liar(score=lambda *_: 1), "scores"),
    "small largest score": (liar(score_max=3), "largest is said to be 3"),
    "high bound": (liar(trivial_bound=4), "the trivial bound 4 is above"),
    "infeasible": (liar(infeasible_reason=lambda _: "odd"), "said to have none: odd"),
    "given nonsense": (liar(given_solution=lambda _: WRONG[0]), "the given solution is not a solution"),
    "report of arrays": (liar(report=lambda _, it: {"signs": it}), "a report is not plain JSON"),
    "report that is a list": (liar(report=lambda *_: [1]), "a report is not a mapping"),
    "difference that is missing": (liar(difference=lambda *_: None), "a difference is not a number"),
    "noise below 0": (liar(noise=lambda *_: -1), "the noise is not a number from 0: -1"),
    "remark that is a number": (liar(remark=lambda *_: 7), "a remark is not a text"),
    "orbit that is text": (liar(orbit=lambda *_: "all"), "orbit is not of type bytes"),
    "differs from itself": (liar(difference=lambda *_: 1), "differ from itself"),
    "one-sided difference": (liar(difference=lambda _, one, two: int((one - two).sum())), "parts, or in"),
}  # fmt: skip


def test_a_right_problem_passes() -> None:
    """No contract is broken."""
    check_problem(Signs(), SOLUTIONS, invalid=WRONG)


@pytest.mark.parametrize(("problem", "words"), LIARS.values(), ids=LIARS.keys())
def test_a_wrong_problem_is_named(problem: Signs, words: str) -> None:
    """The error says which contract is broken, and how."""
    with pytest.raises(AssertionError, match=rf"the problem '\w*' breaks a contract: .*\n.*{words}"):
        check_problem(problem, [one.copy() for one in SOLUTIONS], invalid=WRONG)


def test_a_problem_without_solutions_cannot_be_checked() -> None:
    """The check asks for one."""
    with pytest.raises(ConfigurationError, match="at least one solution"):
        check_problem(Signs(), [])
