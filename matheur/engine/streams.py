"""Pipes, terminals and open descriptors: written and read in place, with time limits for an inactive other end."""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from pathlib import Path

from matheur.engine.interrupt import interrupted

__all__ = ["OutputStream", "descriptor_of", "is_stream", "read_stream"]

_TICK = 0.05  # seconds between two checks for signals
_OTHER_END = 3.0  # seconds to wait for another process to open a named pipe
_FIRST = 10.0  # seconds to wait for the first byte from a named pipe
_STUCK = 30.0  # seconds to wait for a reader that reads nothing
_STOPPING = 2.0  # the same after a signal
_CHUNK = 1 << 16
_LINKS = 40  # maximum length of a chain of symbolic links, as in the kernel


def descriptor_of(path: Path | str) -> int | None:
    """Number of the open descriptor of this process that a path stands for (`/dev/stdout`, `/dev/fd/63`), or None.

    Such a path is written to at the current position of the descriptor: its file may no longer have a name.

    Examples
    --------
    >>> descriptor_of("/dev/stdout"), descriptor_of("/dev/null")
    (1, None)
    """
    here = os.path.abspath(path)
    own = {"/dev/fd", f"/proc/{os.getpid()}/fd", os.path.realpath("/proc/thread-self/fd")}
    for _ in range(_LINKS):
        folder, name = os.path.split(here)
        folder = os.path.realpath(folder)
        if folder in own and name.isascii() and name.isdigit():
            return int(name)
        try:
            here = os.path.join(folder, os.readlink(os.path.join(folder, name)))
        except (OSError, ValueError):
            return None
    return None


def is_stream(path: Path | str) -> bool:
    """Whether a path is written to in place: an open descriptor, a pipe, a terminal or another device."""
    if descriptor_of(path) is not None:
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


class OutputStream:
    """An output that is written sequentially and cannot be replaced.

    Parameters
    ----------
    path
        Path for which `is_stream` returns True.

    Raises
    ------
    OSError
        If it cannot be opened, or if no process opens the other end of a named pipe within a few seconds.
    """

    def __init__(self, path: Path | str) -> None:
        number = descriptor_of(path)
        self._file: int = _opened(path) if number is None else os.dup(number)
        # A pipe that polls as ready accepts this many bytes without blocking, even if other programs share it.
        self._chunk: int = select.PIPE_BUF if stat.S_ISFIFO(os.fstat(self._file).st_mode) else _CHUNK

    def write(self, data: bytes) -> None:
        """Write all the data, waiting while the reader makes progress.

        Raises
        ------
        OSError
            If writing fails, or the reader has closed the pipe or stops reading.
        """
        left, since = memoryview(data), time.monotonic()
        while left:
            taken = self.take(left, wait=_TICK)
            if taken:
                left, since = left[taken:], time.monotonic()
            elif time.monotonic() - since > (_STOPPING if interrupted() else _STUCK):
                raise TimeoutError(errno.ETIMEDOUT, "nobody reads from this pipe")

    def take(self, data: bytes | memoryview, *, wait: float = 0.0) -> int:
        """Write one chunk if the stream becomes ready within `wait` seconds; return the number of bytes written.

        Raises
        ------
        OSError
            If writing fails, or the reader has closed the pipe.
        """
        poll = select.poll()
        poll.register(self._file, select.POLLOUT)
        if not poll.poll(1000 * wait):
            return 0
        try:
            return os.write(self._file, data[: self._chunk])
        except BlockingIOError:
            return 0

    def close(self) -> None:
        """Close it; a descriptor that the process inherited stays open."""
        os.close(self._file)


def _opened(path: Path | str) -> int:
    """A descriptor for writing to a pipe or a device."""
    if stat.S_ISBLK(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "a disk, not a file")
    until = time.monotonic() + _OTHER_END
    while True:
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        if interrupted():
            raise KeyboardInterrupt
        if time.monotonic() > until:
            raise OSError(errno.ENXIO, "nobody reads from this pipe")
        time.sleep(_TICK)


def read_stream(file: int, largest: int, *, named: bool) -> bytes:
    """All bytes from a descriptor, at most one byte more than `largest`.

    Parameters
    ----------
    file
        An open descriptor of a pipe, a terminal or another device.
    named
        Whether it is a named pipe, which may have no writer: the first byte must then arrive within seconds.

    Raises
    ------
    OSError
        If it cannot be read, or no process writes to it.
    KeyboardInterrupt
        When a signal arrives.
    """
    poll = select.poll()
    poll.register(file, select.POLLIN)
    chunks: list[bytes] = []
    total, began = 0, time.monotonic()
    while total <= largest:
        ready = poll.poll(1000 * _TICK)
        if interrupted():
            raise KeyboardInterrupt
        if not ready:
            if named and not chunks and time.monotonic() - began > _FIRST:
                raise TimeoutError(errno.ETIMEDOUT, "not a regular file, but a pipe to which nobody writes")
            continue
        try:
            chunk = os.read(file, min(1 << 20, largest + 1 - total))
        except BlockingIOError:
            continue
        if not chunk:
            break
        chunks.append(chunk)
        total += len(chunk)
    return b"".join(chunks)
