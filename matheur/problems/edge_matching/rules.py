"""Variants of edge matching: pieces that may not be turned, sides with signs, and 0 as a colour like any other.

Inside the package, colours are codes: 0 is the frame, and every other side has a code from 1. If 0 is a colour, codes
are the file's values plus one; with signs, +c has the code 2c - 1 and -c the code 2c. Two sides match if the code of
one is the partner of the other's: the same code or, with signs, the code of the opposite sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CODE_MAX", "PLAIN", "VARIANTS", "Rules"]

CODE_MAX = (1 << 15) - 2
"""Largest code: tables by code have one entry more, with a number of 16 bits."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of a puzzle.

    Attributes
    ----------
    rotation
        Whether pieces may be turned.
    signed
        Whether +c matches -c, as the two halves of a picture or of a jigsaw's edge do.
    zero
        Whether 0 is a colour instead of the frame. Not with signs, because 0 has no sign.

    Raises
    ------
    ValueError
        If both `signed` and `zero` are set.
    """

    rotation: bool = True
    signed: bool = False
    zero: bool = False

    def __post_init__(self) -> None:
        if self.signed and self.zero:
            raise ValueError("with signed sides 0 is the frame, not a colour")

    def codes(self, colours: Any) -> NDArray[np.int16]:
        """The codes of colours given as in files.

        Raises
        ------
        ValueError
            If they are not integers, or too large for codes of 16 bits.
        """
        given = np.asarray(colours)
        if given.size and given.dtype.kind not in "iub":
            raise ValueError(f"colours are whole numbers (these have the type {given.dtype})")
        given = given.astype(np.int64)
        if given.size and abs(given).max() > CODE_MAX // (2 if self.signed else 1) - self.zero:
            raise ValueError(f"a colour that is too large ({given.ravel()[abs(given).argmax()]})")
        if self.signed:
            given = np.where(given > 0, 2 * given - 1, -2 * given)
        return (given + self.zero).astype(np.int16)

    def colours(self, codes: Any) -> NDArray[np.int16]:
        """The colours of codes, as in files."""
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
"""Rules of Eternity II."""

VARIANTS: Mapping[str, Rules] = MappingProxyType(
    {
        "framed": PLAIN,
        "free": Rules(zero=True),
        "tetravex": Rules(rotation=False, zero=True),
        "signed": Rules(signed=True),
    }
)
"""Rules by name: with frame colour 0, without a frame, without a frame and rotation, and with signs."""
