"""The folder of a campaign, with its plan, results, event streams and failures.

    DIR/plan.json             the runs of the last `matheur campaign run`
    DIR/results/KEY.json      one finished run: the result file of `matheur solve` with an additional table `campaign`
    DIR/events/KEY.jsonl      its event stream
    DIR/failures/KEY.json     why a run has no result; KEY.jsonl next to it: the events until the failure
    DIR/running/KEY@HOST@PID.jsonl   the event stream of a run in progress
    DIR/index.json            a cache for `read_records`, rebuilt if it is missing

A result is written last, by one rename: if there is a result, the run is finished and its event stream is complete.
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
    """A run in progress: its key, the process that executes it, and its event stream so far."""

    key: str
    host: str
    process: int
    path: Path


def folder_of(named: Path | str) -> Path:
    """The folder of a campaign, given by itself or by the campaign's file: `DIR/NAME.campaign` for `DIR/NAME.toml`."""
    path = Path(named)
    if path.suffix != ".toml" and not path.is_file():
        return path
    file = path.resolve() if os.path.islink(path) else path  # as in `Campaign.out`
    return file.parent / f"{path.stem}.campaign"


class Store:
    """The files of a campaign.

    Parameters
    ----------
    folder
        Path of the folder. It may be missing; `prepare` creates it.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder: Path = Path(folder)
        self.results: Path
        self.events: Path
        self.failures: Path
        self.running: Path
        self.results, self.events, self.failures, self.running = (self.folder / name for name in _FOLDERS)

    def prepare(self) -> None:
        """Create the folders.

        Raises
        ------
        InputError
            If they cannot be created.
        """
        make_folders(self.folder, _FOLDERS)

    def locked(self) -> AbstractContextManager[None]:
        """Lock the campaign against a second `run` in the same folder; the lock ends with the process."""
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

    # Stored runs

    def finished(self) -> set[str]:
        """Keys of the runs that have a result."""
        return set(_stems(self.results, ".json"))

    def failed(self) -> set[str]:
        """Keys of the failed runs without a result."""
        return set(_stems(self.failures, ".json")) - self.finished()

    def failure(self, key: str) -> dict[str, Any]:
        """Content of the file about a failure; empty if there is no valid one."""
        try:
            found = read_json(self.failures / f"{key}.json")
        except InputError:
            return {}
        return found if isinstance(found, dict) else {}

    def runs_at_work(self) -> list[Running]:
        """Runs in progress: those whose process is alive, and all runs of other machines, which cannot be checked."""
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
        """Path of the result of a run."""
        return self.results / f"{key}.json"

    def events_path(self, key: str) -> Path:
        """Path of the event stream of a finished run."""
        return self.events / f"{key}.jsonl"

    def running_path(self, key: str, process: int) -> Path:
        """Path of the event stream of a run in progress in a process of this machine."""
        return self.running / f"{key}@{hostname()}@{process}.jsonl"

    def finish(self, key: str, stream: Path, result: Mapping[str, Any]) -> None:
        """Store a finished run: first its event stream, then its result, which marks it as finished.

        Each file is synchronised to disk before the next step, so that the order survives a loss of power. After a
        failure, such as a full disk, the same call continues with the remaining steps.

        Raises
        ------
        InputError, OSError
            If a file cannot be written.
        """
        if stream.exists():
            move_synced(stream, self.events_path(key))
        write_json(self.result_path(key), result)
        self.forget_failures([key])

    def fail(self, key: str, facts: Mapping[str, Any], stream: Path | None = None) -> None:
        """Store a failure and the events up to it."""
        before = attempts(self.failure(key))
        if stream is not None and stream.exists():
            if stream.stat().st_size:
                move_synced(stream, self.failures / f"{key}.jsonl")
            else:
                stream.unlink()
        write_json(self.failures / f"{key}.json", {"key": key, "attempts": before + 1, **facts})

    def forget_failures(self, keys: Iterable[str]) -> None:
        """Remove the files about failures and thereby reset the number of attempts of the runs."""
        for key in keys:
            for suffix in (".json", ".jsonl"):
                (self.failures / f"{key}{suffix}").unlink(missing_ok=True)

    def forget_dead(self) -> None:
        """Remove files left by killed processes of this machine; files that are not from a campaign stay."""
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
    """Number of attempts of a run, from the file about its failure; 0 if the file holds no valid number."""
    found = failure.get("attempts", 0)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 10**9 else 0


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):  # such as a folder with that name
        path.unlink(missing_ok=True)


def hostname() -> str:
    """Name of this machine as part of a file name."""
    return "".join(c if c.isalnum() or c in "-._" else "_" for c in socket.gethostname())


def alive(process: int) -> bool:
    """Whether a process of this machine is alive (a zombie counts until its parent reaps it)."""
    if not 0 < process <= _PROCESS_MAX:
        return False
    with contextlib.suppress(PermissionError):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
    return True


def _stems(folder: Path, suffix: str) -> Iterator[str]:
    """Names, without the suffix, of the visible files in a folder that have it."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
    except FileNotFoundError:
        return
    yield from (name.removesuffix(suffix) for name in names if name.endswith(suffix) and not name.startswith("."))
