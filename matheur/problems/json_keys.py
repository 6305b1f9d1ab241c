"""JSON objects without repeated keys: a repetition is an error instead of silently using the last value."""

from __future__ import annotations

from typing import Any

from matheur.errors import InputError, shown

__all__ = ["without_repetition"]


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build the object from key-value pairs, as the `object_pairs_hook` of `json.loads`.

    Raises
    ------
    InputError
        If a key appears twice; the message lacks the file name (see `InputError.located`).
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InputError(f"the key {shown(key)} appears twice in one object")
            seen.add(key)
    return found
