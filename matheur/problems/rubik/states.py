"""Cubes as they lie there: facelets in a row or as a net, and pieces place by place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.problems.rubik.cubies import CORNER_STICKERS, CORNERS, EDGE_STICKERS, EDGES
from matheur.problems.rubik.notation import rotations
from matheur.problems.rubik.stickers import FACES, SOLVED

__all__ = ["Facelets", "by_pieces", "facelets_in", "pieces_in"]

_FACELETS_MIN = 40  # letters that are meant as facelets
_LINES_MIN = 9  # of a net; fewer are facelets broken into lines
_NET = (3, 3, 3, 12, 12, 12, 3, 3, 3)
_CENTRES = range(4, 54, 9)

PLACES = "UF UR UB UL DF DR DB DL FR FL BR BL UFR URB UBL ULF DRF DFL DLB DBR".split()  # noqa: SIM905
"""The order in which Singmaster's notation names pieces (Reid's programs and others)."""

_STICKERS = {
    frozenset(name): stickers for name, stickers in zip(CORNERS + EDGES, CORNER_STICKERS + EDGE_STICKERS, strict=True)
}


@dataclass(frozen=True, slots=True)
class Facelets:
    """54 letters in Kociemba's order, in any colours.

    Attributes
    ----------
    letters
        Letters, or digits, as they stand in the file.
    """

    letters: str

    def named(self, source: Source) -> str:
        """The same with each colour called after the face that has it in the centre; if that is new, it is noted.

        Raises
        ------
        InputError
            If the colours are not six, nine times each, with one in each centre.
        """
        centres = "".join(self.letters[i] for i in _CENTRES)
        if (
            centres == FACES
            or len(self.letters) != len(SOLVED)
            or (set(self.letters.upper()) <= set(FACES) and centres not in rotations())
        ):
            wrong = next((i for i, one in enumerate(self.letters) if one not in FACES), None)
            if wrong is not None:
                raise InputError(f"sticker {wrong + 1} is {shown(self.letters[wrong])}, not one of {' '.join(FACES)}")
            return self.letters
        for place, colour in zip(FACES, centres, strict=True):
            if centres.count(colour) > 1:
                raise InputError(f"two centres show {shown(colour)}, one that of face {place}")
        for i, colour in enumerate(self.letters):
            if colour not in centres:
                raise InputError(f"sticker {i + 1} is {shown(colour)}, but no centre is; they are {' '.join(centres)}")
        for colour, many in Counter(self.letters).items():
            if many != 9:
                raise InputError(f"{many} stickers of colour {colour}, a cube has 9 of each")
        names = dict(zip(centres, FACES, strict=True))
        source.assume(f"colours by the centres: {', '.join(f'{c} is {names[c]}' for c in centres)}")
        return "".join(names[colour] for colour in self.letters)


def facelets_in(lines: Sequence[tuple[int, str]]) -> Facelets | None:
    """The facelets in lines of text: one after the other, or the net of a cube; None if they hold something else.

    A net has the rows of U, then of L, F, R and B side by side, then of D.

    Raises
    ------
    InputError
        If they are unfolded in another way.
    """
    rows = ["".join(text.split()) for _, text in lines]
    packed = "".join(rows)
    numbered = packed.isdigit() and {packed.count(one) for one in packed} == {9}
    if not (packed.isalpha() or numbered) or not packed.isascii() or len(packed) < _FACELETS_MIN:
        return None
    spaced = any(len(text.split()) > 1 for _, text in lines)
    if len(packed) != len(SOLVED) and spaced:
        return None
    lengths = tuple(map(len, rows))
    if lengths == _NET:
        up, middle, down = packed[:9], packed[9:45], packed[45:]
        left, front, right, back = (
            "".join(middle[12 * row + 3 * i : 12 * row + 3 * i + 3] for row in range(3)) for i in range(4)
        )
        return Facelets(up + right + front + down + left + back)
    if len(rows) >= _LINES_MIN and len(set(lengths)) > 1:
        raise InputError("a net has rows of 3 stickers (U), of 12 (L, F, R, B side by side), and of 3 (D)")
    return Facelets(packed)


def pieces_in(lines: Sequence[tuple[int, str]]) -> list[str] | None:
    """Names of the pieces in each place, such as `UF UR ...`; None if the words are something else.

    Raises
    ------
    InputError
        If the words are names of pieces, but not twenty of them: they could be turns without blanks as well.
    """
    words = [word for _, text in lines for word in re.split(r"[\s,;]+", text) if word]
    if len(words) < 2 or not all(frozenset(word) in _STICKERS and len(set(word)) == len(word) for word in words):
        return None
    if [len(word) for word in words] != [len(place) for place in PLACES]:
        raise InputError(
            f"{shown(words[0])} may be a piece or turns. Maybe a blank between turns, or all 12 edges and 8 corners?"
        )
    return words


def by_pieces(words: Sequence[str], source: Source) -> str:
    """The facelets of a cube from its pieces, place by place; their order is noted."""
    stickers = list(SOLVED)
    for place, piece in zip(PLACES, words, strict=True):
        for face, colour in zip(place, piece, strict=True):
            stickers[next(i for i in _STICKERS[frozenset(place)] if SOLVED[i] == face)] = colour
    source.assume(f"pieces in the places {' '.join(PLACES[:5])} ... {PLACES[-1]}, one after the other")
    return "".join(stickers)
