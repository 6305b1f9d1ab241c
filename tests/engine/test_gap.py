"""The gap of a solution and a bound."""

from __future__ import annotations

import math

from matheur.engine.gap import optimality_gap


def test_it_is_the_gap_of_miplib() -> None:
    """Relative to the smaller size, infinite across zero, none without a bound, the same for both senses."""
    for score, bound, gap in (
        (110, 100, 0.1),
        (100, 110, 0.1),
        (-100, -110, 0.1),
        (0, 0, 0.0),
        (-3.5, -3.5, 0.0),
        (0, 1e-9, math.inf),
        (5, 0, math.inf),
        (5, -5, math.inf),
        (None, 5, None),
        (5, None, None),
    ):
        assert optimality_gap(score, bound) == gap
