"""The folder of the workbench, which stores its whole state in files, so that a restarted server continues.

DIR/inputs/ID/facts.json       an uploaded instance, with its files next to it
DIR/jobs/ID/order.json         the order: instance, configuration, limits; never changed
DIR/jobs/ID/state.json         the state of the job: waiting, running, stopped, done, failed
DIR/jobs/ID/events.jsonl       the event stream
DIR/jobs/ID/result.json        the result file of `matheur solve`, kept up to date
DIR/jobs/ID/checkpoint/        the state of the search, from which it is resumed
DIR/jobs/ID/input/             the files of its instance
DIR/jobs/ID/printed.log        the output of the process
DIR/logs/                      the output of the processes that read and draw instances

Only their owner can read these folders. Names of entries that are being created or removed begin with a dot.
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
"""States of unfinished jobs."""

DAMAGED = "damaged"
"""State of a job with an unreadable file."""

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{12}")
_STAMP = "%Y%m%d-%H%M%S"
_FACTS = "facts.json"


def default_folder() -> Path:
    """Default folder, in the user's data folder (`XDG_DATA_HOME`)."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "matheur" / "workbench"


def is_id(text: str) -> bool:
    """Whether a text has the form of a name of an input or a job; no other text from outside is used in a path."""
    return _ID.fullmatch(text) is not None


def _new_id(folder: Path) -> str:
    """A new name that sorts after all names in the folder, even if the clock was set back."""
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
    """The time in a name; None for names in other formats or with a time in the far future."""
    try:
        found = datetime.strptime(name[:15], _STAMP)  # names are in UTC, and only compared with each other
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
        Description of the damage, with the name of the file.
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
        States that could not be written, by name of the job (see `Store.save`), shared by all `Job` objects of a store.

    Raises
    ------
    InputError
        If the order cannot be read.
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
        """Table of `state` and `reason`: the reason of a failure, or why the state cannot be read or written."""
        if (held := self._unsaved.get(self.id)) is not None:
            said = (held.get("reason", ""), "(this could not be written: is the disk full?)")
            return {**held, "reason": " ".join(filter(None, said))}
        try:
            return read_state(self.folder)
        except InputError as error:
            return {"state": DAMAGED, "reason": str(error)}

    def move(self, state: str, **facts: Any) -> None:
        """Change the state. If it cannot be written, it is valid nevertheless, and is written as soon as possible."""
        new = {"state": state, **facts}
        if _saved(self.folder, new):
            self._unsaved.pop(self.id, None)
        else:
            self._unsaved[self.id] = new

    def outcome(self) -> dict[str, Any]:
        """The result so far; empty if there is no readable one."""
        try:
            return read_outcome(self.result)
        except InputError:
            return {}

    def damage(self) -> str:
        """Fault of its state or its result; empty if there is none."""
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
        Warnings about the folder for the user, one sentence each.

    Raises
    ------
    InputError
        If the folder cannot be created.
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
        """Lock the folder against a second server; the lock ends with the process.

        Entries that a killed server had not finished creating or removing are deleted.

        Raises
        ------
        MatheurError
            If another server has locked the folder, or if it cannot be written.
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
        """Store the files of an instance, the main file first; return their folder.

        Unsafe file names are replaced. `shown` is the name given by the user, for display only.

        Raises
        ------
        InputError
            If a file cannot be stored; then nothing is stored.
        """
        name = _new_id(self.inputs)
        names: list[str] = []
        with _made_whole(self.inputs, name, "this instance") as folder:
            for number, (one, data) in enumerate(files.items(), start=1):
                safe = one if _kept_name(one) else _renamed(one, number, [*files, *names])
                if (folder / safe).exists():  # names that differ, but not in this file system
                    raise InputError(f"two files have the same name here ({safe!r}). Maybe give one another name?")
                write_atomic(folder / safe, data)
                names.append(safe)
            write_json(folder / _FACTS, {"file": names[0], "files": names, "shown": _cut(shown)})
        return self.inputs / name

    def prune_inputs(self, kept: int) -> None:
        """Remove the oldest instances, so that `kept` instances remain."""
        for old in _ids(self.inputs)[:-kept]:
            _remove(self.inputs / old)

    def forget_input(self, folder: Path) -> None:
        """Remove an instance that could not be read."""
        if folder.parent == self.inputs and is_id(folder.name):
            _remove(folder)

    def input_folder(self, name: str) -> Path:
        """The folder of an uploaded instance.

        Raises
        ------
        InputError
            If there is no such instance.
        """
        folder = self.inputs / name if is_id(name) else None
        if folder is None or not (folder / _FACTS).is_file():
            raise InputError("this instance is not here (any more). Maybe upload it again?")
        return folder

    # Jobs

    def add(self, order: Mapping[str, Any], origin: Path | None) -> Job:
        """Store a new job with its order; the files of its instance are copied, so that the job is self-contained.

        Raises
        ------
        InputError
            If a file cannot be stored; then nothing is stored.
        """
        name = _new_id(self.jobs)
        with _made_whole(self.jobs, name, "this run") as making:
            if origin is not None:
                shutil.copytree(origin, making / "input")
            write_json(making / "order.json", {**order, "id": name})
            write_json(making / "state.json", {"state": "waiting"})
            read_order(making)  # refuse an order that could not be read later
        return self.job(name)

    def job(self, name: str) -> Job:
        """A job by its name.

        Raises
        ------
        InputError
            If there is no such job; `DamagedError` if its order cannot be read.
        """
        if not is_id(name) or not os.path.lexists(self.jobs / name):
            raise InputError("there is no such job")
        try:
            return Job(self.jobs / name, self._unsaved)
        except InputError as error:
            raise DamagedError(name, str(error)) from None

    def job_names(self) -> list[str]:
        """Names of all jobs, newest first."""
        return _ids(self.jobs)[::-1]

    def entries(self, most: int | None = None) -> list[Job | DamagedError]:
        """The newest jobs, at most `most`, newest first; damaged jobs are represented by their error."""
        found: list[Job | DamagedError] = []
        for name in self.job_names()[:most]:
            try:
                found.append(self.job(name))
            except DamagedError as error:
                found.append(error)
            except InputError:  # it has just been removed
                continue
        return found

    def all_jobs(self, most: int | None = None) -> list[Job]:
        """As `entries`, without damaged jobs."""
        return [one for one in self.entries(most) if isinstance(one, Job)]

    def save(self) -> None:
        """Write the states that could not be written earlier."""
        for name, state in list(self._unsaved.items()):
            if not os.path.lexists(self.jobs / name) or _saved(self.jobs / name, state):
                del self._unsaved[name]

    def remove(self, name: str) -> None:
        """Delete a job that is not running, damaged or not.

        Raises
        ------
        ConfigurationError
            If the job is running or waiting.
        InputError
            If there is no such job, or it cannot be removed.
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
        _remove(going)  # anything left of it is removed when the server restarts


def _saved(folder: Path, state: Mapping[str, Any]) -> bool:
    """Write the state of a job; return whether that succeeded."""
    try:
        write_json(folder / "state.json", state)
    except (InputError, OSError):
        return False
    return True


@contextmanager
def _made_whole(parent: Path, name: str, what: str) -> Iterator[Path]:
    """Context of a new folder that gets its name once its content is on disk, or is removed after an error."""
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
    """Remove a folder with its content, or a file or a link itself."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _open(path: Path) -> bool:
    """Whether users other than the owner can access a file or folder."""
    return bool(path.stat().st_mode & 0o077)


def _closed(path: Path, mode: int = 0o700) -> str:
    """Deny other users access to a file or folder; return a warning if that fails, else an empty string."""
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
    """An unused name with the same suffix."""
    ending = re.search(r"\.[A-Za-z0-9]{1,8}$", name)
    others = {one.casefold() for one in taken}
    while (found := f"file-{number}{ending[0] if ending else '.txt'}") in others:
        number += 1
    return found
