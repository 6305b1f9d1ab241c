"""Start solutions in the forms that Python callers pass: a file, a result, its plain values, or a solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matheur.engine.outcome import violations_of
from matheur.engine.problem_types import tool_of
from matheur.errors import InputError, MatheurError
from matheur.running.loading import decoded, file_of, is_result, load_start, problem_type
from matheur.running.result import Result

__all__ = ["OwnForm", "given_start", "start_file"]

_UNREADABLE = (ArithmeticError, AttributeError, LookupError, MatheurError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class OwnForm:
    """A start that was read before: a solution in the problem's own form, or the input of its tool `starts`."""

    solution: Any


def start_file(start: Any) -> str | None:
    """The path of a start that is a file; None for other starts."""
    return file_of(str(start)) if isinstance(start, str | Path) else None


def given_start(problem: Any, start: Any) -> Any:
    """Convert a start in any form to a solution, or to the input of the problem's tool `starts`.

    Parameters
    ----------
    start
        A file, as for `--start` (a string is a path if such a file exists), a `Result`, the value of its `to_dict` or
        its `named`, or a solution in the problem's own form, which an `OwnForm` states.

    Raises
    ------
    InputError
        If it cannot be read, or belongs to another kind of problem.
    """
    if isinstance(start, OwnForm):
        return start.solution
    if isinstance(start, Result):
        if start.solution is not None and start.problem.fingerprint == problem.fingerprint:
            return start.solution
        start = {**_head(start), "solution": None if start.solution is None else start.problem.encode(start.solution)}
    if isinstance(start, Path) or start_file(start) is not None:
        return load_start(problem_type(problem.name), problem, str(start))
    if is_result(start) and isinstance(start.get("problem"), str):
        return decoded(problem, start)
    if isinstance(start, str | list | tuple | Mapping) and tool_of(problem.name, "starts") is None:
        return _read(problem, list(start) if isinstance(start, tuple) else start)
    if isinstance(start, str):
        return load_start(problem_type(problem.name), problem, start)
    return start


def _head(result: Result) -> dict[str, Any]:
    return {"problem": result.problem.name, "status": result.status}


def _read(problem: Any, words: Any) -> Any:
    """The solution given by plain values: those of `Result.named`, of a result file, or in the problem's own form.

    The first form in which they can be read counts, whether or not they are a solution: in another form, the same
    numbers mean something else.
    """
    faults: list[Exception] = []
    for read in (getattr(problem, "from_named", problem.decode), problem.decode):
        try:
            solution = read(words)
            evaluation = problem.evaluate(solution)
        except _UNREADABLE as error:
            faults.append(error)
            continue
        if not evaluation.feasible and _feasible(problem, words):
            first = violations_of(problem, evaluation)[0]
            raise InputError(
                f"the start is not a solution: {first}. Maybe an array of NumPy, whose numbers count as those of "
                "Result.solution?"
            )
        return solution
    own = ""  # first violation of the values as given
    try:
        evaluation = problem.evaluate(words)
        if evaluation.feasible:
            return words
        own = f"; as it is: {violations_of(problem, evaluation)[0]}"
    except _UNREADABLE:
        pass
    if isinstance(words, str):
        return load_start(problem_type(problem.name), problem, words)
    raise InputError(f"the start cannot be read: {faults[0]}{own}")


def _feasible(problem: Any, words: Any) -> bool:
    """Whether values in the problem's own form are a solution."""
    try:
        return bool(problem.evaluate(words).feasible)
    except _UNREADABLE:
        return False
