"""Fronts by one demand after another."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest
from problems.party.brute_force import tiny_instance

from matheur.problems.party import Party
from matheur.problems.party.designing import front


def test_a_search_that_finds_nothing_is_made_again_with_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The front does not end there, as long as there is time."""
    parts: list[int] = []

    def searched(problem: Any, **options: Any) -> Any:
        parts.append(options["work"])
        answer = solve(problem, **options)
        return replace(answer, solution=None, objective=None, status="unknown") if len(parts) == 1 else answer

    module = sys.modules["matheur.problems.party.designing.front"]
    solve = module.solve  # type: ignore[attr-defined]
    problem = Party(tiny_instance(3, slots=4, items=9))
    whole = front(problem, ["price", "rating"], method="constraint", points=40, work=100_000)
    monkeypatch.setattr(module, "solve", searched)
    found = front(problem, ["price", "rating"], method="constraint", points=40, work=100_000)
    assert len(whole.points) > 1
    assert [one.values for one in found.points] == [one.values for one in whole.points]
    assert whole.complete
    assert found.complete
