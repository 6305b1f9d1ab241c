"""NumPy archives (`.npz`) of numbers, read within bounds: no memory is allocated for sizes that a file only claims."""

from __future__ import annotations

import ast
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.inputs import read_bytes

__all__ = ["MALFORMED", "read_arrays"]

_LARGEST = 1 << 30  # bytes of a file, and of its unpacked contents
_MEMBERS = 10_000
_HEADER = 1 << 14  # bytes of the header of an array
_RATIO, _FREE = 64, 64 << 20  # a packed file may unpack to 64 times its size, plus 64 MiB
MALFORMED = (
    KeyError, TypeError, ValueError, OverflowError, RecursionError, EOFError, SyntaxError, NotImplementedError,
    RuntimeError, MemoryError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""Exceptions that reading a malformed file may raise."""

Arrays = dict[str, NDArray[Any]]


def read_arrays(
    path: Path | str, first: str, check: Callable[[NDArray[Any]], None] = lambda array: None, *, note: bool = True
) -> Arrays:
    """All arrays of a file.

    Parameters
    ----------
    first
        Name of the array that identifies the file. It is read first; the others are read only if `check` accepts it.
    note
        See `matheur.engine.inputs.read_bytes`.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If the file is too large, or not an archive of finite numbers. The other exceptions of `MALFORMED`, and those
        of `check`, may be raised as well.
    """
    data = read_bytes(path, _LARGEST, note=note)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {one.filename.removesuffix(".npy"): one for one in archive.infolist()}
        if len(members) < len(archive.infolist()) or len(members) > _MEMBERS:
            raise ValueError("members with the same name, or too many of them")
        if sum(one.file_size for one in members.values()) > min(_LARGEST, _RATIO * len(data) + _FREE):
            raise ValueError("it unpacks to more data than such a file has")
        found: Arrays = {first: _array(archive, members.pop(first))}
        check(found[first])
        for name, member in members.items():
            found[name] = _array(archive, member)
    return found


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """One array of finite numbers, whose size must match the bytes of the member."""
    with archive.open(member) as file:
        head = file.read(8)
        if len(head) < 8 or head[:6] != b"\x93NUMPY":
            raise ValueError(f"'{member.filename}' is not an array")
        width = 2 if head[6] == 1 else 4
        length = int.from_bytes(file.read(width), "little")
        if length > _HEADER:
            raise ValueError(f"'{member.filename}' has a header of {length} bytes")
        described = ast.literal_eval(file.read(length).decode("latin1"))
        kind, shape = _described(described)
        count = 1
        for one in shape:
            count *= one
        size = count * kind.itemsize
        if size != member.file_size - 8 - width - length:
            raise ValueError(f"'{member.filename}' does not hold the numbers that it claims")
        data = bytearray(file.read(size))
        if len(data) != size or file.read(1):
            raise ValueError(f"'{member.filename}' does not hold the numbers that it claims")
    array: NDArray[Any] = np.frombuffer(data, dtype=kind)
    if kind.kind == "f" and not np.isfinite(array.sum(dtype=np.float64)) and not np.isfinite(array).all():
        raise ValueError(f"'{member.filename}' holds numbers that are not finite")
    return array.reshape(shape, order="F" if described["fortran_order"] else "C")


def _described(described: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Type and shape of an array from its header."""
    if not isinstance(described, Mapping) or set(described) != {"descr", "fortran_order", "shape"}:
        raise ValueError("a malformed header")
    shape = described["shape"]
    if not isinstance(described["descr"], str) or not isinstance(described["fortran_order"], bool):
        raise ValueError("arrays must hold numbers")
    kind = np.dtype(described["descr"])
    if kind.kind not in "iuf":
        raise ValueError("arrays must hold integers or floats")
    if not isinstance(shape, tuple) or len(shape) > 32 or not all(type(one) is int and one >= 0 for one in shape):
        raise ValueError("a malformed shape")
    return kind, shape
