"""The drawings of regions and neighbourhoods in the documentation."""

from __future__ import annotations

import runpy
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from matheur.problems.edge_matching import generate

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "drawings.py"))


def test_the_drawings_are_those_of_the_script(script: dict[str, Any]) -> None:
    """`python docs/drawings.py` writes them, the page shows them, and they are well-formed."""
    page = (ROOT / "docs" / "problems" / "edge-matching.md").read_text(encoding="utf-8")
    for name, text in script["drawings"]().items():
        assert (ROOT / "docs" / "images" / name).read_text(encoding="utf-8") == text, "python docs/drawings.py"
        assert f"(../images/{name})" in page
        assert ElementTree.fromstring(text).tag.endswith("svg")


def test_neighbourhoods_free_what_the_paper_draws(script: dict[str, Any]) -> None:
    """The ring of the border, a 6 x 6 window, inner cells that do not touch, one colour of a board, two cells."""
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
