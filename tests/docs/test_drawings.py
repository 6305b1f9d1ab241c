"""Pictures of the documentation are up to date."""

from __future__ import annotations

import re
import runpy
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from docs.pages import run

from matheur.problems.edge_matching import generate

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "drawings.py"))


def test_the_drawings_are_those_of_the_script(script: dict[str, Any]) -> None:
    """The images are those of `python docs/drawings.py`, the page shows them, and they are well-formed."""
    page = (ROOT / "docs" / "problems" / "edge-matching.md").read_text(encoding="utf-8")
    for name, text in script["drawings"]().items():
        assert (ROOT / "docs" / "images" / name).read_text(encoding="utf-8") == text, "python docs/drawings.py"
        assert f"(../images/{name})" in page
        assert ElementTree.fromstring(text).tag.endswith("svg")


def test_the_picture_of_the_readme_is_that_of_a_run() -> None:
    """The script draws the plan and the bound of an event stream; the README shows its picture."""
    drawn = runpy.run_path(str(ROOT / "docs" / "incumbents.py"))["drawn"]
    events = [
        {"event": "bound", "seconds": 0.1, "score": -5e9, "operator": "trivial"},
        {"event": "incumbent", "seconds": 1.0, "score": 90_000, "operator": "solver"},
        {"event": "bound", "seconds": 2.0, "score": 1_000, "operator": "solver"},
        {"event": "incumbent", "seconds": 70.0, "score": 2_000, "operator": "rins"},
    ]
    text = drawn(events, 60.0)
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert "the best plan costs 2.0, and none costs less than 1.0." in text
    kept = (ROOT / "docs" / "images" / "incumbents.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(kept).tag.endswith("svg")
    assert "none costs less than" in kept
    assert 'src="docs/images/incumbents.svg"' in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_badges_are_those_of_the_project_file() -> None:
    """The badges are those of `python docs/badges.py`, and the README has the same text as alternative."""
    text = runpy.run_path(str(ROOT / "docs" / "badges.py"))["drawn"]()
    assert (ROOT / "docs" / "images" / "badges.svg").read_text(encoding="utf-8") == text, "python docs/badges.py"
    version = re.findall(r"version (\S+),", text)[0]
    assert f'alt="version {version},' in (ROOT / "README.md").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in citation
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(rf"^## {re.escape(version)} \((.+)\)$", changes, re.MULTILINE)
    assert re.findall(r"^date-released: (.+)$", citation, re.MULTILINE) == released
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] in (version, "Unreleased")


def test_the_gallery_shows_what_its_commands_draw(tmp_path: Path) -> None:
    """Each picture is below its commands; this test runs those of one picture."""
    script = runpy.run_path(str(ROOT / "docs" / "gallery.py"))
    page = script["PAGE"].read_text(encoding="utf-8")
    commands = script["pictures"](page)
    assert len(commands) == page.count("<img ") == page.count("```sh")
    kept = {name: (ROOT / "docs" / "images" / f"gallery-{name}").read_text(encoding="utf-8") for name in commands}
    assert all(ElementTree.fromstring(text).tag.endswith("svg") for text in kept.values())
    run(commands["tiles.svg"], tmp_path)
    assert (tmp_path / "tiles.svg").read_text(encoding="utf-8") == kept["tiles.svg"], "python docs/gallery.py"


def test_neighbourhoods_free_what_the_paper_draws(script: dict[str, Any]) -> None:
    """The neighbourhoods free the cells that the paper draws; the region model frees a window."""
    instance, _ = generate(8, 8, seed=2)
    freed = {name.split()[0]: cells for name, cells in script["figure3"](instance).items()}
    assert {name: len(cells) for name, cells in freed.items()} == {
        "border": 28, "region": 36, "assignment": 8, "checkerboard": 32, "swap-rotate": 2,
    }  # fmt: skip
    for name in ("assignment", "checkerboard"):
        for first, second in combinations(freed[name], 2):
            assert second not in instance.neighbours[first]
    model = script["figure2"](instance)
    assert len(model["laid"]) == len(model["free"]) == 16
    assert {cell % 8 for cell in model["free"]} == {4, 5, 6, 7}
