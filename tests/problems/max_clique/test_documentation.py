"""What the page about this problem shows works."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from docs.pages import ROOT, blocks, run

from matheur.engine.options import configure
from matheur.methods.clique import Adapter, adapters
from matheur.problems.max_clique import BUILTINS, FORMATS, KINDS
from matheur.running.configuration import preset_names

PAGE = ROOT / "docs" / "problems" / "max-clique.md"


def test_names_are_listed() -> None:
    """The page names every built-in graph, kind, format, preset and adapter."""
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in page or f"/{name}`" in page for name in BUILTINS)
    assert all(f"| `{kind}`" in page for kind in (*KINDS, *FORMATS))
    assert all(f"`{name}`" in page for name in (*preset_names("max-clique"), *adapters()))


def test_the_adapter_on_the_page_is_one() -> None:
    """The example is understood."""
    (block,) = (block for block in blocks(PAGE) if block.language == "toml")
    found = configure(Adapter, tomllib.loads(block.text)["fast"])
    assert (found.format, found.base, found.exit_codes) == ("metis", 0, (0, 10))


@pytest.mark.slow
def test_every_command_works(tmp_path: Path) -> None:
    """The commands run in order and print what is shown, or begin with it."""
    commands = [command for block in blocks(PAGE) if block.language == "console" for command in block.commands()]
    assert len(commands) == 10
    for command, shown in commands:
        output = run(command, tmp_path)
        assert output.splitlines()[: len(shown)] == shown
