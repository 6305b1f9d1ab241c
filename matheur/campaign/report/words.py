"""Format numbers and names for people."""

from __future__ import annotations

import math
import re

from matheur.errors import printable

__all__ = ["counted", "number", "p_value", "percent", "seconds", "significant", "slug", "visible"]


def visible(text: str, *, most: int = 200) -> str:
    """Escape control, format and undecodable characters of a name, and shorten it to `most` characters.

    Examples
    --------
    >>> visible("a\\nb\\u202ec")
    'a\\\\nb\\\\u202ec'
    """
    shown = printable(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def slug(text: str) -> str:
    """Reduce a text to ASCII letters, digits and hyphens, for a file name or an anchor.

    Examples
    --------
    >>> slug("edge-matching/10x10 <b>")
    'edge-matching-10x10-b'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text)[:60].strip("-").lower() or "x"


def significant(value: float, digits: int = 3) -> str:
    """A number to `digits` significant digits, without an exponent where that is readable.

    Examples
    --------
    >>> [significant(x) for x in (0, 0.012345, 1.5, 123.4, 123456.0, 1.2e-7, 4e15)]
    ['0', '0.0123', '1.5', '123', '123,456', '1.2e-07', '4e+15']
    """
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "?"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size < -5 or size > 14:
        return f"{value:.{digits - 1}g}"
    places = max(0, digits - 1 - size)
    shown = f"{value:,.{places}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def number(value: float | None) -> str:
    """Format an objective or a score: whole numbers in full, others to six digits; `-` for None."""
    if value is None:
        return "-"
    if math.isfinite(value) and float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return significant(float(value), 6)


def seconds(value: float | None) -> str:
    """Format seconds to three digits; `-` for None and infinity.

    Examples
    --------
    >>> [seconds(x) for x in (0.0004, 0.0123, 12.34, 3723.0, None)]
    ['0', '0.012', '12.3', '3,723', '-']
    """
    if value is None or not math.isfinite(value):
        return "-"
    return significant(round(value, 3))


def percent(share: float | None, digits: int = 3) -> str:
    """Format a share as a percentage; `-` for None.

    Examples
    --------
    >>> [percent(x) for x in (0.5, 0.012345, -0.00001, 0.0, None)]
    ['50 %', '1.23 %', '-0.001 %', '0 %', '-']
    """
    if share is None or not math.isfinite(share):
        return "-"
    return f"{significant(round(100 * share, 4), digits)} %"


def p_value(value: float) -> str:
    """Format a p-value.

    Examples
    --------
    >>> p_value(0.0312), p_value(0.00001), p_value(1.0)
    ('0.031', '< 0.001', '1')
    """
    return "< 0.001" if value < 0.001 else significant(round(value, 3))


def counted(count: int, one: str, many: str | None = None) -> str:
    """Format a count with its noun.

    Examples
    --------
    >>> counted(1, "run"), counted(2000, "run")
    ('1 run', '2,000 runs')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
