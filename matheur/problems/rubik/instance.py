"""An instance of Rubik's cube."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from matheur.errors import InputError, nearest
from matheur.problems.rubik.cubies import Cubies, cubies_of
from matheur.problems.rubik.stickers import MOVES, QUARTER_TURNS

__all__ = ["METRICS", "Instance", "Metric"]

Metric: TypeAlias = Literal["quarter", "half"]

METRICS: tuple[str, ...] = get_args(Metric)
"""Metrics: in `quarter`, only quarter turns count as one move; in `half`, half turns also count as one move."""


@dataclass(frozen=True)
class Instance:
    """Bring every sticker to the face of its colour by turning faces.

    Attributes
    ----------
    facelets
        54 letters in Kociemba's order: faces U R F D L B, each row by row.
    metric
        Metric of the moves, see `METRICS`.
    title
        Title for display.

    Raises
    ------
    InputError
        If the stickers are not those of a cube, or the metric is unknown. Whether turns can solve the cube is not
        checked here.
    """

    facelets: str
    metric: Metric = "quarter"
    title: str = ""

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise InputError(f"unknown metric {self.metric!r}. {nearest(self.metric, METRICS)}")
        assert self.cubies is not None

    @cached_property
    def cubies(self) -> Cubies:
        """Corners and edges."""
        return cubies_of(self.facelets)

    @property
    def moves(self) -> tuple[str, ...]:
        """Names of the allowed moves, in the order of their numbers."""
        return MOVES if self.metric == "half" else MOVES[:QUARTER_TURNS]
