"""Outputs of a command: never the same file as an input or as each other, and a full disk ends no run."""

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
    """Refuse outputs that are the same file as an input or as each other, whatever they are called.

    Symbolic and hard links are looked through. Pipes and devices are no files: several outputs may go to `/dev/null`.

    Parameters
    ----------
    outputs, inputs
        Paths by what a user calls them (`--out`, `the instance`); None, and what is no file, is passed over.

    Raises
    ------
    InputError
        In these cases, and if an output is called `-`, which is no name of standard output here.
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
    """What all names of a file have in common; of one that is missing, its place. None for what is no file."""
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
    """Whether this is a device such as `/dev/null`, of which everybody may write as often as he likes."""
    if descriptor_of(path) is not None or not stat.S_ISCHR(os.stat(path).st_mode):
        return False
    file = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return not os.isatty(file)
    finally:
        os.close(file)


class KeptFile:
    """A file that is written many times while a run goes on: a failure is said once, and the next write tries again.

    Parameters
    ----------
    notice
        Called with a sentence when a write fails after one that did not.

    Attributes
    ----------
    fault
        Why the last write failed, None if it did not.
    """

    def __init__(self, notice: Callable[[str], None] = lambda text: None) -> None:
        self.fault: str | None = None
        self._notice = notice

    def write(self, write: Callable[[], None]) -> bool:
        """Call what writes the file; whether it could."""
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
    """Where the result of a run goes: a file that is kept up to date, or a pipe that gets the last one only.

    Parameters
    ----------
    path
        None for nowhere.
    notice
        See `KeptFile`.
    form
        Makes the text of the file from the plain values of a result; JSON if None.

    Raises
    ------
    InputError
        If it is a file that must not be written, or a pipe or a device that cannot be opened.
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
        """Why what was to be written last is not there, None if it is."""
        return self._kept.fault

    @property
    def unfinished(self) -> bool:
        """Whether a file is there that does not hold the last result yet."""
        return self._written and not self._ended

    def interim(self, content: Callable[[], Mapping[str, Any]]) -> None:
        """Bring a file up to date.

        Raises
        ------
        InputError
            If not even the first time it can be written: said at once, and not after an hour.
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
        """Write the final result; whether that was possible is known from `fault` then."""
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
