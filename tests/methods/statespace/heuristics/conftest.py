"""Every test here has a cache folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the tests keep tables in."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MATHEUR_CACHE", str(folder))
    return folder
