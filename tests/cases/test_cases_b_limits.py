"""Puzzle cases of users: solved or poor starts, missing tables, runs without a solution."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from matheur import solve
from matheur.problems.rubik.search import tables
from matheur.running.loading import load_instance, load_solution

DATA = Path(__file__).parent / "data" / "b"


@pytest.mark.parametrize(("options", "objective"), [({}, 10), ({"cost": "pushes"}, 2)])
def test_a_poor_start_is_improved_to_the_optimum(options: dict[str, str], objective: int) -> None:
    """The exact construction runs even with a given start, because no other operator could improve it."""
    kind, level = load_instance(str(DATA / "so_improve.xsb"), options=options)
    start = load_solution(kind, level, str(DATA / "so_improve.lurd"))
    result = solve(level, start=start, work=10_000)
    assert (result.objective, result.status, result.found_by) == (objective, "optimal", "push-astar")


def test_a_start_is_kept_where_it_is_better() -> None:
    """The start is kept if the construction finds a worse plan."""
    level = DATA / "so_improve.xsb"
    best = solve(level, work=10_000).solution
    result = solve(level, start=best, work=10_000, settings=["construction.weight=16"])
    assert (result.objective, result.found_by) == (10, "start")
    assert result.operators["push-astar"].calls == 1


CONSTRUCTIONS = ["guided-beam", "two-phase", "astar", "ida-star", "batch-astar", "beam", "bidirectional", "portfolio"]


@pytest.mark.parametrize("construct", CONSTRUCTIONS)
def test_a_solved_cube_needs_no_table(construct: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solved cube has an optimal plan of 0 turns; no construction builds a table for it."""
    monkeypatch.setattr(tables, "distance_table", lambda *_, **__: pytest.fail("a table was asked for"))
    result = solve(DATA / "ru_solved.txt", construction=construct, seconds=60)
    assert (result.objective, result.status, result.stopped) == (0, "optimal", "optimal")
    assert len(result.solution) == 0


SOLVED = {
    "sliding-tile": "1 2 3\n4 5 6\n7 8 0\n",
    "lights-out": "000\n000\n000\n",
    "sokoban": "#####\n#@ *#\n#####\n",
}


@pytest.mark.parametrize("name", sorted(SOLVED))
def test_solved_puzzles_of_other_kinds(name: str, tmp_path: Path) -> None:
    """Solved puzzles have an optimal plan without moves, which the instance itself provides."""
    path = tmp_path / "solved.txt"
    path.write_text(SOLVED[name])
    result = solve(path, problem=name, work=0)
    assert (result.objective, result.status, result.found_by) == (0, "optimal", "instance")
    assert load_instance(str(DATA / "ru_scramble.txt"))[1].given_solution() is None


def test_nothing_found_is_said_in_a_sentence(tmp_path: Path) -> None:
    """A run without a solution gives the reason and a suggestion."""
    shutil.copy(DATA / "so_improve.xsb", tmp_path)
    result = solve(tmp_path / "so_improve.xsb", work=1)
    assert (result.status, result.solution) == ("unknown", None)
    assert result.reason == "no solution was found within the limits. Maybe more --seconds, or another --construction?"
    assert result.to_dict()["reason"] == result.reason
    asked = solve(tmp_path / "so_improve.xsb", interrupt=lambda: True)
    assert asked.reason == "the run was stopped before it found a solution"
