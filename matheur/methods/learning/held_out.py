"""Data held out from training, to measure the network."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from matheur.errors import ConfigurationError
from matheur.methods.learning.labels import Labels
from matheur.methods.learning.sampling import Ball

__all__ = ["divided", "divided_plans"]

_HELD_OUT = 2_000
_PLANS_HELD_OUT = 400  # for labels without moves, `_HELD_OUT` instead


def divided(nearby: Ball, rng: Generator) -> tuple[Ball, Ball]:
    """States for training, and states held out for measuring: a tenth, at most `_HELD_OUT`."""
    order = rng.permutation(len(nearby.distances))
    many = min(_HELD_OUT, max(1, len(order) // 10))
    taught, held_out = (nearby.take(np.sort(one)) for one in (order[many:], order[:many]))
    return taught, held_out


def divided_plans(labels: Labels) -> tuple[Labels, Labels]:
    """Plans for training, and the first plans, which are held out for measuring.

    Raises
    ------
    ConfigurationError
        If there are too few plans.
    """
    many = min(_PLANS_HELD_OUT if len(labels.moves) else _HELD_OUT, len(labels) // 10)
    if many < 1:
        raise ConfigurationError(
            f"{len(labels)} optimal plans are too few to learn from and to test with (at least 10)"
        )
    return labels.after(many), labels.first(many)
