"""The file of an event stream: JSON lines, written through."""

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
_WAITING_MAX = 64 << 20  # bytes of events that are kept while they cannot be written


class Trace:
    """An observer that appends every event to a file, one JSON object a line, written at once.

    A run that is killed leaves complete lines; a half-written last line of an earlier run is cut off first. After the
    first event nothing ends the run: what cannot be written, because the disk is full for a moment or the reader of a
    pipe is slow, is said once, kept, and written with a later event.

    Parameters
    ----------
    append
        Go on behind the last whole line.
    notice
        Called with a sentence when events cannot be written.

    Attributes
    ----------
    work
        Work at the last event; None before the first one.
    fault
        What could not be written in the end, known after `close`; None if all events are there.

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
        self._lost = 0  # events for which there was no room in memory
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
        """Write what waits, if that is possible, and close the file."""
        if self._file.closed:
            return
        try:
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

    def __exit__(self, *_: object) -> None:
        self.close()


class _File:
    """A regular file that holds whole lines whenever nobody is writing to it."""

    def __init__(self, path: Path | str, *, append: bool) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._file: int = os.open(path, flags | (0 if append else os.O_TRUNC), 0o666)
        self.closed: bool = False
        if append:
            with contextlib.suppress(OSError):  # a file that can only be appended to
                os.truncate(self._file, self._whole())

    def _whole(self) -> int:
        """Bytes up to the end of the last whole line."""
        end = os.fstat(self._file).st_size
        while end > 0:
            start = max(0, end - _BLOCK)
            at = os.pread(self._file, end - start, start).rfind(b"\n")
            if at >= 0:
                return start + at + 1
            end = start
        return 0

    def write(self, waiting: bytearray) -> None:
        """Write what waits and take it away; of what does not go, no part of a line stays behind.

        Raises
        ------
        OSError
            If not all could be written.
        """
        while waiting:
            before = os.fstat(self._file).st_size
            written = os.write(self._file, waiting)
            whole = waiting.rfind(b"\n", 0, written) + 1
            del waiting[:whole]
            if whole < written:  # the disk is full in the middle of a line
                os.truncate(self._file, before + whole)
                if not whole:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    finish = write

    def close(self) -> None:
        """Close it."""
        self.closed = True
        os.close(self._file)


class _Stream:
    """A pipe or a terminal: takes what goes without waiting, and the rest at the end."""

    def __init__(self, path: Path | str) -> None:
        self._stream: OutputStream = OutputStream(path)
        self.closed: bool = False

    def write(self, waiting: bytearray) -> None:
        """Write what goes at once and take it away.

        Raises
        ------
        OSError
            If the reader has gone, or nothing can be written.
        """
        while waiting and (taken := self._stream.take(bytes(waiting[:_BLOCK]))):
            del waiting[:taken]

    def finish(self, waiting: bytearray) -> None:
        """Write all of it, as long as the reader takes some.

        Raises
        ------
        OSError
            If the reader has gone or takes nothing, or nothing can be written.
        """
        self.write(waiting)
        self._stream.write(bytes(waiting))
        waiting.clear()

    def close(self) -> None:
        """Close it."""
        self.closed = True
        self._stream.close()
