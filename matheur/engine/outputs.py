"""Outputs of a command: each its own file, distinct from all inputs; a full disk does not end a run."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from matheur.engine.files import check_writable, json_line, write_packed
from matheur.engine.inputs import identity
from matheur.engine.streams import OutputStream, descriptor_of, is_stream
from matheur.errors import InputError

__all__ = ["KeptFile", "ResultFile", "keep_apart"]

Place = Path | str | None


def keep_apart(outputs: Mapping[str, Place], inputs: Mapping[str, Place] | None = None) -> None:
    """Refuse outputs that are the same file as an input or another output, under any name.

    Symbolic and hard links are resolved. Pipes and devices do not count: several outputs may go to `/dev/null`.

    Parameters
    ----------
    outputs, inputs
        Paths by the name that messages use (`--out`, `the instance`). None and paths that are not regular files are
        skipped.

    Raises
    ------
    InputError
        If two of them are the same file, or if an output is called `-`, which does not mean standard output here.
    """
    taken: dict[Any, str] = {}
    for name, path in (inputs or {}).items():
        one = None if path is None else _file(path)
        if one is not None:
            taken.setdefault(one, name)
    read = dict(taken)
    for name, path in outputs.items():
        if path is None:
            continue
        if str(path) == "-":
            raise InputError(f"{name} needs the name of a file. Maybe /dev/stdout?", source="-")
        one = _file(path)
        if one is not None:
            known = taken if descriptor_of(path) is None else read
            if one in known:
                raise InputError(f"{name} is the same file as {known[one]}. Maybe another name?", source=str(path))
            taken[one] = name


def _file(path: Path | str) -> Any:
    """Identity of a file under all its names, or the location of a missing file; None if the path is not a file."""
    try:
        if os.path.isdir(path) or (descriptor_of(path) is None and is_stream(path)):
            return None
        one = identity(path)
        if one is not None:
            return one if os.path.isfile(path) else None
        whole = Path(os.path.realpath(path))
        return identity(whole.parent) or whole.parent, whole.name
    except (OSError, ValueError):
        return None


def _is_plain_device(path: Path | str) -> bool:
    """Whether this is a device such as `/dev/null`, which can be opened and written any number of times."""
    if descriptor_of(path) is not None or not stat.S_ISCHR(os.stat(path).st_mode):
        return False
    file = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return not os.isatty(file)
    finally:
        os.close(file)


class KeptFile:
    """A file that a run writes many times: a failure is reported once, and the next write tries again.

    Parameters
    ----------
    notice
        Called with a sentence when a write fails and the previous one did not.

    Attributes
    ----------
    fault
        Reason why the last write failed; None if it succeeded.
    """

    def __init__(self, notice: Callable[[str], None] = lambda text: None) -> None:
        self.fault: str | None = None
        self._notice = notice

    def write(self, write: Callable[[], None]) -> bool:
        """Call the function that writes the file; return whether it succeeded."""
        try:
            write()
        except InputError as error:
            if self.fault is None:
                self._notice(f"{error}; the run goes on, and tries again")
            self.fault = str(error)
            return False
        self.fault = None
        return True


class ResultFile:
    """Destination of a run's result: a file that is kept up to date, or a pipe that gets only the final result.

    Parameters
    ----------
    path
        Path of the file or pipe; None for no output.
    notice
        See `KeptFile`.
    form
        Function that formats the plain values of a result as text; JSON if None.

    Raises
    ------
    InputError
        If the file must not be written, or the pipe or device cannot be opened.
    """

    def __init__(
        self,
        path: Place,
        notice: Callable[[str], None] = lambda text: None,
        form: Callable[[Mapping[str, Any]], str] | None = None,
    ) -> None:
        self.path = path
        self._form = form
        self._kept = KeptFile(notice)
        self._written = self._ended = False
        self._stream: OutputStream | None = None
        if path is None:
            return
        check_writable(path)
        try:
            if is_stream(path) and not _is_plain_device(path):
                self._stream = OutputStream(path)
        except OSError as error:
            raise InputError(f"cannot write here ({error.strerror})", source=str(path)) from None

    @property
    def fault(self) -> str | None:
        """Reason why the last write failed; None if it succeeded."""
        return self._kept.fault

    @property
    def unfinished(self) -> bool:
        """Whether the file exists but does not hold the final result yet."""
        return self._written and not self._ended

    def interim(self, content: Callable[[], Mapping[str, Any]]) -> None:
        """Update the file with an interim result.

        Raises
        ------
        InputError
            If the first write fails, so that the user learns of it at the beginning of the run.
        """
        if self.path is None or self._stream is not None:
            return
        path = self.path
        if not self._written:
            self._write(path, content())
            self._written = True
        else:
            self._kept.write(lambda: self._write(path, content()))

    def last(self, content: Mapping[str, Any]) -> None:
        """Write the final result; `fault` then tells whether that succeeded."""
        if self.path is None:
            return
        self._ended = True
        self._kept.write(lambda: self._put(content))

    def _put(self, content: Mapping[str, Any]) -> None:
        assert self.path is not None
        if self._stream is None:
            self._write(self.path, content)
            return
        try:
            self._stream.write(self._text(content))
        except OSError as error:
            raise InputError(f"cannot write here ({error.strerror})", source=str(self.path)) from None

    def _write(self, path: Path | str, content: Mapping[str, Any]) -> None:
        write_packed(path, self._text(content))

    def _text(self, content: Mapping[str, Any]) -> bytes:
        return json_line(content) if self._form is None else self._form(content).encode()

    def close(self) -> None:
        """Close a pipe; its reader sees the end of the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
