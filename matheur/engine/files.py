"""Atomic writing of files, and folders that one process locks."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from matheur.engine.compression import pack
from matheur.engine.events import plain
from matheur.engine.inputs import noted_input, read_bytes
from matheur.engine.streams import OutputStream, descriptor_of, is_stream
from matheur.errors import InputError, MatheurError

__all__ = [
    "check_writable",
    "hold_folder",
    "json_line",
    "make_folders",
    "move_synced",
    "read_json",
    "remove_leftovers",
    "sync_folder",
    "take_name",
    "write_atomic",
    "write_json",
    "write_packed",
]

_TEMPORARY = re.compile(r"\.(.*)\.[0-9a-f]{12}", re.DOTALL)
_LEFTOVER_AGE = 3600.0  # seconds: no write takes that long
_LOCK_TICK = 0.05


def write_atomic(path: Path | str, data: bytes | Iterable[bytes], *, sync: bool = True) -> None:
    """Write a file atomically, at once or in chunks, through a temporary file in the same folder and a rename.

    Without `sync` the file may be incomplete after a crash of the machine. This suits files that are checked when they
    are read and can be recreated.

    Links are followed, and pipes, terminals and open descriptors are written to directly: none is replaced by a file.
    An existing file keeps its mode. A file with several names, another owner or an access list is written in place,
    since a rename would lose them. Only in this case may other processes see an incomplete file.

    Raises
    ------
    InputError
        If the folder is missing or not writable, the file is read-only, or this command has read it.
    """
    try:
        check_writable(path)
        chunks = (data,) if isinstance(data, bytes) else data
        if is_stream(path):
            _write_through(path, chunks)
        else:
            _write_whole(Path(os.path.realpath(path)), chunks, sync)
    except OSError as error:
        raise InputError(f"cannot write here ({error.strerror})", source=str(path)) from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"cannot write here ({error})", source=repr(str(path))) from None


def write_packed(path: Path | str, data: bytes | Iterable[bytes]) -> None:
    """Write a file as `write_atomic` does, compressed if its name ends with `.gz`, `.bz2` or `.xz`."""
    write_atomic(path, pack((data,) if isinstance(data, bytes) else data, str(path)))


def check_writable(path: Path | str) -> None:
    """Raise an error if a file is read-only, even for the superuser, or if this command has read it.

    Raises
    ------
    InputError
        In these two cases. A file that is missing or inaccessible is not an error here.
    """
    read_as = noted_input(path)
    if read_as is not None:
        also = "" if read_as == str(path) else f" as {read_as}"
        raise InputError(
            f"this file has been read{also} and would be overwritten. Maybe another name?", source=str(path)
        )
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if stat.S_ISREG(mode) and descriptor_of(path) is None and not (mode & 0o222 and os.access(path, os.W_OK)):
        raise InputError(
            f"cannot write here (read-only, mode {stat.S_IMODE(mode):o}). Maybe another name?", source=str(path)
        )


def _write_through(path: Path | str, chunks: Iterable[bytes]) -> None:
    stream = OutputStream(path)
    try:
        for chunk in chunks:
            stream.write(chunk)
    finally:
        stream.close()


def _write_whole(real: Path, chunks: Iterable[bytes], sync: bool) -> None:
    try:
        before = os.stat(real)
    except FileNotFoundError:
        before = None
    start = os.fsdecode(os.fsencode(real.name)[:100])
    # The name is known before the file exists, so that an interrupt leaves nothing.
    temporary = real.with_name(f".{start}.{secrets.token_hex(6)}")
    try:
        with temporary.open("x+b") as file:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # at work: see `remove_leftovers`
            if before is not None:
                os.fchmod(file.fileno(), 0o600)  # not readable for more people than before, not even for a moment
            file.writelines(chunks)
            file.flush()
            if before is not None and not _made_alike(file.fileno(), real, before):
                _write_in_place(real, file)
                return
            if sync:
                os.fsync(file.fileno())
            os.replace(temporary, real)
        if sync:
            sync_folder(real.parent)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _made_alike(file: int, real: Path, before: os.stat_result) -> bool:
    """Give a new file the mode of the file that it replaces; False if their attributes cannot be made equal."""
    lists = []
    with contextlib.suppress(OSError, AttributeError):  # not on every system, not on every file system
        lists = [name for name in os.listxattr(real) if not name.startswith(("security.", "trusted."))]
    own = os.fstat(file)
    if before.st_nlink > 1 or lists or (own.st_uid, own.st_gid) != (before.st_uid, before.st_gid):
        return False
    os.fchmod(file, stat.S_IMODE(before.st_mode) & 0o777)
    return True


def _write_in_place(real: Path, whole: BinaryIO) -> None:
    """Copy the content of a file into an existing one in place, after checking that there is enough space."""
    size = whole.seek(0, os.SEEK_END)
    whole.seek(0)
    with real.open("r+b") as file:
        before = os.fstat(file.fileno()).st_size
        if hasattr(os, "posix_fallocate") and size:
            try:
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                    file.truncate(before)
                    raise
        shutil.copyfileobj(whole, file)
        file.truncate(size)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make renamed and created files of a folder survive a loss of power, where the system supports that."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def move_synced(source: Path, target: Path) -> None:
    """Rename a file written by other code, so that it survives a crash complete under its new name.

    Raises
    ------
    OSError
        If that is not possible.
    """
    with contextlib.suppress(PermissionError), source.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(source, target)
    sync_folder(target.parent)


def remove_leftovers(folder: Path, names: re.Pattern[str]) -> None:
    """Remove the temporary files that killed processes left in a folder.

    Parameters
    ----------
    names
        Names of the files to which they belong.

    Notes
    -----
    The writer of a temporary file holds a lock on it, so that files in use are kept, whatever the clock says. The age
    is checked, too: not every file system has locks, and a file that was just created is not locked yet.
    """
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            belongs = _TEMPORARY.fullmatch(path.name)
            if belongs is None or not names.fullmatch(belongs[1]):
                continue
            with contextlib.suppress(OSError), path.open("rb") as file:
                if abs(time.time() - os.fstat(file.fileno()).st_mtime) > _LEFTOVER_AGE:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()


def write_json(path: Path | str, value: Any, *, indent: int | None = None) -> None:
    """Write plain values as JSON, as `write_packed` does."""
    write_packed(path, json_line(value, indent=indent))


def json_line(value: Any, *, indent: int | None = None) -> bytes:
    """Plain values as JSON, followed by a line break."""
    return (json.dumps(plain(value), indent=indent) + "\n").encode()


def read_json(path: Path | str) -> Any:
    """Read a JSON file; an `InputError` names file and line if it is invalid."""
    path = Path(path)
    try:
        return json.loads(read_bytes(path, note=False).decode("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read ({error.strerror})", source=str(path)) from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", source=str(path), line=error.lineno) from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"not JSON ({type(error).__name__})", source=str(path)) from None


def make_folders(folder: Path | str, names: Iterable[str], *, mode: int = 0o777) -> None:
    """Create subfolders of a folder, and the folder itself.

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
    """Reserve the first free number in a folder by creating an empty file; no two processes get the same one.

    Parameters
    ----------
    pattern
        A format with one place for the number, `run_{:04}.json`.

    Raises
    ------
    InputError
        If no file can be created there.
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
def hold_folder(folder: Path, refusal: str, *, patience: float = 0.0) -> Iterator[None]:
    """Lock a folder against other processes. The lock ends with the process, however that ends.

    On a file system without locks this never fails.

    Parameters
    ----------
    patience
        Seconds to wait for another process that is just ending to release the folder.

    Raises
    ------
    MatheurError
        With `refusal`, if another process holds it.
    InputError
        If nothing can be created in the folder.
    """
    until = time.monotonic() + patience
    try:
        file = (folder / ".lock").open("a")
    except OSError as error:
        raise InputError(f"cannot write here ({error.strerror})", source=str(folder)) from None
    with file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise MatheurError(refusal) from None
                time.sleep(_LOCK_TICK)
                continue
            except OSError:
                pass
            break
        yield
