"""What the page about this problem shows works."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.pages import ROOT, blocks, run
from problems.cubical.reference import reachable

from matheur.engine.source import Source
from matheur.problems.cubical import Cubical, builtin, read_instance

PAGE = ROOT / "docs" / "problems" / "cubical.md"


def test_the_file_on_the_page_is_one() -> None:
    """The example is a puzzle of the paper, with both ways to write a vertex."""
    (text,) = (block.text for block in blocks(PAGE) if block.language == "toml")
    puzzle = Cubical(read_instance(Source("page", text.encode())))
    assert puzzle.fingerprint == Cubical(builtin("d3-k2-level1")).fingerprint


def test_one_built_in_puzzle_cannot_be_solved() -> None:
    """Its target is not among the 672 placements within reach."""
    one = builtin("d3-k2-level3")
    known = reachable(one.dimension, one.k, one.target)
    assert len(known) == 672
    assert one.start not in known


@pytest.mark.slow
def test_every_command_works(tmp_path: Path) -> None:
    """The commands run in order and print what is shown."""
    commands = [command for block in blocks(PAGE) if block.language == "console" for command in block.commands()]
    assert len(commands) == 4
    for command, shown in commands:
        output = run(command, tmp_path)
        if shown:
            assert output.splitlines() == shown
