"""A fixed share of the differential test of graph files."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.graphs import VARIANTS, draw, wrong


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs_are_read_rightly_in_every_format(seed: int, tmp_path: Path) -> None:
    """Vertices, their names, edges and the largest clique are those that were written."""
    assert [fault for variant in VARIANTS if (fault := wrong(draw(seed), variant, tmp_path))] == []
