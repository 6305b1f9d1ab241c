"""Texts of pictures: cut to the available space, with readable numbers."""

from __future__ import annotations

import unicodedata
from fractions import Fraction

__all__ = ["amount", "counted", "fitted", "width_of", "wrapped"]

_BITS_MAX = 256  # maximum size of whole numbers that are written with all digits
_NARROW = frozenset("fijlrtI.,:;'|!()[]{} -/\"")
_BROAD = frozenset("mwMWQOGD@%&ABCEHKNRSUVXYZ#+=<>~")


def amount(value: Fraction | int, decimals: int = 4) -> str:
    """Return the exact number if `decimals` decimals suffice, else a rounded one with `≈`."""
    value = Fraction(value)
    if value.numerator.bit_length() > _BITS_MAX:
        return f"≈ {'-' if value < 0 else ''}2^{value.numerator.bit_length() - value.denominator.bit_length()}"
    if value.denominator == 1:
        return f"{value.numerator:,}"
    if 10**decimals % value.denominator == 0:
        return f"{float(value):,.{decimals}f}".rstrip("0")
    if abs(value) >= Fraction(1, 10 ** (decimals - 1)):
        return f"≈ {float(value):,.{decimals}f}"
    return f"≈ {float(value):.2g}"


def counted(number: int, what: str) -> str:
    """`1 slot`, `2 slots`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def width_of(text: str, size: float, bold: bool = False) -> float:
    """Estimate the width of a text in a sans-serif font of this size, on the high side."""
    total = 0.0
    for letter in text:
        if letter in _NARROW:
            total += 0.37
        elif letter in _BROAD:
            total += 0.78
        elif unicodedata.east_asian_width(letter) in "WF":
            total += 1.05
        elif unicodedata.combining(letter):
            total += 0.0
        else:
            total += 0.62
    return total * size * (1.14 if bold else 1.0)


def fitted(text: str, room: float, size: float, bold: bool = False) -> str:
    """Return the text, cut to the available width with an ellipsis if it is too wide."""
    if width_of(text, size, bold) <= room:
        return text
    while text and width_of(text + "…", size, bold) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped(text: str, room: float, size: float, lines: int) -> list[str]:
    """Wrap the text to at most `lines` lines; a word that is too wide for a line is cut, and so is the last line."""
    found: list[str] = []
    line = ""
    words = text.split(" ")
    for number, word in enumerate(words):
        longer = f"{line} {word}" if line else word
        if not line or width_of(longer, size) <= room:
            line = longer
            continue
        if len(found) == lines - 1:
            return [*found, fitted(" ".join([line, *words[number:]]), room, size)]
        found.append(fitted(line, room, size))
        line = word
    return [*found, fitted(line, room, size)]
