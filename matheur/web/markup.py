"""HTML as values: everything that is not markup is text, and is escaped when it is inserted."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from matheur.campaign.report.words import visible

__all__ = ["Markup", "join", "named", "tag"]

_VOID = frozenset(("br", "hr", "img", "input", "link", "meta", "wbr"))


class Markup(str):
    """HTML text. It is created only by `tag` and from literal texts of this package."""

    __slots__ = ()


def join(*children: Any) -> Markup:
    """Concatenated children: markup unchanged, other values as escaped text, None as nothing; lists are flattened."""
    parts = []
    for child in children:
        if child is None or child is False:
            continue
        if isinstance(child, Markup):
            parts.append(str(child))
        elif isinstance(child, Iterable) and not isinstance(child, str | bytes):
            parts.append(str(join(*child)))
        else:
            parts.append(escape(str(child)))
    return Markup("".join(parts))


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element. The attribute `class_` stands for `class`, `data_x` for `data-x`; None and False omit an attribute.

    Examples
    --------
    >>> tag("a", "<b>", href="/x?a&b", class_="now")
    '<a href="/x?a&amp;b" class="now">&lt;b&gt;</a>'
    """
    said = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        word = key.rstrip("_").replace("_", "-")
        said.append(f" {word}" if value is True else f' {word}="{escape(str(value))}"')
    begin = f"<{name}{''.join(said)}>"
    return Markup(begin if name in _VOID else f"{begin}{join(*children)}</{name}>")


def named(text: str, *, most: int = 120) -> Markup:
    """An untrusted name, with invisible characters shown and isolated from the writing direction of its line."""
    return tag("bdi", visible(text, most=most))
