"""Puzzles of the public data, read without the package's own reader, and commands that are stopped late."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from matheur.errors import SolverError
from matheur.methods.clique import Adapter, ExternalResult, solve_external
from matheur.problems.edge_matching.instance import Instance
from matheur.problems.max_clique import Graph


@pytest.fixture(scope="session")
def puzzle(data: Path) -> Callable[[int], Instance]:
    """Brendan Owen's second set by size: the instances of the META 2010 contest."""

    def load(size: int) -> Instance:
        text = (data / f"edge_matching/brendan_set2_meta2010/pieces_{size:02d}x{size:02d}.txt").read_text()
        numbers = np.array(text.split(), dtype=np.int16)
        return Instance(int(numbers[0]), int(numbers[1]), numbers[2:].reshape(-1, 4))

    return load


def stopped_late(command: str | Adapter, graph: Graph) -> ExternalResult:
    """What a command that prints its answer at its start, and then sleeps, had said at a deadline.

    The deadlines grow until the command has begun before one of them: a busy machine may need seconds for that.
    """
    for seconds in (0.5, 2.0, 8.0, 32.0):
        try:
            found = solve_external(command, graph, seconds=seconds)
        except SolverError:
            continue
        assert found.seconds < 500
        return found
    raise AssertionError("the command has never begun")
