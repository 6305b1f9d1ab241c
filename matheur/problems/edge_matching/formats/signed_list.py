"""Pieces whose sides have signs: `1 -2 3 -4`, or letters whose case is the sign (`a B c D`, also `aBcD`).

Scramble squares and other puzzles with halves of pictures use this form: +c matches -c, a small letter its capital.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from matheur.problems.edge_matching.formats.text import COLOUR_MAX, Line

__all__ = ["begins_with_piece", "is_signed", "signed_table"]

_BOTH = 2  # colours
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
_LETTER = re.compile(r"[A-Za-z]")
_WORD = re.compile(r"[A-Za-z]{4}")


def is_signed(lines: Sequence[Line]) -> bool:
    """Whether the lines after the first, which may be a size, are pieces with signs.

    At least two colours must have both signs, because a single minus is a mistake.
    """
    body = [line.words for line in lines[1:]]
    if not body:
        return False
    if all(len(words) == 4 and all(map(_NUMBER.fullmatch, words)) for words in body):
        sides = {int(word) for words in body for word in words}
        return sum(-side in sides for side in sides if side > 0) >= _BOTH
    return _letters(body)


def begins_with_piece(line: Line) -> bool:
    """Whether a line is a piece with signs instead of the size."""
    return len(line.words) == 4 or bool(_WORD.fullmatch(line.text))


def _letters(body: list[list[str]]) -> bool:
    """Whether the lines contain only letters, of both cases."""
    if all(len(words) == 4 and all(map(_LETTER.fullmatch, words)) for words in body):
        text = "".join("".join(words) for words in body)
    elif all(len(words) == 1 and _WORD.fullmatch(words[0]) for words in body):
        text = "".join(words[0] for words in body)
    else:
        return False
    return sum(one.upper() in text for one in set(text) if one.islower()) >= _BOTH


def signed_table(lines: Sequence[Line]) -> list[list[int]]:
    """The sides of each piece as numbers with signs.

    Raises
    ------
    InputError
        If a line is malformed, with its number.
    """
    table = []
    for line in lines:
        words = list(line.words[0]) if len(line.words) == 1 and _WORD.fullmatch(line.words[0]) else line.words
        if len(words) != 4:
            raise line.error(f"a piece has 4 sides (this line has {len(words)})")
        sides = []
        for word in words:
            if _LETTER.fullmatch(word):
                sides.append((ord(word.lower()) - ord("a") + 1) * (1 if word.islower() else -1))
            elif _NUMBER.fullmatch(word) and abs(int(word)) <= COLOUR_MAX // 2:
                sides.append(int(word))
            else:
                raise line.error(f"sides are numbers up to {COLOUR_MAX // 2} with a sign, or letters ({word[:20]!r})")
        table.append(sides)
    return table
