"""Reading of user-named inputs: complete, with a size limit, and without waiting forever."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matheur.engine.streams import descriptor_of, read_stream
from matheur.errors import InputError

__all__ = [
    "BYTES_MAX",
    "identity",
    "inputs_noted",
    "note_input",
    "noted_input",
    "parse_toml",
    "read_bytes",
    "read_toml",
]

BYTES_MAX = 512 * 2**20
_TOML_MAX = 16 * 2**20
_NESTED_MAX = 64  # depth of nested tables and lists, which are processed recursively
_DOTS_MAX = 1000  # tomllib takes quadratic time for a dotted key
_WHOLE_MAX = 10**300  # larger integers can neither be printed nor converted to a float

Identity = tuple[int, int]


@dataclass(slots=True)
class _Noted:
    """Inputs that one command has read: its files, and the contents of pipes, which can be read only once."""

    files: dict[Identity, str] = field(default_factory=dict)
    pipes: dict[Identity, bytes] = field(default_factory=dict)


_noted: ContextVar[_Noted | None] = ContextVar("noted", default=None)


@contextmanager
def inputs_noted() -> Iterator[None]:
    """Context, usually one command, in which all inputs read are recorded.

    No output replaces such a file (`matheur.engine.files.write_atomic`), and several readers can read the same pipe.
    """
    token = _noted.set(_Noted())
    try:
        yield
    finally:
        _noted.reset(token)


def noted_input(path: Path | str) -> str | None:
    """Name under which this command has read a file, even if the path differs now; None if it has not read it."""
    noted, one = _noted.get(), identity(path)
    return None if noted is None or one is None else noted.files.get(one)


def note_input(path: Path | str) -> None:
    """Record a file as read by this command, although its content was already available."""
    noted, one = _noted.get(), identity(path)
    if noted is not None and one is not None:
        noted.files.setdefault(one, str(path))


def identity(path: Path | str) -> Identity | None:
    """Identity of a file under all its names; None if there is no such file.

    Raises
    ------
    OSError
        Never: an inaccessible file counts as missing.
    """
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    return about.st_dev, about.st_ino


def read_bytes(path: Path | str, largest: int = BYTES_MAX, *, note: bool = True) -> bytes:
    """The bytes of a file or a pipe.

    Parameters
    ----------
    largest
        Maximum number of bytes; more are an error.
    note
        False for files that this process also writes, such as the state of a run.

    Raises
    ------
    OSError
        If it cannot be read, is too large, or is a pipe without a writer. `strerror` holds the message.
    ValueError
        If the name contains a NUL.
    """
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        about = os.fstat(file)
        one = about.st_dev, about.st_ino
        noted = _noted.get() if note else None
        if stat.S_ISDIR(about.st_mode) or stat.S_ISBLK(about.st_mode):
            code = errno.EISDIR if stat.S_ISDIR(about.st_mode) else errno.EINVAL
            raise OSError(code, os.strerror(errno.EISDIR) if code == errno.EISDIR else "not a regular file")
        if stat.S_ISREG(about.st_mode):
            if noted is not None:
                noted.files.setdefault(one, str(path))
            data = b"" if about.st_size > largest else _all(file, about.st_size, largest)
            too_large = about.st_size > largest or len(data) > largest
        elif noted is not None and one in noted.pipes:
            return noted.pipes[one]
        else:
            data = read_stream(file, largest, named=stat.S_ISFIFO(about.st_mode) and descriptor_of(path) is None)
            too_large = len(data) > largest
            if noted is not None and stat.S_ISFIFO(about.st_mode):
                noted.pipes[one] = data
    finally:
        os.close(file)
    if too_large:
        raise OSError(errno.EFBIG, f"larger than {largest >> 20} MiB" if largest >= 2**20 else "too large")
    return data


def _all(file: int, size: int, largest: int) -> bytes:
    """Content of a file, even if it grows during the read or has no known size; at most `largest + 1` bytes."""
    with open(file, "rb", closefd=False) as whole:
        data = whole.read(size + 1)
        if len(data) == size:
            return data
        chunks, total = [data], len(data)
        while total <= largest and (chunk := whole.read(min(1 << 20, largest + 1 - total))):
            chunks.append(chunk)
            total += len(chunk)
    return b"".join(chunks)


def read_toml(path: Path | str) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises
    ------
    InputError
        If it cannot be read, or is not TOML.
    """
    try:
        data = read_bytes(path, _TOML_MAX)
    except OSError as error:
        raise InputError(f"cannot read ({error.strerror})", source=str(path)) from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"not TOML ({error})", source=repr(str(path))) from None
    try:
        return parse_toml(data.decode("utf-8-sig"))
    except ValueError as error:
        raise InputError(f"not TOML ({error})", source=str(path)) from None


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises
    ------
    ValueError
        If it is not TOML, is nested too deeply, or has values that Python cannot represent.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _DOTS_MAX and not line.lstrip().startswith("#"):
            raise ValueError(f"more than {_DOTS_MAX} dots in line {number}")
    try:
        found = tomllib.loads(text.replace("\r\n", "\n").replace("\r", "\n"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    level: list[Any] = [found]
    for _ in range(_NESTED_MAX):
        inside = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
        if any(isinstance(one, int) and abs(one) >= _WHOLE_MAX for one in inside):
            raise ValueError("a whole number of more than 300 digits")
        level = [one for one in inside if isinstance(one, dict | list)]
        if not level:
            return found
    raise ValueError("nested too deeply")
