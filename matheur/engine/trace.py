"""The file of an event stream: JSON lines, each written immediately."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

from matheur.engine.events import Event, plain
from matheur.engine.files import check_writable
from matheur.engine.streams import OutputStream, is_stream
from matheur.errors import InputError

__all__ = ["Trace"]

_BLOCK = 1 << 16
_WAITING_MAX = 64 << 20  # bytes of buffered events that cannot be written yet


class Trace:
    """An observer that appends every event to a file, one JSON object per line, written immediately.

    A killed run leaves complete lines; an incomplete last line of an earlier run is removed first. After the first
    event no failure ends the run: events that cannot be written, because the disk is full or the reader of a pipe is
    slow, are reported once, buffered, and written with a later event.

    Parameters
    ----------
    append
        Continue after the last complete line of an existing file.
    notice
        Called with a sentence when events cannot be written.

    Attributes
    ----------
    work
        Work at the last event; None before the first one.
    fault
        Message on the events that could not be written, known after `close`; None if all were written.

    Raises
    ------
    InputError
        If the file cannot be opened, or the first event cannot be written.
    """

    def __init__(
        self, path: Path | str, *, append: bool = False, notice: Callable[[str], None] = lambda text: None
    ) -> None:
        self.path: Path = Path(path)
        self.fault: str | None = None
        self.work: int | None = None
        self._notice = notice
        self._waiting = bytearray()
        self._begun = False
        self._lost = 0  # events dropped because the buffer was full
        self._reason: str | None = None
        try:
            check_writable(path)
            self._file: _File | _Stream = _Stream(path) if is_stream(path) else _File(path, append=append)
        except OSError as error:
            raise self._error(error.strerror) from None
        except ValueError as error:  # a NUL in the name
            raise InputError(f"cannot write the trace ({error})", source=repr(str(path))) from None

    def __call__(self, event: Event) -> None:
        if len(self._waiting) < _WAITING_MAX:
            self._waiting += (json.dumps(plain(event)) + "\n").encode()
        else:
            self._lost += 1
        self._write()
        self._begun, self.work = True, event.get("work", 0)

    def _write(self) -> None:
        try:
            self._file.write(self._waiting)
        except OSError as error:
            if not self._begun:
                self._waiting.clear()
                raise self._error(error.strerror) from None
            if self._reason is None:
                self._notice(f"{self.path}: events wait to be written ({error.strerror}); the run goes on")
            self._reason = error.strerror
            return
        if not self._waiting and not self._lost:
            self._reason = None

    def _error(self, reason: str | None) -> InputError:
        return InputError(f"cannot write the trace ({reason})", source=str(self.path))

    def close(self) -> None:
        """Write the buffered events, if possible, and close the file."""
        if self._file.closed:
            return
        try:
            self._file.begin()
            self._file.finish(self._waiting)
        except OSError as error:
            self._reason = error.strerror
        if self._waiting or self._lost:
            missing = self._waiting.count(b"\n") + self._lost
            reason = self._reason or "its reader is too slow"
            self.fault = f"cannot write the trace ({reason}): {missing} events are missing"
        with contextlib.suppress(OSError):
            self._file.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not self._begun:  # such as an error in the configuration
            self._file.keep()
        self.close()


class _File:
    """A regular file that holds only complete lines between two writes."""

    def __init__(self, path: Path | str, *, append: bool) -> None:
        self._file: int = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        self.closed: bool = False
        self._outdated: bool = not append
        if append:
            with contextlib.suppress(OSError):  # an append-only file
                os.truncate(self._file, self._whole())

    def _whole(self) -> int:
        """Number of bytes up to the end of the last complete line."""
        end = os.fstat(self._file).st_size
        while end > 0:
            start = max(0, end - _BLOCK)
            at = os.pread(self._file, end - start, start).rfind(b"\n")
            if at >= 0:
                return start + at + 1
            end = start
        return 0

    def keep(self) -> None:
        """Leave what is in the file as it is."""
        self._outdated = False

    def begin(self) -> None:
        """Remove the events of an earlier run.

        Raises
        ------
        OSError
            If that is not possible.
        """
        if self._outdated:
            os.truncate(self._file, 0)
        self._outdated = False

    def write(self, waiting: bytearray) -> None:
        """Write the buffer and remove the written lines from it; the file never keeps part of a line.

        Raises
        ------
        OSError
            If some of it could not be written.
        """
        self.begin()
        while waiting:
            before = os.fstat(self._file).st_size
            written = os.write(self._file, waiting)
            whole = waiting.rfind(b"\n", 0, written) + 1
            del waiting[:whole]
            if whole < written:  # the disk became full in the middle of a line
                os.truncate(self._file, before + whole)
                if not whole:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    finish = write

    def close(self) -> None:
        """Close it."""
        self.closed = True
        os.close(self._file)


class _Stream:
    """A pipe or a terminal: written to without blocking during the run, and completely at the end."""

    def __init__(self, path: Path | str) -> None:
        self._stream: OutputStream = OutputStream(path)
        self.closed: bool = False

    def keep(self) -> None:
        """A stream holds no earlier events."""

    begin = keep

    def write(self, waiting: bytearray) -> None:
        """Write as much as possible without blocking, and remove it from the buffer.

        Raises
        ------
        OSError
            If the reader has closed the pipe, or writing fails.
        """
        while waiting and (taken := self._stream.take(bytes(waiting[:_BLOCK]))):
            del waiting[:taken]

    def finish(self, waiting: bytearray) -> None:
        """Write the whole buffer, waiting while the reader makes progress.

        Raises
        ------
        OSError
            If the reader has closed the pipe or stops reading, or writing fails.
        """
        self.write(waiting)
        self._stream.write(bytes(waiting))
        waiting.clear()

    def close(self) -> None:
        """Close it."""
        self.closed = True
        self._stream.close()
