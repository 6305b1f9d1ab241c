"""Options of solvers by name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["closest"]


def closest(option: str, known: Iterable[str]) -> str:
    """The few option names closest to an unknown one; solvers have thousands."""
    return f"Maybe one of: {', '.join(get_close_matches(option, sorted(known), n=3, cutoff=0.0))}."
