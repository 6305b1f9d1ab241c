"""Files of plain arrays with a JSON description and a checksum. Reading one executes nothing.

A NumPy archive (`.npz`). Its member `description` is the JSON text as bytes; all others are arrays of numbers.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from matheur.engine.files import write_atomic
from matheur.errors import InputError

__all__ = ["BROKEN", "read_archive", "write_archive"]

BROKEN = (KeyError, TypeError, ValueError, OverflowError, RecursionError, zipfile.BadZipFile, EOFError)
"""What reading damaged archives and descriptions may raise."""

_LARGEST = 1 << 30  # bytes of a file, and of what it unpacks to
_DESCRIPTION = "description"


def write_archive(
    path: Path, form: str, version: int, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write an archive, atomically; `form` and `version` name its format."""
    text = json.dumps({"format": form, "version": version, **description, "checksum": _checksum(arrays)})
    buffer = io.BytesIO()
    members = {_DESCRIPTION: np.frombuffer(text.encode(), dtype=np.uint8), **arrays}
    np.savez_compressed(buffer, **members)  # type: ignore[arg-type]
    write_atomic(path, buffer.getvalue())


def read_archive(
    path: Path, form: str, version: int, kind: str, dtypes: Collection[DTypeLike]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Description and arrays of a file.

    Parameters
    ----------
    form, version
        Of the format that is wanted.
    kind
        What the file should be, in words, for messages.
    dtypes
        Types of arrays that occur.

    Raises
    ------
    InputError
        If it is no such file, or not as it was written; in one line.
    """
    source = str(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"too large for a {kind}", source=source)
        arrays = _members(path.read_bytes(), {np.dtype(one) for one in dtypes})
        description = json.loads(arrays.pop(_DESCRIPTION).tobytes())
        if description["format"] != form:
            raise InputError(f"not a {kind} of matheur", source=source)
        if description["version"] != version:
            raise InputError(f"version {description['version']!r} of the format is unknown", source=source)
        if description["checksum"] != _checksum(arrays):
            raise InputError("the checksum is wrong: the file is damaged", source=source)
        return dict(description), arrays
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=source) from None
    except BROKEN as error:
        raise InputError(f"not a {kind} of matheur ({type(error).__name__})", source=source) from None


def _members(data: bytes, dtypes: set[np.dtype[Any]]) -> dict[str, NDArray[Any]]:
    """All arrays of an archive; its members must say beforehand that they are small enough."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(one.file_size for one in archive.infolist()) > _LARGEST:
            raise ValueError("too large")
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        found = {name: archive[name] for name in archive.files}
    for name, array in found.items():
        if array.dtype not in ({np.dtype(np.uint8)} if name == _DESCRIPTION else dtypes):
            raise ValueError(f"'{name}' has the wrong type")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"'{name}' has numbers that are not finite")
    return found


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    """BLAKE2b (16 bytes) of names, shapes and numbers."""
    digest = blake2b(digest_size=16)
    for name in sorted(arrays):
        own = np.ascontiguousarray(arrays[name])
        digest.update(f"{name}{own.shape}".encode())
        digest.update(own.astype(own.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
