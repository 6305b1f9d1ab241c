"""The command `matheur warm`."""

from __future__ import annotations

from typing import Any

import pytest
from cli.conftest import Command

from matheur.problems import problem_types
from matheur.running.warming import Warmed


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the compilation, and return the names of the problems to be compiled."""
    names: list[str] = []

    def warm(problem: str, **_: Any) -> Warmed:
        names.append(problem)
        return Warmed(problem, 20, 3 if problem == "party" else 0, 7, 4.25 if problem == "party" else 0.0)

    monkeypatch.setattr("matheur.running.warming.warm", warm)
    return names


def test_what_was_done_is_said(matheur: Command, asked: list[str]) -> None:
    """One line per problem shows the number of kernels and the time; the default is all problems."""
    answer = matheur("warm", "party")
    assert (answer.code, asked) == (0, ["party"])
    assert answer.out == "party: 3 kernels compiled in 4.2 s, 7 found on the disk\n"
    answer = matheur("warm")
    assert answer.code == 0
    assert asked[1:] == problem_types.names()
    assert "rubik: nothing to compile, 7 found on the disk\n" in answer.out


def test_json(matheur: Command, asked: list[str]) -> None:
    """JSON has the same facts and their sums in one object."""
    found = matheur("warm", "--json").json
    assert [one["problem"] for one in found["problems"]] == asked == problem_types.names()
    assert (found["compiled"], found["loaded"], found["compile_seconds"]) == (3, 7 * len(asked), 4.25)
    assert set(found["problems"][0]) == {"problem", "runs", "compiled", "loaded", "compile_seconds"}


def test_an_unknown_problem(matheur: Command) -> None:
    """One line suggests the nearest name."""
    assert "Maybe 'party'" in matheur("warm", "partty").error
