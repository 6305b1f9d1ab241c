"""Cubes as stickers in any colours: 54 in a row, face by face, or unfolded as a net.

There are several common orders of the faces and several ways to unfold a cube, which the layout of a text does not
always distinguish. A text may therefore have several readings; the first one that shows the pieces of a cube counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.problems.rubik.cubies import cubies_of
from matheur.problems.rubik.notation import rotations
from matheur.problems.rubik.stickers import FACES, SOLVED

__all__ = ["Facelets", "facelets_in", "refuse_other_sizes"]

_FACELETS_MIN = 40  # smallest number of letters that are read as facelets
_LINES_MIN = 9  # lines of a net; fewer lines are facelets with line breaks
_CENTRES = range(4, 54, 9)
_ORDERS = ("ULFRBD", "UFRBLD", "UDLRFB", "UDFBLR", "FRBLUD", "FBLRUD", "FBUDLR", "LUFDRB")
_SIDES = ("LFRB", "FRBL", "BLFR", "RBLF")  # faces side by side below U, from the left
_LABEL = re.compile(r"\(?([URFDLB]|up|right|front|down|left|back|upper|top|bottom)\)?\s*[:=]\s*(.*)", re.IGNORECASE)
_WORDS = {"top": "U", "bottom": "D"}
_RULES = re.compile(r"[-+=_|\s]*")
_TURNED_BACK = re.compile(r"(?<!['\w])[URFDLBurfdlbMESxyz]'")
_SIGNS = str.maketrans(dict.fromkeys("|,;/[](){}\"'", " "))

Reading = tuple[str, str]
"""54 letters in Kociemba's order, and the assumption made; empty for the usual layout."""


@dataclass(frozen=True, slots=True)
class Facelets:
    """54 letters in any colours.

    Attributes
    ----------
    readings
        The possible readings, the most likely one first.
    """

    readings: tuple[Reading, ...]

    def named(self, source: Source) -> str:
        """The letters in Kociemba's order, with each colour named after the face whose centre has it.

        Assumptions are recorded in `source`.

        Raises
        ------
        InputError
            If there are not six colours, nine stickers each, with one in each centre, or no reading shows the pieces of
            a cube. The message is that of the first reading.
        """
        fault: InputError | None = None
        for letters, way in self.readings:
            try:
                named, colours = _named(letters)
                cubies_of(named)
            except InputError as error:
                fault = fault or error
                continue
            for note in filter(None, (way, colours)):
                source.assume(note)
            return named
        assert fault is not None
        raise fault


def _named(letters: str) -> Reading:
    """The letters with faces as colours, and the assumption made."""
    small = letters.islower() and set(letters.upper()) <= set(FACES)
    letters = letters.upper() if small else letters
    centres = "".join(letters[i] for i in _CENTRES if i < len(letters))
    if (
        centres == FACES
        or len(letters) != len(SOLVED)
        or (set(letters.upper()) <= set(FACES) and centres not in rotations())
    ):
        wrong = next((i for i, one in enumerate(letters) if one not in FACES), None)
        if wrong is not None:
            raise InputError(f"sticker {wrong + 1} is {shown(letters[wrong])}, not one of {' '.join(FACES)}")
        return letters, "small letters are those of the faces" if small else ""
    for place, colour in zip(FACES, centres, strict=True):
        if centres.count(colour) > 1:
            raise InputError(f"two centres show {shown(colour)}, one that of face {place}")
    for i, colour in enumerate(letters):
        if colour not in centres:
            raise InputError(f"sticker {i + 1} is {shown(colour)}, but no centre is; they are {' '.join(centres)}")
    for colour, many in Counter(letters).items():
        if many != 9:
            raise InputError(f"{many} stickers of colour {colour}, a cube has 9 of each")
    names = dict(zip(centres, FACES, strict=True))
    note = f"colours by the centres: {', '.join(f'{c} is {names[c]}' for c in centres)}"
    return "".join(names[colour] for colour in letters), note


def facelets_in(lines: Sequence[tuple[int, str]]) -> Facelets | None:
    """The facelets in lines of text: one after the other, or the net of a cube; None if the text is something else.

    Raises
    ------
    InputError
        If the net is of an unknown kind, or the cube has another size.
    """
    texts = [text for _, text in lines if not _RULES.fullmatch(text)]
    labelled = _labelled(texts)
    if labelled is not None:
        return labelled
    texts = ["".join(text.translate(_SIGNS).split()) if _separated(text) else text for text in texts]
    rows = ["".join(text.split()) for text in texts]
    packed = "".join(rows)
    numbered = packed.isdigit() and {packed.count(one) for one in set(packed)} == {9}
    if not (packed.isalpha() or numbered) or not packed.isascii() or len(packed) < _FACELETS_MIN:
        return None
    spaced = any(len(text.split()) > 1 for text in texts)
    if len(packed) != len(SOLVED) and spaced:
        return None
    refuse_other_sizes(lines)
    lengths = tuple(map(len, rows))
    if len(rows) >= _LINES_MIN and len(set(lengths)) > 1:
        return Facelets(tuple(_unfolded(rows, lengths)))
    return Facelets(tuple(_in_a_row(packed)))


def refuse_other_sizes(lines: Sequence[tuple[int, str]]) -> None:
    """Reject the stickers of a cube of another size, whose letters could also be turns.

    Raises
    ------
    InputError
        If there are only letters, six different ones, each n x n times for some n other than 3.
    """
    packed = "".join(re.sub(r"[\s,;|]+", "", text) for _, text in lines)
    many = Counter(packed)
    side = isqrt(len(packed) // 6)
    if len(packed) == len(SOLVED) or not packed.isalpha() or packed not in (packed.upper(), packed.lower()):
        return
    if side > 1 and len(many) == 6 and set(many.values()) == {side**2}:
        raise InputError(
            f"{len(packed)} stickers: a cube of {side} x {side} x {side}, which is not read. "
            f"Maybe {packed[0].upper()}1 for one of them, if they are turns?"
        )


def _separated(text: str) -> bool:
    """Whether stickers, or groups of three, are separated by commas, bars, brackets or quotes.

    A quote after a face marks an inverse turn (`R U'`), unless the line begins with a quote.
    """
    if _TURNED_BACK.search(text) and not text.lstrip("[( ").startswith("'"):
        return False
    return bool(
        text.translate(_SIGNS) != text and all(len(part) in (1, 3, 9) for part in text.translate(_SIGNS).split())
    )


def _labelled(texts: Sequence[str]) -> Facelets | None:
    """Faces preceded by their names, as in `U: WWW WWW WWW`."""
    faces: dict[str, str] = {}
    face = ""
    for text in texts:
        label = _LABEL.fullmatch(text)
        if label is not None:
            word = label[1].lower()
            face, text = _WORDS.get(word, word[0].upper()), label[2]
            if face in faces:
                return None
        elif not face:
            return None
        faces[face] = faces.get(face, "") + "".join(text.translate(_SIGNS).split())
    if set(faces) != set(FACES) or any(len(stickers) != 9 or not stickers.isalnum() for stickers in faces.values()):
        return None
    return Facelets((("".join(faces[face] for face in FACES), ""),))


def _in_a_row(packed: str) -> Iterator[Reading]:
    """Readings as one face after the other, or as the rows of a net one after the other."""
    yield packed, ""
    if len(packed) != len(SOLVED):
        return
    for order in _ORDERS:
        faces = {face: packed[9 * i : 9 * i + 9] for i, face in enumerate(order)}
        yield "".join(faces[face] for face in FACES), f"the faces are in the order {' '.join(order)}"
    rows = [packed[9 + 12 * i : 21 + 12 * i] for i in range(3)]
    yield _of_net(packed[:9], rows, "LFRB", packed[45:]), "the rows of a net: U, then L F R B side by side, then D"


def _unfolded(rows: Sequence[str], lengths: tuple[int, ...]) -> Iterator[Reading]:
    """The possible readings of a net."""
    first, middle, last = "".join(rows[:3]), rows[3:6], "".join(rows[6:9])
    if lengths == (3, 3, 3, 12, 12, 12, 3, 3, 3):
        for sides in _SIDES:
            usual = sides == "LFRB"
            yield _of_net(first, middle, sides, last), "" if usual else f"the net has {' '.join(sides)} side by side"
    elif lengths == (3, 3, 3, 9, 9, 9, 3, 3, 3, 3, 3, 3):
        # B is attached below D and therefore upside down; some write it upright.
        back = "".join(rows[9:])
        for seen, way in ((back[::-1], ""), (back, "B stands upright in the net")):
            yield _of_net(first, _with(middle, seen), "LFRB", last), way
    elif lengths == (*(3,) * 6, 9, 9, 9, 3, 3, 3):
        for seen, way in ((first[::-1], ""), (first, "B stands upright in the net")):
            yield _of_net("".join(middle), _with(rows[6:9], seen), "LFRB", "".join(rows[9:])), way
    else:
        raise InputError(
            "a net has rows of 3 stickers (U), of 12 (L, F, R, B side by side) and of 3 (D), or of 9 (L, F, R) with B "
            "above or below in rows of 3"
        )


def _with(rows: Sequence[str], face: str) -> list[str]:
    """The rows of a net with a face to the right of them."""
    return [row + face[3 * i : 3 * i + 3] for i, row in enumerate(rows)]


def _of_net(up: str, middle: Sequence[str], sides: str, down: str) -> str:
    """Stickers in Kociemba's order from U, the faces side by side from the left, and D."""
    faces = {side: "".join(row[3 * i : 3 * i + 3] for row in middle) for i, side in enumerate(sides)}
    faces |= {"U": up, "D": down}
    return "".join(faces[face] for face in FACES)
