"""Shared code of the hunt and the benchmarks: rows of results, and processes that compute them in parallel."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import backtracking_page  # noqa: E402
from backtracking import puzzle as puzzle_named  # noqa: E402
from backtracking import read as backtracking_rows  # noqa: E402
from processes import results  # noqa: E402
from rows import Rows  # noqa: E402

__all__ = ["DATA", "HERE", "backtracking_page", "backtracking_rows", "puzzle_named", "results", "rows_of"]

DATA = Path(os.environ.get("MATHEUR_DATA", ROOT.parent / "shared" / "data")) / "edge_matching"
"""Folder of the public puzzles."""


def rows_of(name: str, quiet: tuple[str, ...] = ()) -> Rows:
    """Rows in the folder `results` of the hunt."""
    return Rows(name, quiet, HERE / "results")
