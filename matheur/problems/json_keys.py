"""Keys of JSON objects: one that appears twice is an error, and not the last of its values."""

from __future__ import annotations

from typing import Any

from matheur.errors import InputError, shown

__all__ = ["without_repetition"]


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these keys and values, as `object_pairs_hook` of `json.loads`.

    Raises
    ------
    InputError
        If a key appears twice; without the name of the file (see `InputError.located`).
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InputError(f"the key {shown(key)} appears twice in one object")
            seen.add(key)
    return found
