"""Tables that are expensive to compute, kept in the user's cache folder.

One file per table: a line that names the format, a line of JSON, then the bytes. Files are checked when they are read
(length, type, checksum and content); an invalid file is treated as missing. Reading executes no code. A cache that
cannot be read or written costs time but never affects results.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from matheur.alarm import OutOfBudgetError
from matheur.engine.files import write_atomic
from matheur.errors import InputError
from matheur.version import __version__

__all__ = ["StoredTable", "cache_folder", "drop_table", "has_table", "load_table", "store_table", "stored_tables"]

_MAGIC = b"matheur table 1\n"
_HEADER_MAX = 1 << 16
_CHUNK = 1 << 24
_SUFFIX = ".table"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredTable:
    """Description of a table in the cache, read from the header of its file.

    Attributes
    ----------
    name
        Display name.
    path
        Path of the file.
    bytes
        Size of the table.
    seconds
        Seconds that the build took.
    checksum
        BLAKE2b (16 bytes, hexadecimal) of the table's bytes.
    created, version
        Time of writing, and version of matheur that wrote it.
    content
        Everything that the table depends on; different content identifies a different table.
    """

    name: str
    path: Path
    bytes: int
    seconds: float
    checksum: str
    created: str
    version: str
    content: Mapping[str, Any]


def cache_folder() -> Path | None:
    """Return `MATHEUR_CACHE`, else `$XDG_CACHE_HOME/matheur`, else `~/.cache/matheur`; None if there is no home."""
    own = os.environ.get("MATHEUR_CACHE")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    if shared and Path(shared).is_absolute():
        return Path(shared) / "matheur"
    try:
        return Path.home() / ".cache" / "matheur"
    except RuntimeError:
        return None


def store_table(
    kind: str,
    name: str,
    content: Mapping[str, Any],
    table: NDArray[Any],
    seconds: float,
    *,
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Store a table; if that is impossible, log it once and continue.

    Parameters
    ----------
    kind
        Folder inside the cache.
    name
        Display name.
    content
        Plain JSON values: everything that the table depends on. The version of matheur is added.
    table
        C-contiguous array of integers or floats.
    seconds
        Seconds that the build took.
    enough
        Called repeatedly; once it returns True, nothing is stored.
    """
    path = _path(kind, content)
    if path is None:
        return
    flat = _bytes(table)
    header = {
        "name": name,
        "content": _full(content),
        "dtype": table.dtype.str,
        "shape": list(table.shape),
        "seconds": round(seconds, 3),
        "checksum": _checksum(flat),
        "created": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, _pieces(header, flat, enough), sync=False)
    except OutOfBudgetError:
        return
    except (OSError, InputError) as error:
        _warn_once(f"tables are not kept: {error}")


def has_table(kind: str, content: Mapping[str, Any]) -> bool:
    """Whether there is a file for this content; does not open it."""
    path = _path(kind, content)
    return path is not None and path.is_file()


def load_table(
    kind: str,
    content: Mapping[str, Any],
    dtype: str | np.dtype[Any],
    shape: tuple[int, ...] | None,
    *,
    enough: Callable[[], bool] = lambda: False,
) -> tuple[NDArray[Any], StoredTable] | None:
    """Load a stored table of this content, type and shape (None: one row of any length); None if no intact one exists.

    `enough` is called repeatedly while the table is read.

    Raises
    ------
    OutOfBudgetError
        If `enough` returned True.
    """
    path = _path(kind, content)
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            stored, header = _read_header(path, file)
            _demand(header["content"] == _full(content), "it is a table of something else")
            wanted = np.dtype(dtype)
            alike = len(header["shape"]) == 1 if shape is None else header["shape"] == list(shape)
            _demand(header["dtype"] == wanted.str and alike, "type or shape differ")
            table = np.empty(header["shape"], dtype=wanted)
            checksum = _read(file, _bytes(table), enough)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _log.warning("ignoring %s: %s", path, error)
        return None
    if checksum != stored.checksum:
        _log.warning("ignoring %s: the checksum is wrong", path)
        return None
    return table, stored


def stored_tables(kind: str) -> list[StoredTable]:
    """All readable tables of a kind, by name; their bytes are not checked."""
    folder = cache_folder()
    found = []
    if folder is not None:
        for path in sorted((folder / kind).glob(f"*{_SUFFIX}")):
            try:
                with path.open("rb") as file:
                    found.append(_read_header(path, file)[0])
            except (OSError, ValueError) as error:
                _log.warning("ignoring %s: %s", path, error)
    return sorted(found, key=lambda one: one.name)


def _full(content: Mapping[str, Any]) -> dict[str, Any]:
    """Content with the version added: tables computed by another release are not used."""
    return {**content, "version": __version__}


def _path(kind: str, content: Mapping[str, Any]) -> Path | None:
    folder = cache_folder()
    text = json.dumps(_full(content), sort_keys=True)
    return None if folder is None else folder / kind / f"{blake2b(text.encode(), digest_size=12).hexdigest()}{_SUFFIX}"


def _pieces(header: Mapping[str, Any], flat: memoryview, enough: Callable[[], bool]) -> Iterator[bytes]:
    yield _MAGIC
    yield json.dumps(header).encode() + b"\n"
    for at in range(0, len(flat), _CHUNK):
        if enough():
            raise OutOfBudgetError
        yield bytes(flat[at : at + _CHUNK])


def _bytes(table: NDArray[Any]) -> memoryview:
    """Bytes of a table, without copying it."""
    return np.ascontiguousarray(table).reshape(-1).view(np.uint8).data


def _checksum(flat: memoryview) -> str:
    return blake2b(flat, digest_size=16).hexdigest()


def _read(file: BinaryIO, flat: memoryview, enough: Callable[[], bool]) -> str:
    """Fill the memory from the file; return the checksum."""
    known = blake2b(digest_size=16)
    for at in range(0, len(flat), _CHUNK):
        if enough():
            raise OutOfBudgetError
        piece = flat[at : at + _CHUNK]
        _demand(file.readinto(piece) == len(piece), "the length is wrong")  # type: ignore[attr-defined]
        known.update(piece)
    return known.hexdigest()


def drop_table(kind: str, content: Mapping[str, Any]) -> None:
    """Remove a stored table if it exists."""
    path = _path(kind, content)
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink()


def _demand(condition: bool, complaint: str) -> None:
    if not condition:
        raise ValueError(complaint)


def _read_header(path: Path, file: BinaryIO) -> tuple[StoredTable, dict[str, Any]]:
    """Header of a file, after checks that it is well-formed and matches the file size."""
    _demand(file.read(len(_MAGIC)) == _MAGIC, "not a table")
    line = file.readline(_HEADER_MAX)
    try:
        header = json.loads(line)
    except RecursionError:
        header = None
    _demand(isinstance(header, dict), "the header is not an object")
    kinds = {"name": str, "content": dict, "dtype": str, "shape": list, "checksum": str, "created": str}
    for key, kind in kinds.items():
        _demand(isinstance(header.get(key), kind), f"the header has no proper '{key}'")
    _demand(isinstance(header.get("seconds"), int | float), "the header has no proper 'seconds'")
    size = _size(header)
    _demand(os.fstat(file.fileno()).st_size == file.tell() + size, "the length is wrong")
    version = str(header["content"].get("version"))
    return StoredTable(
        header["name"], path, size, float(header["seconds"]), header["checksum"], header["created"], version,
        header["content"],
    ), header  # fmt: skip


def _size(header: Mapping[str, Any]) -> int:
    try:
        kind = np.dtype(header["dtype"])
    except TypeError as error:
        raise ValueError(f"unknown type {header['dtype']!r}") from error
    _demand(kind.kind in "iuf", "tables must hold numbers")
    _demand(all(isinstance(one, int) and one >= 0 for one in header["shape"]), "strange shape")
    size = kind.itemsize
    for one in header["shape"]:
        size *= one
    return size


@lru_cache(maxsize=32)
def _warn_once(message: str) -> None:
    _log.warning("%s", message)
