"""Contracts of problems, see `matheur.engine.protocols.Problem`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from matheur.engine import Comparable, Evaluation, Given, Remarking, Reporting, Symmetric
from matheur.engine.outcome import is_number
from matheur.engine.problem_form import form_fault
from matheur.engine.protocols import Approximate, Problem
from matheur.errors import ConfigurationError, InputError
from matheur.testing.contract import Contract, NotPromisedError, is_plain, keep, require

__all__ = ["CONTRACTS", "ProblemCase", "check_problem"]

_GARBAGE: tuple[Any, ...] = (
    None, True, 7, -1, 1.5, "no solution", {}, {"a": 1}, [None], ["x"], [1.5], [True], [[1, 2], [3]], [10**30], [{}],
)  # fmt: skip
"""JSON values that are not solutions of most problems."""


@dataclass(frozen=True, slots=True)
class ProblemCase:
    """A problem with some solutions, and with values that are not solutions."""

    problem: Any
    solutions: tuple[Any, ...]
    invalid: tuple[Any, ...] = ()

    def __str__(self) -> str:
        name = getattr(self.problem, "name", None)
        return f"the problem '{name if isinstance(name, str) else type(self.problem).__name__}'"


def check_problem(problem: Problem[Any], solutions: Sequence[Any], *, invalid: Sequence[Any] = ()) -> None:
    """Check an instance and its evaluator.

    Parameters
    ----------
    problem
        The instance.
    solutions
        Solutions of the instance: at least one, preferably two or more with different objectives.
    invalid
        Values that have the form of a solution but violate a constraint.

    Raises
    ------
    AssertionError
        If a contract is broken; the message states which and how.
    ConfigurationError
        If no solution is given.
    """
    if not len(solutions):
        raise ConfigurationError("a problem is checked with at least one solution")
    keep(CONTRACTS, ProblemCase(problem, tuple(solutions), tuple(invalid)))


def members_have_their_form(case: ProblemCase) -> None:
    """Attributes are attributes, and methods are methods."""
    fault = form_fault(case.problem)
    require(fault is None, fault or "")


def names_are_stable(case: ProblemCase) -> None:
    """The name and the fingerprint are texts that stay the same."""
    for member in ("name", "fingerprint"):
        one, two = getattr(case.problem, member), getattr(case.problem, member)
        require(isinstance(one, str) and one, f"{member} is not a text, or is empty: {one!r}")
        require(one == two, f"{member} changes from {one!r} to {two!r}")


def solutions_are_evaluated(case: ProblemCase) -> None:
    """A solution is feasible, has the same objective each time, and is left as it is."""
    for solution in case.solutions:
        before = case.problem.digest(solution)
        one, two = (_evaluated(case, solution) for _ in range(2))
        require(one.feasible, f"a solution is said to violate: {one.violations}")
        require(not one.violations, f"a feasible solution has violations: {one.violations}")
        require(is_number(one.objective), f"the objective is not a number: {one.objective!r}")
        require(math.isfinite(one.objective), f"the objective is {one.objective}")
        require(one == two, f"the evaluation changes from {one} to {two}")
        require(case.problem.digest(solution) == before, "the evaluation changes the solution")


def violations_are_named(case: ProblemCase) -> None:
    """What breaks a constraint is not feasible, and a sentence says why."""
    if not case.invalid:
        raise NotPromisedError("nothing invalid is given")
    for number, wrong in enumerate(case.invalid):
        evaluation = _evaluated(case, wrong)
        require(not evaluation.feasible, f"number {number} of the invalid solutions is said to be feasible")
        named = evaluation.violations and all(isinstance(one, str) and one for one in evaluation.violations)
        require(named, f"no sentence says why number {number} of the invalid solutions is not feasible")


def solutions_go_through_files(case: ProblemCase) -> None:
    """An encoded solution is plain JSON, and the decoded one is the same solution."""
    problem = case.problem
    for solution in case.solutions:
        text = problem.encode(solution)
        require(is_plain(text), f"an encoded solution is not plain JSON: {text!r}")
        again = problem.decode(text)
        require(problem.encode(again) == text, f"{text} is decoded as {problem.encode(again)}")
        require(problem.digest(again) == problem.digest(solution), "a decoded solution has another digest")
        one, two = _evaluated(case, solution), _evaluated(case, again)
        require(one == two, f"a decoded solution has another evaluation: {two}, not {one}")


def other_texts_are_refused(case: ProblemCase) -> None:
    """What is no encoded solution is an `InputError` of `decode`, or evaluated, and never another error."""
    for text in _GARBAGE:
        try:
            solution = case.problem.decode(text)
        except InputError:
            continue
        except Exception as error:
            raise AssertionError(f"decode raises {error!r} for {text!r}, where it has to be an InputError") from error
        _evaluated(case, solution)


def digests_tell_solutions_apart(case: ProblemCase) -> None:
    """Equal solutions have equal digests, different ones different digests."""
    problem = case.problem
    for solution in case.solutions:
        require(isinstance(problem.digest(solution), bytes), "a digest is not of type bytes")
    for one, two in combinations(case.solutions, 2):
        same = problem.encode(one) == problem.encode(two)
        words = "two equal solutions have different digests" if same else "two solutions have the same digest"
        require((problem.digest(one) == problem.digest(two)) == same, words)


def scores_follow_the_objective(case: ProblemCase) -> None:
    """Scores are affine in the objective, and no solution has more than the largest score."""
    problem, most = case.problem, case.problem.score_max
    require(most is None or is_number(most), f"score_max is neither a number nor None: {most!r}")
    for solution in case.solutions:
        objective = _evaluated(case, solution).objective
        scores = [problem.score(objective + step) for step in range(3)]
        require(all(map(is_number, scores)), f"a score is not a number: {scores!r}")
        low, middle, high = scores
        even = math.isclose(middle - low, high - middle, rel_tol=1e-9, abs_tol=1e-9) and low != high
        require(even, f"objectives of {objective}, one more and two more have the scores {low}, {middle} and {high}")
        require(most is None or low <= most, f"a solution has the score {low}, and the largest is said to be {most}")


def bounds_hold(case: ProblemCase) -> None:
    """The trivial bound is below every solution, and an instance with a solution is not called infeasible."""
    reason, bound = case.problem.infeasible_reason(), case.problem.trivial_bound
    require(bound is None or is_number(bound), f"trivial_bound is neither a number nor None: {bound!r}")
    require(reason is None, f"an instance with a solution is said to have none: {reason}")
    for solution in case.solutions:
        objective = _evaluated(case, solution).objective
        require(bound is None or bound <= objective, f"the trivial bound {bound} is above a solution of {objective}")


def further_members_are_plain(case: ProblemCase) -> None:
    """Optional members of a problem are as `matheur.engine.protocols` describes them."""
    problem = case.problem
    given = problem.given_solution() if isinstance(problem, Given) else None
    require(given is None or _evaluated(case, given).feasible, "the given solution is not a solution")
    for solution in case.solutions:
        if isinstance(problem, Reporting):
            report = problem.report(solution)
            require(isinstance(report, Mapping), f"a report is not a mapping: {report!r}")
            require(is_plain(dict(report)), f"a report is not plain JSON: {report!r}")
        if isinstance(problem, Remarking):
            remark = problem.remark(solution)
            require(remark is None or isinstance(remark, str), f"a remark is not a text: {remark!r}")
        if isinstance(problem, Symmetric):
            require(isinstance(problem.orbit(solution), bytes), "the name of an orbit is not of type bytes")
        if isinstance(problem, Comparable):
            apart = [problem.difference(solution, other) for other in (solution, *case.solutions)]
            back = [problem.difference(other, solution) for other in (solution, *case.solutions)]
            require(all(map(is_number, apart)), f"a difference is not a number: {apart!r}")
            require(apart[0] == 0, f"a solution is said to differ from itself in {apart[0]} parts")
            require(apart == back, f"solutions differ in {apart} parts, or in {back}")
            require(min(apart) >= 0, "two solutions differ in less than no part")
        if isinstance(problem, Approximate):
            noise: Any = problem.noise(_evaluated(case, solution).objective)
            require(
                (is_number(noise) or isinstance(noise, Fraction)) and noise >= 0,
                f"the noise is not a number from 0: {noise!r}",
            )


CONTRACTS: tuple[Contract, ...] = (
    members_have_their_form, names_are_stable, solutions_are_evaluated, violations_are_named,
    solutions_go_through_files, other_texts_are_refused, digests_tell_solutions_apart, scores_follow_the_objective,
    bounds_hold, further_members_are_plain,
)  # fmt: skip
"""All contracts, for tests that check a `ProblemCase` against each."""


def _evaluated(case: ProblemCase, solution: Any) -> Evaluation:
    found = case.problem.evaluate(solution)
    require(isinstance(found, Evaluation), f"evaluate must return an Evaluation, not {type(found).__name__}")
    return found
