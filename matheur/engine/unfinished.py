"""Tables that are partly built, kept in the user's cache folder until they are finished.

A file holds what a build needs to go on: a line of JSON, then arrays. It is checked as any table of the cache is, and
the build checks what it gets again. It is removed when the table is finished.
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
    """Where a build stands.

    Attributes
    ----------
    numbers
        Plain JSON values.
    arrays
        Arrays by name.
    seconds
        Spent until now.
    """

    numbers: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    seconds: float = field(default=0.0)

    def array(self, name: str, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        """One of the arrays.

        Raises
        ------
        InputError
            If it is missing, or of another type or shape.
        """
        found = self.arrays.get(name)
        if found is None or found.dtype != np.dtype(dtype) or found.shape != shape:
            raise InputError(f"the stored state is damaged (array '{name}')")
        return found


def store_unfinished(
    name: str, content: Mapping[str, Any], state: Unfinished, *, enough: Callable[[], bool] = lambda: False
) -> None:
    """Keep a state in place of the one before; if that is impossible, say so once and go on.

    Parameters
    ----------
    name
        For people.
    content
        All that the finished table depends on.
    enough
        Asked on the way: once it says so, nothing is kept.
    """
    head = {
        "numbers": dict(state.numbers),
        "arrays": [[key, one.dtype.str, list(one.shape)] for key, one in state.arrays.items()],
    }
    line = np.frombuffer(json.dumps(head).encode() + b"\n", dtype=np.uint8)
    parts = [np.ascontiguousarray(one).reshape(-1).view(np.uint8) for one in state.arrays.values()]
    store_table(_KIND, name, content, np.concatenate([line, *parts]), state.seconds, enough=enough)


def load_unfinished(content: Mapping[str, Any], *, enough: Callable[[], bool] = lambda: False) -> Unfinished | None:
    """A kept state; None if there is none that is whole.

    Raises
    ------
    OutOfBudgetError
        If `enough` said so.
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
    """Remove a kept state, if there is one."""
    drop_table(_KIND, content)
