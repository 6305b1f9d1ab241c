"""Completion of command lines in the shell."""

from __future__ import annotations

import pytest

from matheur.cli import run

LINES = {
    "matheur solve edge-m": ["edge-matching/"],
    "matheur solve edge-matching/1": [f"edge-matching/{n}x{n}" for n in range(10, 17)],
    "matheur solve board.txt --problem s": ["sliding-tile", "sokoban"],
    "matheur solve edge-matching/4x4 --construction milp-g": ["milp-greedy"],
    "matheur solve edge-matching/4x4 --neighbourhoods r": ["refill", "region"],
    "matheur solve edge-matching/4x4 --neighbourhoods border,as": ["border,assignment"],
    "matheur solve board.txt --problem party --neighbourhoods re": ["refill", "region", "replace"],
    "matheur solve edge-matching/4x4 --preset pa": ["paper", "paper-strict"],
    "matheur solve edge-matching/4x4 --schedule de": ["descent"],
    "matheur solve edge-matching/4x4 --acceptance late": ["late-acceptance"],
    "matheur diverse party/demo --solver s": ["scip"],
    "matheur operators max": ["max-clique"],
    "matheur operators party mi": ["milp-full"],
    "matheur solve nothing/": [],
    "matheur solve board.txt --neighbourhoods r": [],
}


@pytest.mark.parametrize("line", LINES)
def test_names_are_completed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Names of problems, instances, operators, schedules, criteria, solvers and presets are completed."""
    monkeypatch.setenv("_MATHEUR_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    with pytest.raises(SystemExit):
        run([])
    assert sorted(capsys.readouterr().out.split()) == sorted(LINES[line])
