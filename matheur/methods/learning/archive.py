"""Files of plain arrays with a JSON description and a checksum. Reading one executes nothing.

An uncompressed or compressed NumPy archive (`.npz`). Its member `description` is the JSON text as bytes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.files import write_atomic
from matheur.errors import ConfigurationError, InputError
from matheur.methods.learning.npz import MALFORMED, read_arrays

__all__ = ["MALFORMED", "Archive"]

_DESCRIPTION = "description"


class Archive:
    """A kind of file.

    Parameters
    ----------
    form, version
        Name and version of the format, stored in the description.
    what
        Readable name of the format for messages, such as `a model file`.
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

    def read(self, path: Path, *, note: bool = True) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """The arrays and the description of a file.

        Parameters
        ----------
        note
            False for a file that will be extended and written again.

        Raises
        ------
        InputError
            If the file is not of this kind, or has been damaged or changed. The message is one line.
        """
        source = str(path)

        def check(described: NDArray[Any]) -> None:
            description = dict(json.loads(described.tobytes()))
            if description["format"] != self.form:
                raise InputError(f"not {self.what} of matheur", source=source)
            if description["version"] != self.version:
                version = str(description["version"])[:40]
                raise InputError(f"version {version!r} of the format is unknown", source=source)

        try:
            arrays = read_arrays(path, _DESCRIPTION, check, note=note)
            description = dict(json.loads(arrays.pop(_DESCRIPTION).tobytes()))
            if description["checksum"] != _checksum(arrays):
                raise InputError("the checksum is wrong: the file is damaged", source=source)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", source=source) from None
        except MALFORMED as error:
            raise self.malformed(path, error) from None
        return arrays, description

    def malformed(self, path: Path, error: Exception) -> InputError:
        """The error for a file with invalid contents; it keeps the message of a `ConfigurationError`."""
        if isinstance(error, ConfigurationError):
            return InputError(str(error), source=str(path))
        return InputError(f"not {self.what} of matheur ({type(error).__name__})", source=str(path))


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    """BLAKE2b (16 bytes) of names, shapes and numbers."""
    digest = blake2b(digest_size=16)
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
