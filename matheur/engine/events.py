"""The event stream of a run: JSON lines, written through; everything that watches a run reads this.

Events: `start, operator, incumbent, bound, proof, migration, checkpoint, end`. Each carries at least
`event, seconds, work`; an `incumbent` carries `objective, score, operator`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from matheur.errors import InputError

__all__ = ["Event", "Observer", "Trace", "plain"]

Event = Mapping[str, Any]
Observer = Callable[[Event], None]


def plain(value: Any) -> Any:
    """Plain JSON values from numpy scalars and arrays, tuples and mappings; infinities become None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


class Trace:
    """An observer that appends every event to a file, one JSON object a line, flushed at once.

    A run that is killed leaves complete lines; a half-written last line of an earlier run is cut off first.

    Raises
    ------
    InputError
        If the file cannot be written, when it is opened or later.
    """

    def __init__(self, path: Path | str, *, append: bool = False) -> None:
        self.path: Path = Path(path)
        try:
            if append and self.path.is_file():
                data = self.path.read_bytes()
                whole = data[: data.rfind(b"\n") + 1]
                if len(whole) < len(data):
                    self.path.write_bytes(whole)
            self._file: TextIO = self.path.open("a" if append else "w", encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write the trace ({error.strerror})", source=str(path)) from None
        except ValueError as error:  # a NUL in the name
            raise InputError(f"cannot write the trace ({error})", source=repr(str(path))) from None

    def __call__(self, event: Event) -> None:
        try:
            self._file.write(json.dumps(plain(event)) + "\n")
            self._file.flush()
        except OSError as error:
            raise InputError(f"cannot write the trace ({error.strerror})", source=str(self.path)) from None

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(OSError):  # what could not be written was reported when it happened
            self._file.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
