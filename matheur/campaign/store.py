"""The folder of a campaign: where plans, results, event streams and failures lie.

    DIR/plan.json             the runs of the last `matheur campaign run`
    DIR/results/KEY.json      one finished run: the result file of `matheur solve` with a table `campaign` of its own
    DIR/events/KEY.jsonl      its event stream
    DIR/failures/KEY.json     why a run has no result; KEY.jsonl next to it: the events until then
    DIR/running/KEY@HOST@PID.jsonl   the event stream of a run that is being made
    DIR/index.json            a cache of what `read_records` reads, made again whenever it is missing

A result is written last and by one rename: where there is a result, the run is finished, and its event stream is whole.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matheur.campaign.plan import Plan
from matheur.engine.files import (
    hold_folder,
    make_folders,
    move_synced,
    read_json,
    remove_leftovers,
    write_atomic,
    write_json,
)
from matheur.engine.inputs import read_bytes
from matheur.errors import InputError

__all__ = ["Running", "Store", "alive", "attempts", "folder_of", "hostname"]

_FOLDERS = ("results", "events", "failures", "running")
_AT_WORK = re.compile(r"(?P<key>[^@]+)@(?P<host>.+)@(?P<process>[0-9]{1,10})", re.DOTALL)
_WORKER = re.compile(r"worker-(?P<process>[0-9]{1,10})")
_OWN = re.compile(r".*\.jsonl?|runs\.txt")
_PROCESS_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Running:
    """A run that is being made: its key, the process that makes it, and its event stream so far."""

    key: str
    host: str
    process: int
    path: Path


def folder_of(named: Path | str) -> Path:
    """The folder of a campaign, which may be named by its file: `DIR/NAME.toml` has `DIR/NAME.campaign`."""
    path = Path(named)
    return path.with_suffix(".campaign") if path.suffix == ".toml" or path.is_file() else path


class Store:
    """The files of a campaign.

    Parameters
    ----------
    folder
        May be missing; `prepare` makes it.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder: Path = Path(folder)
        self.results: Path
        self.events: Path
        self.failures: Path
        self.running: Path
        self.results, self.events, self.failures, self.running = (self.folder / name for name in _FOLDERS)

    def prepare(self) -> None:
        """Make the folders.

        Raises
        ------
        InputError
            If that is not possible.
        """
        make_folders(self.folder, _FOLDERS)

    def locked(self) -> AbstractContextManager[None]:
        """Hold the campaign: a second `run` of the same folder is refused, and the lock ends with the process."""
        return hold_folder(self.folder, f"another process is running the campaign in {self.folder}")

    # The plan

    def save_plan(self, plan: Plan) -> None:
        """Write the plan."""
        write_atomic(self.folder / "plan.json", plan.to_json())

    def load_plan(self) -> Plan:
        """The plan of the last run; an `InputError` if there is none."""
        path = self.folder / "plan.json"
        try:
            return Plan.from_json(read_bytes(path, note=False), str(path))
        except (FileNotFoundError, NotADirectoryError):
            hint = "Maybe 'matheur campaign run' first?"
            raise InputError(f"no campaign has been run here. {hint}", source=str(self.folder)) from None
        except OSError as error:
            raise InputError(f"cannot read ({error.strerror})", source=str(path)) from None

    # What is there

    def finished(self) -> set[str]:
        """Keys of the runs that have a result."""
        return set(_stems(self.results, ".json"))

    def failed(self) -> set[str]:
        """Keys of the runs that have failed and have no result."""
        return set(_stems(self.failures, ".json")) - self.finished()

    def failure(self, key: str) -> dict[str, Any]:
        """What is known of a failure, empty if it is not there."""
        try:
            found = read_json(self.failures / f"{key}.json")
        except InputError:
            return {}
        return found if isinstance(found, dict) else {}

    def runs_at_work(self) -> list[Running]:
        """Runs whose processes live; of processes on other machines it cannot be told, they are listed."""
        found = []
        for name in _stems(self.running, ".jsonl"):
            parts = _AT_WORK.fullmatch(name)
            if parts is not None and (parts["host"] != hostname() or alive(int(parts["process"]))):
                found.append(
                    Running(parts["key"], parts["host"], int(parts["process"]), self.running / f"{name}.jsonl")
                )
        return found

    # Writing

    def result_path(self, key: str) -> Path:
        """Where the result of a run lies."""
        return self.results / f"{key}.json"

    def events_path(self, key: str) -> Path:
        """Where the event stream of a finished run lies."""
        return self.events / f"{key}.jsonl"

    def running_path(self, key: str, process: int) -> Path:
        """Where a process of this machine writes the event stream of a run."""
        return self.running / f"{key}@{hostname()}@{process}.jsonl"

    def finish(self, key: str, stream: Path, result: Mapping[str, Any]) -> None:
        """Keep a finished run: first its event stream, then its result, by which it counts as finished.

        Each is on the disk under its name before the next step, so that this order also survives a loss of power. What
        has been done is not done again: after a failure, as on a full disk, the same call goes on.

        Raises
        ------
        InputError, OSError
            If that is not possible.
        """
        if stream.exists():
            move_synced(stream, self.events_path(key))
        write_json(self.result_path(key), result)
        self.forget_failures([key])

    def fail(self, key: str, facts: Mapping[str, Any], stream: Path | None = None) -> None:
        """Keep a failure and the events until then."""
        before = attempts(self.failure(key))
        if stream is not None and stream.exists():
            if stream.stat().st_size:
                move_synced(stream, self.failures / f"{key}.jsonl")
            else:
                stream.unlink()
        write_json(self.failures / f"{key}.json", {"key": key, "attempts": before + 1, **facts})

    def forget_failures(self, keys: Iterable[str]) -> None:
        """Remove what is known of failures, before the runs are tried as if for the first time."""
        for key in keys:
            for suffix in (".json", ".jsonl"):
                (self.failures / f"{key}{suffix}").unlink(missing_ok=True)

    def forget_dead(self) -> None:
        """Remove what killed processes of this machine have left behind; what is not of a campaign stays."""
        live = {one.path for one in self.runs_at_work()}
        for name in _stems(self.running, ".jsonl"):
            path = self.running / f"{name}.jsonl"
            if _AT_WORK.fullmatch(name) and path not in live:
                _remove(path)
        for name in _stems(self.running, ".log"):
            worker = _WORKER.fullmatch(name)
            if worker is not None and not alive(int(worker["process"])):
                _remove(self.running / f"{name}.log")
        for name in _stems(self.running, ".stop"):
            _remove(self.running / f"{name}.stop")
        for folder in (self.results, self.events, self.failures, self.folder):
            remove_leftovers(folder, _OWN)


def attempts(failure: Mapping[str, Any]) -> int:
    """How often a run has been tried, by the file about its failure: a claim of a file, which may hold anything."""
    found = failure.get("attempts", 0)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 10**9 else 0


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):  # a folder of that name, say
        path.unlink(missing_ok=True)


def hostname() -> str:
    """Name of this machine as part of a file name."""
    return "".join(c if c.isalnum() or c in "-._" else "_" for c in socket.gethostname())


def alive(process: int) -> bool:
    """Whether a process of this machine lives (a zombie counts until its parent has noticed)."""
    if not 0 < process <= _PROCESS_MAX:
        return False
    with contextlib.suppress(PermissionError):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
    return True


def _stems(folder: Path, suffix: str) -> Iterator[str]:
    """Names of the visible files in a folder without their ending."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
    except FileNotFoundError:
        return
    yield from (name.removesuffix(suffix) for name in names if name.endswith(suffix) and not name.startswith("."))
