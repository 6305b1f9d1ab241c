"""The folder of the workbench: all that it knows lies in files, so that a server that starts again goes on.

DIR/inputs/ID/facts.json       an instance that somebody has brought, with its files beside it
DIR/jobs/ID/order.json         what is to be done: instance, configuration, limits; never changed
DIR/jobs/ID/state.json         how it stands: waiting, running, stopped, done, failed
DIR/jobs/ID/events.jsonl       the event stream
DIR/jobs/ID/result.json        the result file of `matheur solve`, kept up to date
DIR/jobs/ID/checkpoint/        the state of the search, from which it is resumed
DIR/jobs/ID/input/             the files of its instance
DIR/jobs/ID/printed.log        what the process has printed
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from matheur.engine.files import hold_folder, make_folders, read_json, write_atomic, write_json
from matheur.errors import ConfigurationError, InputError

__all__ = ["LIVE", "Job", "Store", "default_folder", "is_id"]

LIVE = ("waiting", "running")
"""States of jobs that are still to end."""

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{12}")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.()+ -]{0,99}")


def default_folder() -> Path:
    """Where data of users lie (`XDG_DATA_HOME`)."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "matheur" / "workbench"


def is_id(text: str) -> bool:
    """Whether a text can be the name of an input or a job; nothing else ever becomes part of a path."""
    return _ID.fullmatch(text) is not None


def _new_id() -> str:
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(6)}"


class Job:
    """One job and its files."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.id = folder, folder.name
        self.events, self.result = folder / "events.jsonl", folder / "result.json"
        self.checkpoint, self.printed = folder / "checkpoint", folder / "printed.log"
        self.preparing = folder / "preparing.txt"
        self.order: dict[str, Any] = read_json(folder / "order.json")

    @property
    def state(self) -> dict[str, Any]:
        """`state`, and of a failure `reason`."""
        try:
            found: dict[str, Any] = read_json(self.folder / "state.json")
        except InputError:
            return {"state": "failed", "reason": "its state cannot be read"}
        return found

    def move(self, state: str, **facts: Any) -> None:
        """Write a new state."""
        write_json(self.folder / "state.json", {"state": state, **facts})

    def outcome(self) -> dict[str, Any]:
        """The result so far, empty if there is none."""
        try:
            found = read_json(self.result)
        except InputError:
            return {}
        return found if isinstance(found, dict) else {}


class Store:
    """The files of a workbench.

    Raises
    ------
    InputError
        If the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.inputs, self.jobs = self.folder / "inputs", self.folder / "jobs"
        make_folders(folder, ("inputs", "jobs"), mode=0o700)

    def locked(self) -> AbstractContextManager[None]:
        """Hold the folder: a second server on it is refused, and the lock ends with the process."""
        return hold_folder(self.folder, f"another server works in {self.folder}. Maybe --folder DIR?")

    # Instances

    def bring(self, files: Mapping[str, bytes], shown: str, kept: int) -> Path:
        """Keep the files of an instance, the main one first; the folder that they lie in.

        Names that could be more than names are replaced; `shown` is what people called it, for display alone.
        """
        ids = sorted(one.name for one in self.inputs.iterdir() if is_id(one.name))
        for old in ids[: max(0, len(ids) - kept + 1)]:
            shutil.rmtree(self.inputs / old, ignore_errors=True)
        folder = self.inputs / _new_id()
        folder.mkdir(mode=0o700)
        names = []
        for number, (name, data) in enumerate(files.items(), start=1):
            safe = name if _PLAIN_NAME.fullmatch(name) and name != "facts.json" else _renamed(name, number)
            write_atomic(folder / safe, data)
            names.append(safe)
        write_json(folder / "facts.json", {"file": names[0], "files": names, "shown": shown[:200]})
        return folder

    def forget_input(self, folder: Path) -> None:
        """Remove an instance that could not be read."""
        if folder.parent == self.inputs and is_id(folder.name):
            shutil.rmtree(folder, ignore_errors=True)

    def input_folder(self, name: str) -> Path:
        """The folder of an instance that was brought.

        Raises
        ------
        InputError
            If there is none.
        """
        folder = self.inputs / name if is_id(name) else None
        if folder is None or not (folder / "facts.json").is_file():
            raise InputError("this instance is not here (any more). Maybe bring it again?")
        return folder

    # Jobs

    def add(self, order: Mapping[str, Any], origin: Path | None) -> Job:
        """Keep an order; the files of its instance are copied, so that the job has all that it needs."""
        name = _new_id()
        making = self.jobs / f".{name}"
        making.mkdir(mode=0o700)
        if origin is not None:
            shutil.copytree(origin, making / "input")
        write_json(making / "order.json", {**order, "id": name})
        write_json(making / "state.json", {"state": "waiting"})
        making.rename(self.jobs / name)
        return Job(self.jobs / name)

    def job(self, name: str) -> Job:
        """A job by its name; an `InputError` if there is none."""
        if not is_id(name) or not (self.jobs / name / "order.json").is_file():
            raise InputError("there is no such job")
        return Job(self.jobs / name)

    def job_names(self) -> list[str]:
        """Names of all jobs, the newest first."""
        return sorted((one.name for one in self.jobs.iterdir() if is_id(one.name)), reverse=True)

    def all_jobs(self, most: int | None = None) -> list[Job]:
        """Jobs, the newest first; all of them, or so many."""
        found = []
        for name in self.job_names()[:most]:
            with contextlib.suppress(InputError):
                found.append(self.job(name))
        return found

    def remove(self, job: Job) -> None:
        """Delete a job that does not run.

        Raises
        ------
        ConfigurationError
            If it runs or waits.
        """
        if job.state["state"] in LIVE:
            raise ConfigurationError("this job is not finished. Maybe stop it first?")
        shutil.rmtree(job.folder)


def _renamed(name: str, number: int) -> str:
    ending = re.search(r"\.[A-Za-z0-9]{1,8}$", name)
    return f"file-{number}{ending[0] if ending else '.txt'}"
