"""Partly built tables, kept in the user's cache folder until they are finished.

A file holds the state from which a build continues: a line of JSON, then arrays. It is checked like any table of the
cache, and the build checks its content again. It is removed when the table is finished.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.cache import drop_table, load_table, store_table
from matheur.engine.stored import Stored
from matheur.errors import InputError

__all__ = ["Unfinished", "drop_unfinished", "load_unfinished", "store_unfinished"]

_KIND = "unfinished"
_HEAD_MAX = 1 << 16
_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Unfinished:
    """State of an unfinished build.

    Attributes
    ----------
    numbers
        Plain JSON values.
    arrays
        Arrays by name.
    seconds
        Seconds spent so far.
    """

    numbers: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    seconds: float = field(default=0.0)

    def array(self, name: str, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        """An array by name.

        Raises
        ------
        InputError
            If it is missing, or has another type or shape.
        """
        found = self.arrays.get(name)
        if found is None or found.dtype != np.dtype(dtype) or found.shape != shape:
            raise InputError(f"the stored state is damaged (array '{name}')")
        return found


def store_unfinished(
    name: str, content: Mapping[str, Any], state: Unfinished, *, enough: Callable[[], bool] = lambda: False
) -> None:
    """Store a state in place of the previous one; a failure is logged once and does not end the build.

    Parameters
    ----------
    name
        Name of the table in messages.
    content
        Everything that the finished table depends on.
    enough
        Called repeatedly; once it returns True, nothing is stored.
    """
    head = {
        "numbers": dict(state.numbers),
        "arrays": [[key, one.dtype.str, list(one.shape)] for key, one in state.arrays.items()],
    }
    line = np.frombuffer(json.dumps(head).encode() + b"\n", dtype=np.uint8)
    parts = [np.ascontiguousarray(one).reshape(-1).view(np.uint8) for one in state.arrays.values()]
    store_table(_KIND, name, content, np.concatenate([line, *parts]), state.seconds, enough=enough)


def load_unfinished(content: Mapping[str, Any], *, enough: Callable[[], bool] = lambda: False) -> Unfinished | None:
    """The stored state; None if there is no intact one.

    Raises
    ------
    OutOfBudgetError
        If `enough` returned True.
    """
    found = load_table(_KIND, content, "uint8", None, enough=enough)
    if found is None:
        return None
    flat, stored = found
    end = flat[:_HEAD_MAX].tobytes().find(b"\n") + 1
    try:
        head = Stored(json.loads(flat[:end].tobytes()))
        arrays, at = {}, end
        for key, dtype, shape in head.value("arrays"):
            kind = np.dtype(dtype)
            size = kind.itemsize * int(np.prod(shape, dtype=np.int64))
            arrays[str(key)] = flat[at : at + size].copy().view(kind).reshape(shape)
            at += size
        return Unfinished(head.table("numbers"), arrays, stored.seconds)
    except (InputError, ValueError, TypeError, RecursionError) as error:
        _log.warning("ignoring %s: %s", stored.path, error)
        return None


def drop_unfinished(content: Mapping[str, Any]) -> None:
    """Remove the stored state, if there is one."""
    drop_table(_KIND, content)
