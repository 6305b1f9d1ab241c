"""Run-length encoding of rows and plans: `3r2U` is `rrrUU`, `2(3(dr)R)` is `drdrdrRdrdrdrR`."""

from __future__ import annotations

import re

from matheur.errors import InputError

__all__ = ["expanded"]

_RUN = re.compile(r"([0-9]*)([^0-9]|\Z)")
_DIGITS = 10  # largest number of digits of a count


def expanded(text: str, most: int, what: str) -> str:
    """The text with every sign or bracketed group repeated by the number before it.

    Parameters
    ----------
    most, what
        Largest length, and the message if it is exceeded.

    Raises
    ------
    InputError
        If brackets do not match, a number has nothing to repeat, or the text becomes too long.
    """
    groups: list[tuple[list[str], int, int]] = []
    parts, length, around = list[str](), 0, 0
    for digits, sign in _RUN.findall(text):
        times = int(digits[:_DIGITS] or 1)
        if sign == "(":
            groups.append((parts, length, times))
            parts, length, around = [], 0, around + length
            continue
        if digits and sign in (")", ""):
            raise InputError(f"nothing follows the number {digits[:_DIGITS]} that it could repeat")
        run, size = sign, len(sign)
        if sign == ")":
            if not groups:
                raise InputError("a ')' without its '('")
            run, size = "".join(parts), length
            parts, length, times = groups.pop()
            around -= length
        length += times * size
        if around + length > most:
            raise InputError(what)
        parts.append(run * times)
    if groups:
        raise InputError("a '(' without its ')'")
    return "".join(parts)
