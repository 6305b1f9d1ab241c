"""The scripts in `examples/`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "lot_sizing.py"


def test_lot_sizing_of_a_pyomo_user() -> None:
    """On a small instance it ends with an optimum, and has the values in its own model."""
    done = subprocess.run([sys.executable, SCRIPT, "3", "5", "20"], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("optimal: ")
    assert second.startswith("item 1 is made in the periods [1")
