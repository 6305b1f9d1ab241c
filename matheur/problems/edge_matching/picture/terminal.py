"""Boards as plain text: a drawing with colours as letters up to 10 x 10, only pieces and mismatches above.

Letters are those of bucas URLs (`b` is colour 1), then capitals; the frame is a dot. If 0 is a colour, colours are
digits, then letters; if sides have signs, `a` is colour 1 and `A` is colour 1 with a minus.
"""

from __future__ import annotations

from matheur.problems.edge_matching.instance import DOWN, LEFT, RIGHT, UP
from matheur.problems.edge_matching.picture.scene import Scene

__all__ = ["draw_text"]

_DRAWN = 10  # larger boards are wider than a terminal
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_LETTERS = "·bcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def draw_text(scene: Scene) -> str:
    """Draw the scene as lines of text."""
    if scene.rows <= _DRAWN and scene.columns <= _DRAWN:
        lines = _drawing(scene)
    elif scene.placed:
        lines = _map(scene)
    else:
        lines = _words(scene)
    return "\n".join([scene.title, "", *(line.rstrip() for line in lines)]) + "\n"


def _letters(scene: Scene, cell: int) -> list[str]:
    """The characters for the sides of a cell: up, right, down, left."""
    colours, signs = scene.sides[cell].tolist(), scene.signs[cell].tolist()
    if scene.rules.zero:
        return [_digit(colour - 1) for colour in colours]
    found = [_letter(colour) for colour in colours]
    if scene.rules.signed:
        found = [_letter(colour) if colour <= 0 else _ALPHABET[colour - 1 : colour] or "*" for colour in colours]
    return [letter.upper() if sign < 0 else letter for letter, sign in zip(found, signs, strict=True)]


def _digit(colour: int) -> str:
    """The character of a colour counted from 0; -1 is an empty cell."""
    return " " if colour < 0 else _DIGITS[colour] if colour < len(_DIGITS) else "*"


def _letter(colour: int) -> str:
    return " " if colour < 0 else _LETTERS[colour] if colour < len(_LETTERS) else "*"


def _drawing(scene: Scene) -> list[str]:
    """Cells of 7 x 3 characters: sides on the edges, piece number in the middle, brackets for a hint, ≠ mismatches."""
    lines = ["+" + "-------+" * scene.columns]
    for row in range(scene.rows):
        upper, middle, lower, below = "|", "|", "|", "+"
        for cell in range(row * scene.columns, (row + 1) * scene.columns):
            sides = _letters(scene, cell)
            label = f"[{scene.labels[cell]}]" if scene.hinted[cell] else scene.labels[cell]
            upper += f"   {sides[UP]}   |"
            middle += f"{sides[LEFT]}{label:^5}{sides[RIGHT]}" + ("≠" if scene.across[cell] else "|")
            lower += f"   {sides[DOWN]}   |"
            below += ("---≠---" if scene.down[cell] else "-------") + "+"
        lines += [upper, middle, lower, below]
    return lines


def _map(scene: Scene) -> list[str]:
    """One character per cell and joint: □ a piece, ■ a hint, · an empty cell, ≠ a mismatch."""
    lines = []
    for row in range(scene.rows):
        cells = range(row * scene.columns, (row + 1) * scene.columns)
        marks = ["·" if not scene.labels[cell] else "■" if scene.hinted[cell] else "□" for cell in cells]
        lines.append(
            "".join(mark + ("≠" if scene.across[cell] else " ") for mark, cell in zip(marks, cells, strict=True))
        )
        lines.append("".join("≠ " if scene.down[cell] else "  " for cell in cells))
    return [*lines[:-1], "", "□ piece   ■ hint   · empty   ≠ mismatch"]


def _words(scene: Scene) -> list[str]:
    """Each piece as its four letters up, right, down, left."""
    words = ["".join(_letters(scene, cell)) for cell in range(len(scene.sides))]
    return [" ".join(words[start : start + scene.columns]) for start in range(0, len(words), scene.columns)]
