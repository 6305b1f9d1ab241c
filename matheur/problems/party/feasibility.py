"""Demands that cannot be met, seen without a search."""

from __future__ import annotations

from matheur.problems.party.instance import Instance

__all__ = ["infeasible_reason"]


def infeasible_reason(instance: Instance) -> str | None:
    """A sentence that names the demand, or None if nothing plain is wrong."""
    for slot, items in enumerate(instance.candidates):
        if not len(items):
            return f"no usable item fits slot '{instance.slots[slot]}'"
    return None
