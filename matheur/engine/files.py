"""Files that are either whole or not there, and folders that one process holds."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from matheur.engine.events import plain
from matheur.errors import InputError, MatheurError

__all__ = ["hold_folder", "make_folders", "read_json", "take_name", "write_atomic", "write_json"]


def write_atomic(path: Path | str, data: bytes | Iterable[bytes]) -> None:
    """Write a file, at once or in chunks, through a temporary neighbour and a rename: nobody ever sees half of it.

    A link is followed, and a device or pipe is written to directly: neither is replaced by a file.

    Raises
    ------
    InputError
        If the folder is missing or not writable.
    """
    try:
        real = Path(os.path.realpath(path))
        chunks = (data,) if isinstance(data, bytes) else data
        if real.exists() and not real.is_file():
            with real.open("wb") as file:
                file.writelines(chunks)
            return
    except OSError as error:
        raise InputError(f"cannot write here ({error.strerror})", source=str(path)) from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"cannot write here ({error})", source=repr(str(path))) from None
    start = os.fsdecode(os.fsencode(real.name)[:100])
    # The name is known before the file exists, so that an interrupt leaves nothing.
    temporary = real.with_name(f".{start}.{secrets.token_hex(6)}")
    try:
        with temporary.open("xb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, real)
    except OSError as error:
        raise InputError(f"cannot write here ({error.strerror})", source=str(path)) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_json(path: Path | str, value: Any, *, indent: int | None = None) -> None:
    """Write plain values as JSON, atomically."""
    write_atomic(path, (json.dumps(plain(value), indent=indent) + "\n").encode())


def read_json(path: Path | str) -> Any:
    """Read a JSON file; an `InputError` names file and line if it is not one."""
    path = Path(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read ({error.strerror})", source=str(path)) from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", source=str(path), line=error.lineno) from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"not JSON ({type(error).__name__})", source=str(path)) from None


def make_folders(folder: Path | str, names: Iterable[str], *, mode: int = 0o777) -> None:
    """Make folders in a folder, which is made as well.

    Raises
    ------
    InputError
        If that is not possible.
    """
    try:
        for name in names:
            (Path(folder) / name).mkdir(parents=True, exist_ok=True, mode=mode)
    except OSError as error:
        raise InputError(f"cannot make this folder ({error.strerror})", source=str(folder)) from None


def take_name(folder: Path, pattern: str) -> tuple[int, Path]:
    """Take the first free number in a folder by making an empty file of that name; no two processes get the same one.

    Parameters
    ----------
    pattern
        A format with one place for the number, `run_{:04}.json`.

    Raises
    ------
    InputError
        If no file can be made there.
    """
    number = 0
    while True:
        path = folder / pattern.format(number)
        try:
            path.open("xb").close()
        except FileExistsError:
            number += 1
        except OSError as error:
            raise InputError(f"cannot write here ({error.strerror})", source=str(path)) from None
        else:
            return number, path


@contextmanager
def hold_folder(folder: Path, refusal: str) -> Iterator[None]:
    """Hold a folder: who comes second is refused. The hold ends with the process, however that ends.

    Raises
    ------
    MatheurError
        With `refusal`, if another process holds it.
    """
    with (folder / ".lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise MatheurError(refusal) from None
        yield
