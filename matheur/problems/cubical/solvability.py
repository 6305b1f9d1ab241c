"""Arguments that show, without a search, that a target cannot be reached."""

from __future__ import annotations

from matheur.problems.cubical.instance import Instance

__all__ = ["unsolvable_reason"]


def unsolvable_reason(instance: Instance) -> str | None:
    """A sentence if the target plainly cannot be reached; None says nothing."""
    del instance
    return None
