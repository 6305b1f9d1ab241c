"""Headers of the sections of an LP file, and recognition of such files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

__all__ = [
    "BINARY",
    "BOUNDS",
    "COMMENT",
    "END",
    "GENERAL",
    "OBJECTIVE",
    "REFUSED",
    "ROWS",
    "begins_like_lp",
    "head_of",
    "looks_like_lp",
    "other_form",
    "place_behind_head",
    "plain_lines",
    "signed_head_of",
]

COMMENT = re.compile(r"\\.*")

OBJECTIVE, ROWS, BOUNDS, GENERAL, BINARY, END, REFUSED = range(7)
"""Kinds of sections."""

_HEADS: Sequence[tuple[int, str]] = (
    (OBJECTIVE, r"max(?:imi[sz]e|imum)?|min(?:imi[sz]e|imum)?"),
    (ROWS, r"(?:subject\s+to|such\s+that|s\.t\.)(?:\s*:)?|st\.?|lazy\s+constraints|user\s+cuts"),
    (BOUNDS, r"bounds?"),
    (
        REFUSED,
        r"semi(?:s|-continuous)?|sos[12]?|sec|pwlobj|general\s+constraints?|gencons|multi-objectives|scenarios?",
    ),
    (GENERAL, r"generals?|gen|integers?|int"),
    (BINARY, r"binar(?:y|ies)|bin"),
    (END, r"end"),
)
_HEAD = re.compile(
    r"[ \t\f\v]*(?:"
    + "|".join(f"(?P<s{kind}>{words})" for kind, words in _HEADS)
    + r")(?![^\s:])[ \t\f\v]*(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(r"[ \t\f\v]*(?:[+\-<>=:*^/]|free\b)", re.IGNORECASE)
_SIGNED_BOUND = re.compile(
    r"[+-]\s*+(?:[0-9.][0-9.eE+-]*+|inf(?:inity)?)\s*+[<>=]++\s*+(?!inf(?:inity)?\b)[^\s0-9+-]", re.I
)
_FIRST_LINE = re.compile(r"(?:\s++|\\[^\n]*+)*+(?P<line>[^\n]*)")
_MAYBE_HEAD = re.compile(r"^[ \t\f\v]*+(?:su|st|s\.t|la|us|bo|ge|in|bi|en)[^\n]*", re.IGNORECASE | re.MULTILINE)
_OTHER_HEADS = (BOUNDS, GENERAL, BINARY, END)
_LP_SOLVE_LINE = re.compile(r"\s*(?:/\*|//|(?:max|min)(?:imi[sz]e)?\s*:)", re.IGNORECASE)
_ROWS_WITH_COLON = re.compile(r"^[ \t\f\v]*+(?:subject\s+to|such\s+that|s\.t\.)\s*:", re.IGNORECASE | re.MULTILINE)
_ROWS_LINE = re.compile(r"^[ \t\f\v]*+(?:subject\s+to|such\s+that|s\.t\.|st\.?)(?=[\s:])", re.IGNORECASE | re.MULTILINE)
_OBJECTIVE_WITH_COLON = re.compile(
    r"(?:\s++|\\[^\n]*+)*+(?:max(?:imi[sz]e|imum)?|min(?:imi[sz]e|imum)?)[ \t\f\v]*:", re.IGNORECASE
)
_WITH_COLON = re.compile(
    r"^[ \t\f\v]*+(?:bounds?|generals?|integers?|binar(?:y|ies)|end)[ \t\f\v]*:(?=[ \t\f\v]*(?:\\|$))",
    re.IGNORECASE | re.MULTILINE,
)
_RETURN = re.compile(r"\r\n?")
_BLANKS = re.compile("[\x85\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]")


def begins_like_lp(text: str) -> bool:
    """Whether a text, or its first part, begins with the sense of an objective; never raises."""
    first = _FIRST_LINE.match(plain_lines(text))
    if first is None:
        return False
    line = COMMENT.sub("", first["line"])
    return OBJECTIVE in (head_of(line), signed_head_of(line, None))


def looks_like_lp(text: str) -> bool:
    """Whether a whole text begins with the sense of an objective, and has rows or another section; never raises."""
    text = plain_lines(text)
    if not begins_like_lp(text):
        return False
    for found in _MAYBE_HEAD.finditer(text):
        line = COMMENT.sub("", found[0])
        kind = head_of(line)
        if kind == ROWS or (kind in _OTHER_HEADS and len(line.split()) == 1):
            return True
    return False


def plain_lines(text: str) -> str:
    """The text with LF line endings, and with blanks and signs in ASCII for those of Unicode, as in copied text.

    Headers have no colon: that of the objective if another one is that of the rows, which the form of lp_solve does not
    have, and all others if that of the rows has one. With a colon they would be names of rows.
    """
    text = text if text.isascii() else _BLANKS.sub(" ", text).replace("≤", "<=").replace("≥", ">=")
    text = _RETURN.sub("\n", text) if "\r" in text else text
    objective = _OBJECTIVE_WITH_COLON.match(text)
    if objective is not None and _ROWS_LINE.search(text):
        text = f"{objective[0][:-1]} {text[objective.end() :]}"
    return _WITH_COLON.sub(lambda match: f"{match[0][:-1]} ", text) if _ROWS_WITH_COLON.search(text) else text


def head_of(line: str) -> int | None:
    """The section that a line begins; None if it begins none. A column may be named like a section."""
    match = _HEAD.match(line)
    if match is None or _AFTER_NAME.match(match["rest"]):
        return None
    return _kind(match)


def signed_head_of(line: str, section: int | None, before: Callable[[], str] = str) -> int | None:
    """The section that a line begins although a sign follows the header, as in `min -x + y`; None if it begins none.

    Such a line may also begin with a column that is named like a section. It does not if that would make no sense: at
    the begin of a file, after two words, after the last term of the objective, or with a bound.

    Parameters
    ----------
    section
        The section before the line; None if there is none.
    before
        Returns the last text of that section, without comments.
    """
    match = _HEAD.match(line)
    if match is None or match["rest"][:1] not in ("+", "-"):
        return None
    kind = _kind(match)
    if kind == OBJECTIVE:
        return kind if section is None else None
    if kind == ROWS:
        two = len(line[: match.start("rest")].split()) > 1
        return kind if two or (section == OBJECTIVE and before().rstrip()[-1:] not in ("", *"+-*:")) else None
    return kind if kind == BOUNDS and section in (OBJECTIVE, ROWS) and _SIGNED_BOUND.match(match["rest"]) else None


def place_behind_head(line: str) -> int:
    """Place of the text behind the header in a line that begins a section."""
    match = _HEAD.match(line)
    assert match is not None
    return match.start("rest")


def _kind(match: re.Match[str]) -> int:
    return next(kind for kind, _ in _HEADS if match[f"s{kind}"] is not None)


def other_form(line: str) -> str:
    """Message for a first line in the format of lp_solve, which has the same file extension; else empty."""
    return "the form of lp_solve. Maybe write the model as MPS?" if _LP_SOLVE_LINE.match(line) else ""
