"""What is kept from a training, to measure the network by."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from matheur.errors import ConfigurationError
from matheur.methods.learning.labels import Labels
from matheur.methods.learning.sampling import Ball

__all__ = ["divided", "divided_plans"]

_HELD_OUT = 2_000
_PLANS_HELD_OUT = 400  # of starts without their plans as many as other states


def divided(nearby: Ball, rng: Generator) -> tuple[Ball, Ball]:
    """States to learn from, and others to measure by: a tenth, at most `_HELD_OUT`."""
    order = rng.permutation(len(nearby.distances))
    many = min(_HELD_OUT, max(1, len(order) // 10))
    taught, held_out = (nearby.take(np.sort(one)) for one in (order[many:], order[:many]))
    return taught, held_out


def divided_plans(labels: Labels) -> tuple[Labels, Labels]:
    """All plans but the first ones, and the first ones.

    Raises
    ------
    ConfigurationError
        If there are too few.
    """
    many = min(_PLANS_HELD_OUT if len(labels.moves) else _HELD_OUT, len(labels) // 10)
    if many < 1:
        raise ConfigurationError(f"{len(labels)} optimal plans are too few to learn from and to measure by (10)")
    return labels.after(many), labels.first(many)
