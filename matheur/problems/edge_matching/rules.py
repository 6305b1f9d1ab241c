"""Variants of edge matching: pieces that may not be turned, sides with signs, and 0 as a colour like any other.

Inside the package, colours are codes: 0 is the frame, and every other side has a code from 1. Where 0 is a colour,
codes are one more than what the file says; with signs, +c has the code 2c - 1 and -c the code 2c. Two sides match if
one has the code that is the partner of the other: its own, or with signs the one of the opposite sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PLAIN", "VARIANTS", "Rules"]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a puzzle allows.

    Attributes
    ----------
    rotation
        Whether pieces may be turned.
    signed
        Whether +c matches -c, as the two halves of a picture or of a jigsaw's edge do.
    zero
        Whether 0 is a colour, not the frame. Not with signs: 0 has none.

    Raises
    ------
    ValueError
        If sides are to have signs, and 0 is to be a colour.
    """

    rotation: bool = True
    signed: bool = False
    zero: bool = False

    def __post_init__(self) -> None:
        if self.signed and self.zero:
            raise ValueError("with signed sides 0 is the frame, and no colour")

    def codes(self, colours: Any) -> NDArray[np.int16]:
        """The codes of colours as files have them."""
        given = np.asarray(colours, dtype=np.int64)
        if self.signed:
            given = np.where(given > 0, 2 * given - 1, -2 * given)
        return (given + self.zero).astype(np.int16)

    def colours(self, codes: Any) -> NDArray[np.int16]:
        """The colours of codes, as files have them."""
        found = np.asarray(codes, dtype=np.int64) - self.zero
        if self.signed:
            found = np.where(found % 2 == 1, (found + 1) // 2, -found // 2)
        return found.astype(np.int16)

    def partners(self, codes: NDArray[np.integer]) -> NDArray[np.int16]:
        """The code that matches each code; 0 for 0."""
        if not self.signed:
            return np.asarray(codes, dtype=np.int16)
        return np.where(codes == 0, 0, codes + np.where(codes % 2 == 1, 1, -1)).astype(np.int16)


PLAIN = Rules()
"""Those of Eternity II."""

VARIANTS: Mapping[str, Rules] = MappingProxyType(
    {
        "framed": PLAIN,
        "free": Rules(zero=True),
        "tetravex": Rules(rotation=False, zero=True),
        "signed": Rules(signed=True),
    }
)
"""Rules by name: with a frame of 0, without one, without rotation in addition, and with signs."""
