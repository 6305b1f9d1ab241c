"""What the page about this problem shows works."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from docs.pages import ROOT, blocks, run

from matheur.problems.party import load
from matheur.problems.party.builtin import BUILTINS

PAGE = ROOT / "docs" / "problems" / "party.md"


def test_the_files_on_the_page_are_a_puzzle(tmp_path: Path) -> None:
    """The example is read, and its best party is the one that the page names."""
    for language, name in (("json", "puzzle.json"), ("csv", "heroes.csv")):
        (text,) = (block.text for block in blocks(PAGE) if block.language == language)
        (tmp_path / name).write_text(text, encoding="utf-8")
    problem = load(tmp_path / "puzzle.json")
    feasible = {}
    for items in permutations(range(len(problem.instance.catalogue)), 3):
        evaluation = problem.evaluate(np.array(items, dtype=np.int32))
        if evaluation.feasible:
            feasible[items] = evaluation.objective
    assert min(feasible.values()) == 930
    assert [items for items, price in feasible.items() if price == 930] == [(0, 1, 4), (1, 0, 4)]
    assert problem.synergy(np.array([0, 1, 4])) == Fraction(13, 18)


def test_the_squad_on_its_page_is_the_best(tmp_path: Path) -> None:
    """The example of the page about squads is read, and its best squad is the one that the page names."""
    for language, name in (("json", "squad.json"), ("csv", "cards.csv")):
        (text,) = (block.text for block in blocks(PAGE.with_name("party-squads.md")) if block.language == language)
        (tmp_path / name).write_text(text, encoding="utf-8")
    problem = load(tmp_path / "squad.json")
    feasible = {}
    for items in permutations(range(len(problem.instance.catalogue)), 4):
        evaluation = problem.evaluate(np.array(items, dtype=np.int32))
        if evaluation.feasible:
            feasible[items] = evaluation.objective
    assert len(feasible) == 3
    best = min(feasible, key=lambda items: feasible[items])
    assert (best, feasible[best]) == ((0, 3, 9, 7), 3000)
    assert problem.report(np.array(best)) == {"chemistry": 11, "squad_rating": 80}


def test_built_in_puzzles_are_listed() -> None:
    """The page names every built-in puzzle."""
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in BUILTINS)


@pytest.mark.slow
def test_every_command_works(tmp_path: Path) -> None:
    """The commands run in order and print what is shown."""
    commands = [command for block in blocks(PAGE) if block.language == "console" for command in block.commands()]
    assert len(commands) == 4
    for command, shown in commands:
        output = run(command, tmp_path)
        if shown:
            assert output.splitlines() == shown
