"""Squad cases of users: at least k equal items, the rating of a game, the most points within a budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from matheur import solve
from matheur.running.loading import load_instance, load_solution

DATA = Path(__file__).parent / "data" / "b"

CASES = {
    "pa_min_same": (7181, {"2", "5", "9", "12", "13"}),
    "pa_squad_rating": (6633, {"5", "9", "11", "12", "13"}),
    "pa_maximise": (28.0, {"4", "5", "8", "10", "11"}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_default_preset_proves_the_best_squad(name: str, tmp_path: Path) -> None:
    """Score and items equal those found by enumeration, and the saved result is valid."""
    path = DATA / f"{name}.json"
    result = solve(path, work=20_000)
    assert (result.score, result.status) == (CASES[name][0], "optimal")
    assert set(result.problem.encode(result.solution).values()) == CASES[name][1]
    kind, problem = load_instance(str(path))
    result.save(tmp_path / "result.json")
    assert problem.evaluate(load_solution(kind, problem, str(tmp_path / "result.json"))).feasible
