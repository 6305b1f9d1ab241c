"""Puzzles of the public data, read without the package's own reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from matheur.problems.edge_matching.instance import Instance


@pytest.fixture(scope="session")
def puzzle(data: Path) -> Callable[[int], Instance]:
    """Brendan Owen's second set by size: the instances of the META 2010 contest."""

    def load(size: int) -> Instance:
        text = (data / f"edge_matching/brendan_set2_meta2010/pieces_{size:02d}x{size:02d}.txt").read_text()
        numbers = np.array(text.split(), dtype=np.int16)
        return Instance(int(numbers[0]), int(numbers[1]), numbers[2:].reshape(-1, 4))

    return load
