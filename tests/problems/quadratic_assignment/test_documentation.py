"""What the page about this problem shows works."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from docs.pages import ROOT, blocks, run

from matheur.engine.source import Source
from matheur.problems.quadratic_assignment import BUILTINS, KINDS, TYPE, QuadraticAssignment, read_instance

PAGE = ROOT / "docs" / "problems" / "quadratic-assignment.md"


def test_the_file_on_the_page_is_an_instance() -> None:
    """The examples are read; the objective counts each pair twice, and both forms of the wider one agree."""
    text, words = (block.text for block in blocks(PAGE) if block.language == "text")
    problem = QuadraticAssignment(read_instance(Source("page", text.encode())))
    assert problem.evaluate(np.arange(3, dtype=np.int32)).objective == 2 * (5 * 8 + 2 * 15 + 3 * 13)
    (document,) = (block.text for block in blocks(PAGE) if block.language == "json")
    for form in (words, document):
        wider = TYPE.read(Source("page", form.encode()))
        assert (wider.facilities, wider.locations) == (2, 3)
        assert wider.evaluate(wider.decode([3, 1])).objective == 2 * 5 * 15 + 2 + 1


def test_built_in_instances_and_kinds_are_listed() -> None:
    """The page names every built-in instance and every kind of the generator."""
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in page or f"/{name}`" in page for name in BUILTINS)
    assert all(f"| `{kind}`" in page for kind in KINDS)


@pytest.mark.slow
def test_every_command_works(tmp_path: Path) -> None:
    """The commands run in order and print what is shown."""
    commands = [command for block in blocks(PAGE) if block.language == "console" for command in block.commands()]
    assert len(commands) == 4
    for command, shown in commands:
        output = run(command, tmp_path)
        if shown:
            assert output.splitlines() == shown
