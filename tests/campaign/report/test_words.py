"""Examples in docstrings of reports and statistics hold."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = [
    "matheur.campaign.report.markdown",
    "matheur.campaign.report.scales",
    "matheur.campaign.report.tables",
    "matheur.campaign.report.words",
    "matheur.campaign.statistics.comparison",
    "matheur.campaign.statistics.gaps",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    """What a docstring shows is what the function does."""
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted > 0
    assert done.failed == 0
