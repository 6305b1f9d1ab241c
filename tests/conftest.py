"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the public data sets (`MATHEUR_DATA`, else `../shared/data` beside the checkout)."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("MATHEUR_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"the public data sets are not here ({folder}); set MATHEUR_DATA to their folder")
    return folder
