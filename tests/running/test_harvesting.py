"""What lies in a pool: comparisons for every kind of solution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from matheur.running.harvesting import difference, pool_name


class Plain:
    """A problem whose solutions are plain values, and that does not compare them."""

    def encode(self, solution: Any) -> Any:
        return solution


class Compared(Plain):
    """One that does."""

    def difference(self, first: Any, second: Any) -> int:
        return 7


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2, 3], [1, 2, 3], 0),
        ([1, 2, 3], [3, 2, 1], 2),
        ("UDLR", "UDRRL", 2),
        ([], ["U"], 1),
        ({"goal": "a"}, {"goal": "b", "wing": "a"}, 2),
        ({"goal": None}, {}, 1),
        (3, 4, 1),
        (3, 3, 0),
    ],
)
def test_encoded_solutions_are_compared_entry_by_entry(first: Any, second: Any, expected: int) -> None:
    """Lists, texts and tables by place or name; what only one has counts. The order of the two does not."""
    assert difference(Plain(), first, second) == difference(Plain(), second, first) == expected


def test_a_problem_may_compare_by_itself() -> None:
    """Then its word counts."""
    assert difference(Compared(), 1, 1) == 7


def test_what_names_a_folder(tmp_path: Path) -> None:
    """Only what is one; no name is an error."""
    assert pool_name(str(tmp_path)) == tmp_path
    for name in ("edge-matching/demo", str(tmp_path / "file"), "https://e2.bucas.name/#" + 5000 * "a", "a\0b", "-"):
        assert pool_name(name) is None
