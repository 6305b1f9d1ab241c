"""A fixed share of the drawn plan puzzles; `benchmarks/differential.py plans` draws more."""

from __future__ import annotations

import pytest

from differential.plans import drawn, wrong


@pytest.mark.parametrize("number", range(40))
def test_drawn_puzzles_are_read_and_solved_right(number: int) -> None:
    """Costs, proofs that there is no plan, and plans in other spellings, against exhaustive search."""
    assert wrong(drawn(45, number), number) == ""
