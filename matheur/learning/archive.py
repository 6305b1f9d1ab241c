"""Files of plain arrays with a JSON description and a checksum. Reading one executes nothing.

An uncompressed or compressed NumPy archive (`.npz`). Its member `description` is the JSON text as bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.files import write_atomic
from matheur.errors import ConfigurationError, InputError

__all__ = ["MALFORMED", "Archive"]

_LARGEST = 1 << 30  # bytes of a file, and of what it unpacks to
_DESCRIPTION = "description"
MALFORMED = (
    KeyError, TypeError, ValueError, OverflowError, RecursionError, EOFError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What reading a file of something else may raise."""


class Archive:
    """A kind of file.

    Parameters
    ----------
    form, version
        Name and version of the format, kept in the description.
    what
        For people: `a model file`.
    """

    def __init__(self, form: str, version: int, what: str) -> None:
        self.form: str = form
        self.version: int = version
        self.what: str = what

    def write(self, path: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
        """Write a file, atomically; `facts` are plain values."""
        description = {"format": self.form, "version": self.version, **facts, "checksum": _checksum(arrays)}
        text = np.frombuffer(json.dumps(description).encode(), dtype=np.uint8)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **{_DESCRIPTION: text}, **arrays)  # type: ignore[arg-type]
        write_atomic(path, buffer.getvalue())

    def read(self, path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """The arrays and the description of a file.

        Raises
        ------
        InputError
            If it is no such file, or not as it was written; in one line.
        """
        source = str(path)
        try:
            if path.stat().st_size > _LARGEST:
                raise InputError(f"too large for {self.what}", source=source)
            arrays = _members(path.read_bytes())
            description = dict(json.loads(arrays.pop(_DESCRIPTION).tobytes()))
            if description["format"] != self.form:
                raise InputError(f"not {self.what} of matheur", source=source)
            if description["version"] != self.version:
                raise InputError(f"version {description['version']!r} of the format is unknown", source=source)
            if description["checksum"] != _checksum(arrays):
                raise InputError("the checksum is wrong: the file is damaged", source=source)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", source=source) from None
        except MALFORMED as error:
            raise self.malformed(path, error) from None
        return arrays, description

    def malformed(self, path: Path, error: Exception) -> InputError:
        """What to say of a file whose contents made no sense; a `ConfigurationError` speaks for itself."""
        if isinstance(error, ConfigurationError):
            return InputError(str(error), source=str(path))
        return InputError(f"not {self.what} of matheur ({type(error).__name__})", source=str(path))


def _members(data: bytes) -> dict[str, NDArray[Any]]:
    """All arrays of an archive: numbers, which must say beforehand that they are few enough, and are finite."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(one.file_size for one in archive.infolist()) > _LARGEST:
            raise ValueError("too large")
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        found = {name: archive[name] for name in archive.files}
    for name, array in found.items():
        if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
            raise ValueError(f"'{name}' is no array of finite numbers")
    return found


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    """BLAKE2b (16 bytes) of names, shapes and numbers."""
    digest = blake2b(digest_size=16)
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
