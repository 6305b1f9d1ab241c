"""What a reader is told: hints as numbers and as texts."""

from __future__ import annotations

from typing import Any

import pytest

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.formats import ReadOptions

HINTS = ((0, 0, 1, None), (7, 8, 139, 2))


@pytest.mark.parametrize(
    "given",
    [[[0, 0, 1], [7, 8, 139, 2]], ["0,0=1", "7,8=139/2"], "0,0=1 7,8=139/2", " 0,0=1\n7,8=139/2 ",
     [[0, 0, 1, None], "7,8=139/2"]],
)  # fmt: skip
def test_hints_are_numbers_or_texts(given: Any) -> None:
    """Lists of numbers, texts, or one text with all of them mean the same."""
    assert ReadOptions.from_mapping({"hints": given}).hints == HINTS


@pytest.mark.parametrize(
    "given",
    ["here", "0,0", "0,0=", "-1,0=3", "0,0=1/4", "0,0=1/", "0;0=1", "0,0=1,1,1=2", ["0,0=1 1,1=2"], [5], 5, True,
     {"0,0": 1}, "0,0=99999999999999999999", "٠,٠=١"],
)  # fmt: skip
def test_what_is_no_hint_is_refused(given: Any) -> None:
    """The error shows it, and how a hint is written."""
    with pytest.raises(ConfigurationError, match="hint"):
        ReadOptions.from_mapping({"hints": given})
