"""Small campaigns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SMALL = """
instances = ["edge-matching/3x3", "edge-matching/4x4", { pattern = "quadratic-assignment/grid30", group = "grids" }]
seeds = 2
references = "best.csv"

[base]
construction = "random"
neighbourhoods = []
iterations = 1

[variants.plain]
[variants.again]
groups = ["boards"]
neighbourhoods = ["swap-rotate"]

[groups]
boards = ["edge-matching/*"]
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a campaign file and the reference values beside it."""

    def written(
        text: str = SMALL, name: str = "small.toml", references: str = "instance,score\nedge-matching/4x4,24\n"
    ) -> Path:
        (tmp_path / "best.csv").write_text(references)
        path = tmp_path / name
        path.write_text(text)
        return path

    return written
