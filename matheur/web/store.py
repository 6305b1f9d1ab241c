"""The folder of the workbench: all that it knows lies in files, so that a server that starts again goes on.

DIR/inputs/ID/facts.json       an instance that somebody has brought, with its files next to it
DIR/jobs/ID/order.json         what is to be done: instance, configuration, limits; never changed
DIR/jobs/ID/state.json         how it stands: waiting, running, stopped, done, failed
DIR/jobs/ID/events.jsonl       the event stream
DIR/jobs/ID/result.json        the result file of `matheur solve`, kept up to date
DIR/jobs/ID/checkpoint/        the state of the search, from which it is resumed
DIR/jobs/ID/input/             the files of its instance
DIR/jobs/ID/printed.log        what the process has printed
DIR/logs/                      what the processes that read and draw have printed

Nobody but its owner may look into these folders. What is being made or removed has a dot before its name.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from matheur.engine.files import hold_folder, make_folders, write_atomic, write_json
from matheur.errors import ConfigurationError, InputError
from matheur.web.records import read_order, read_outcome, read_state, usable_name

__all__ = ["DAMAGED", "LIVE", "DamagedError", "Job", "Store", "default_folder", "is_id"]

LIVE = ("waiting", "running")
"""States of jobs that are still to end."""

DAMAGED = "damaged"
"""The state of a job of which a file cannot be read."""

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{12}")
_STAMP = "%Y%m%d-%H%M%S"
_FACTS = "facts.json"


def default_folder() -> Path:
    """Where data of users lie (`XDG_DATA_HOME`)."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "matheur" / "workbench"


def is_id(text: str) -> bool:
    """Whether a text can be the name of an input or a job; nothing else ever becomes part of a path."""
    return _ID.fullmatch(text) is not None


def _new_id(folder: Path) -> str:
    """A name after all that are in the folder, even if the clock was set back."""
    now = f"{datetime.now(UTC):{_STAMP}}-{secrets.randbelow(2**47):012x}"
    last = max((one for one in _ids(folder) if _time_of(one) is not None), default="")
    if now > last:
        return now
    stamp, number = _time_of(last), int(last[-12:], 16) + 1 + secrets.randbelow(2**32)
    assert stamp is not None
    if number >= 2**48:
        stamp, number = stamp + timedelta(seconds=1), secrets.randbelow(2**47)
    return f"{stamp:{_STAMP}}-{number:012x}"


def _time_of(name: str) -> datetime | None:
    """The time in a name; None of one that somebody else has made up, also of the far future."""
    try:
        found = datetime.strptime(name[:15], _STAMP)  # names are in UTC, and compared with each other
    except ValueError:
        return None
    return found if found.year < 9999 else None


def _ids(folder: Path) -> list[str]:
    return sorted(one for one in os.listdir(folder) if is_id(one))


class DamagedError(InputError):
    """A job whose order cannot be read.

    Parameters
    ----------
    name
        Name of the job.
    reason
        What is wrong, with the name of the file.
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"this run is damaged: {reason}")
        self.name: str = name
        self.reason: str = reason


class Job:
    """One job and its files.

    Parameters
    ----------
    folder
        Folder of the job.
    unsaved
        States by name of job that could not be written (see `Store.save`), shared by all who look at a job.

    Raises
    ------
    InputError
        If its order cannot be read.
    """

    def __init__(self, folder: Path, unsaved: dict[str, dict[str, Any]] | None = None) -> None:
        self.folder, self.id = folder, folder.name
        self.events, self.result = folder / "events.jsonl", folder / "result.json"
        self.checkpoint, self.printed = folder / "checkpoint", folder / "printed.log"
        self.preparing = folder / "preparing.txt"
        self.order: dict[str, Any] = read_order(folder)
        self._unsaved = {} if unsaved is None else unsaved

    @property
    def state(self) -> dict[str, Any]:
        """`state`, and `reason`: of a failure, or why it cannot be read or written."""
        if (held := self._unsaved.get(self.id)) is not None:
            said = (held.get("reason", ""), "(this could not be written: is the disk full?)")
            return {**held, "reason": " ".join(filter(None, said))}
        try:
            return read_state(self.folder)
        except InputError as error:
            return {"state": DAMAGED, "reason": str(error)}

    def move(self, state: str, **facts: Any) -> None:
        """Go on to a new state. One that cannot be written still holds, and is written as soon as possible."""
        new = {"state": state, **facts}
        if _saved(self.folder, new):
            self._unsaved.pop(self.id, None)
        else:
            self._unsaved[self.id] = new

    def outcome(self) -> dict[str, Any]:
        """The result so far, empty if there is none that can be read."""
        try:
            return read_outcome(self.result)
        except InputError:
            return {}

    def damage(self) -> str:
        """What is wrong with its state or its result, empty if nothing."""
        try:
            read_outcome(self.result)
        except InputError as error:
            return str(error)
        state = self.state
        return str(state["reason"]) if state["state"] == DAMAGED else ""


class Store:
    """The files of a workbench.

    Attributes
    ----------
    warnings
        What people should know of the folder, a sentence each.

    Raises
    ------
    InputError
        If the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.inputs, self.jobs, self.logs = (self.folder / name for name in ("inputs", "jobs", "logs"))
        make_folders(folder, ("", "inputs", "jobs", "logs"), mode=0o700)
        self.warnings: tuple[str, ...] = tuple(
            filter(None, (_closed(one) for one in (self.inputs, self.jobs, self.logs) if _open(one)))
        )
        self._unsaved: dict[str, dict[str, Any]] = {}

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder: a second server on it is refused, and the lock ends with the process.

        What a killed server has left half made or half removed goes.

        Raises
        ------
        MatheurError
            If another server holds it, or it cannot be written.
        """
        lock = self.folder / ".lock"
        try:
            os.close(os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o600))
            if not lock.is_file():
                raise OSError(0, "not a regular file")
        except OSError as error:
            raise InputError(f"cannot write here ({error.strerror})", source=str(lock)) from None
        if _open(lock):
            self.warnings += tuple(filter(None, (_closed(lock, 0o600),)))
        with hold_folder(self.folder, f"another server works in {self.folder}. Maybe --folder DIR?"):
            for folder in (self.inputs, self.jobs):
                for name in os.listdir(folder):
                    if name.startswith(".") and is_id(name[1:]):
                        _remove(folder / name)
            yield

    # Instances

    def bring(self, files: Mapping[str, bytes], shown: str) -> Path:
        """Keep the files of an instance, the main one first; the folder that they lie in.

        Names that could be more than names are replaced; `shown` is what people called it, for display alone.

        Raises
        ------
        InputError
            If they cannot be kept, of which nothing stays then.
        """
        name = _new_id(self.inputs)
        names: list[str] = []
        with _made_whole(self.inputs, name, "this instance") as folder:
            for number, (one, data) in enumerate(files.items(), start=1):
                safe = one if _kept_name(one) else _renamed(one, number, [*files, *names])
                if (folder / safe).exists():  # names that differ, though not to this file system
                    raise InputError(f"two files have the same name here ({safe!r}). Maybe give one another name?")
                write_atomic(folder / safe, data)
                names.append(safe)
            write_json(folder / _FACTS, {"file": names[0], "files": names, "shown": _cut(shown)})
        return self.inputs / name

    def prune_inputs(self, kept: int) -> None:
        """Remove the oldest instances, so that `kept` stay."""
        for old in _ids(self.inputs)[:-kept]:
            _remove(self.inputs / old)

    def forget_input(self, folder: Path) -> None:
        """Remove an instance that could not be read."""
        if folder.parent == self.inputs and is_id(folder.name):
            _remove(folder)

    def input_folder(self, name: str) -> Path:
        """The folder of an instance that was brought.

        Raises
        ------
        InputError
            If there is none.
        """
        folder = self.inputs / name if is_id(name) else None
        if folder is None or not (folder / _FACTS).is_file():
            raise InputError("this instance is not here (any more). Maybe bring it again?")
        return folder

    # Jobs

    def add(self, order: Mapping[str, Any], origin: Path | None) -> Job:
        """Keep an order; the files of its instance are copied, so that the job has all that it needs.

        Raises
        ------
        InputError
            If it cannot be kept, of which nothing stays then.
        """
        name = _new_id(self.jobs)
        with _made_whole(self.jobs, name, "this run") as making:
            if origin is not None:
                shutil.copytree(origin, making / "input")
            write_json(making / "order.json", {**order, "id": name})
            write_json(making / "state.json", {"state": "waiting"})
            read_order(making)  # what could not be read later is refused now
        return self.job(name)

    def job(self, name: str) -> Job:
        """A job by its name.

        Raises
        ------
        InputError
            If there is none; `DamagedError` if its order cannot be read.
        """
        if not is_id(name) or not os.path.lexists(self.jobs / name):
            raise InputError("there is no such job")
        try:
            return Job(self.jobs / name, self._unsaved)
        except InputError as error:
            raise DamagedError(name, str(error)) from None

    def job_names(self) -> list[str]:
        """Names of all jobs, the newest first."""
        return _ids(self.jobs)[::-1]

    def entries(self, most: int | None = None) -> list[Job | DamagedError]:
        """The newest jobs, at most `most`, the newest first; in the place of a damaged one what is wrong with it."""
        found: list[Job | DamagedError] = []
        for name in self.job_names()[:most]:
            try:
                found.append(self.job(name))
            except DamagedError as error:
                found.append(error)
            except InputError:  # it was removed in this moment
                continue
        return found

    def all_jobs(self, most: int | None = None) -> list[Job]:
        """As `entries`, without the damaged ones."""
        return [one for one in self.entries(most) if isinstance(one, Job)]

    def save(self) -> None:
        """Write the states that could not be written before."""
        for name, state in list(self._unsaved.items()):
            if not os.path.lexists(self.jobs / name) or _saved(self.jobs / name, state):
                del self._unsaved[name]

    def remove(self, name: str) -> None:
        """Delete a job that does not run, a damaged one as well.

        Raises
        ------
        ConfigurationError
            If it runs or waits.
        InputError
            If there is none, or it cannot be removed.
        """
        try:
            if self.job(name).state["state"] in LIVE:
                raise ConfigurationError("this job is not finished. Maybe stop it first?")
        except DamagedError:
            pass
        going = self.jobs / f".{name}"
        try:
            (self.jobs / name).rename(going)
        except OSError as error:
            raise InputError(f"this run cannot be removed ({error.strerror})") from None
        self._unsaved.pop(name, None)
        _remove(going)  # what is left of it goes when the server starts again


def _saved(folder: Path, state: Mapping[str, Any]) -> bool:
    """Write the state of a job; whether that was possible."""
    try:
        write_json(folder / "state.json", state)
    except (InputError, OSError):
        return False
    return True


@contextmanager
def _made_whole(parent: Path, name: str, what: str) -> Iterator[Path]:
    """A new folder that gets its name when all that is in it is on the disk, or else goes without a trace."""
    making = parent / f".{name}"
    try:
        making.mkdir(mode=0o700)
        yield making
        for folder, _, files in os.walk(making):
            for file in files:
                _sync(os.path.join(folder, file))
            _sync(folder)
        making.rename(parent / name)
        _sync(parent)
    except BaseException as error:
        _remove(making)
        if isinstance(error, shutil.Error):
            raise InputError(f"{what} cannot be kept ({error.args[0][0][-1]})") from None
        if isinstance(error, OSError):
            raise InputError(f"{what} cannot be kept ({error.strerror})") from None
        if isinstance(error, InputError):
            raise InputError(f"{what} cannot be kept: {error.message}") from None
        raise


def _sync(path: str | Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    """Remove a folder with all that is in it; a link or a file alone."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _open(path: Path) -> bool:
    """Whether others than the owner may look into a file or folder."""
    return bool(path.stat().st_mode & 0o077)


def _closed(path: Path, mode: int = 0o700) -> str:
    """Close a file or folder to others; a sentence if that does not work."""
    with contextlib.suppress(OSError):
        path.chmod(mode)
    if not _open(path):
        return ""
    return f"Others on this machine may look into '{path.name}' (mode {stat.S_IMODE(path.stat().st_mode):o})."


def _cut(text: str) -> str:
    return text.encode("utf-8", "replace").decode()[:200]


def _kept_name(name: str) -> bool:
    return usable_name(name) and name.casefold() != _FACTS


def _renamed(name: str, number: int, taken: Iterable[str]) -> str:
    """Another name with the same ending, which no other file has."""
    ending = re.search(r"\.[A-Za-z0-9]{1,8}$", name)
    others = {one.casefold() for one in taken}
    while (found := f"file-{number}{ending[0] if ending else '.txt'}") in others:
        number += 1
    return found
