"""Results of a campaign, one record for each run: the basis of statistics and reports."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from matheur.campaign.plan import Plan
from matheur.campaign.rows import STATUSES, fault_of, row_of_failure, row_of_result
from matheur.campaign.store import Store, folder_of
from matheur.engine.files import read_json, write_json
from matheur.engine.gap import optimality_gap
from matheur.engine.inputs import read_bytes
from matheur.errors import InputError

__all__ = ["STATUSES", "DamagedRun", "RunRecord", "read_records", "read_row"]

_INDEX_FORMAT = 1
_STALE = 50  # entries that the index may lack before it is written again


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of a campaign, finished or failed.

    Objectives are minimised throughout matheur. `objective`, `bound` and `reference` are in the same units, so
    `(objective - reference) / max(1, abs(reference))` is the usual gap, and an `objective` below the `reference` is a
    new best known solution.

    Attributes
    ----------
    key
        Key of the run; unique among *different* runs. Two variants that resolve to the same configuration share a run:
        both have a record, with the same key and the same files.
    instance
        Name of the instance, unique in the campaign. It comes from file names: escape it wherever it is shown.
    problem
        `edge-matching`, `party`, ...
    variant, group
        Names given by the campaign; `group` is empty for an instance without a group.
    seed
        Seed of all random choices of the run.
    status
        `optimal` (proved), `feasible` (a solution without proof), `infeasible` (proved), `unknown` (the run ended
        without a solution), `failed` (the run did not end: see `reason`).
    stopped
        Reason for the end: `optimal`, `target`, `local-optimum`, `budget`, `interrupt`, `infeasible`; for a failed run
        `crash`, `seconds`, `memory` or `error`.
    objective, bound
        Re-evaluated objective of the best solution, and proved lower bound; None if there is none. For a linear program
        that maximises, both have the opposite sign; `score` and `bound_score` are in its own sense.
    bound_score
        The bound as a score. None without a bound, or if an earlier version wrote the result.
    sense
        Direction of `objective`, `bound` and `reference`: always `min`.
    score, score_max, score_sense
        Value usually reported in the field instead of the objective (matched edges, say), its highest possible value or
        None, and whether a large (`max`) or a small (`min`) score is better.
    feasible
        Whether there is a solution.
    reference, reference_score
        Best known value of the instance, declared by the campaign, as an objective and as a score, or None.
    target
        Target score at which the run stops, or None.
    seconds
        Wall-clock seconds of the search itself, on the clock of its event stream; for a failed run, until its end.
    wall_seconds, cpu_seconds
        Seconds of the whole run in its process, including reading and start-up; CPU seconds include those of child
        processes. None if unknown.
    time_limit
        Time limit of the search in seconds, the horizon of a primal integral; None for a run without a time limit.
    work
        Deterministic work units spent.
    solver
        MILP backend of the configuration.
    finished
        End of the run, ISO 8601 in UTC.
    reason
        One line on why the run failed, or why the instance is infeasible.
    result_path
        The result file (JSON); for a failed run, the file that describes the failure.
    events_path
        The event stream (JSON lines); for a failed run, the events until the failure. None if there are none.
    """

    key: str
    instance: str
    problem: str
    variant: str
    group: str
    seed: int
    status: str
    stopped: str
    objective: int | float | None
    bound: int | float | None
    sense: str
    score: int | float | None
    bound_score: int | float | None
    score_max: int | float | None
    score_sense: str
    feasible: bool
    reference: int | float | None
    reference_score: int | float | None
    target: int | float | None
    seconds: float
    wall_seconds: float | None
    cpu_seconds: float | None
    time_limit: float | None
    work: int
    solver: str
    finished: str
    reason: str | None
    result_path: Path
    events_path: Path | None

    @property
    def gap(self) -> float | None:
        """Gap of score and bound, see `matheur.engine.gap.optimality_gap`; None without both."""
        return optimality_gap(self.score, self.bound_score)

    def load(self) -> dict[str, Any]:
        """Content of the result file: solution, operators, configuration, versions, certificate, machine.

        Raises
        ------
        InputError
            If the file no longer exists.
        """
        found: dict[str, Any] = read_json(self.result_path)
        return found

    def events(self) -> Iterator[dict[str, Any]]:
        """The events of the run in order, read line by line; nothing if there are none.

        A half-written last line, as a killed run may leave one, is left out.

        Raises
        ------
        InputError
            If a line is not an event.
        """
        if self.events_path is None:
            return
        with self.events_path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield _event(line, self.events_path)


def _event(line: bytes, path: Path) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise InputError("not an event stream", source=str(path))
    return event


@dataclass(frozen=True, slots=True)
class DamagedRun:
    """A damaged file of a campaign.

    Attributes
    ----------
    key
        Key of the run, from the file's name.
    path
        The file.
    reason
        A sentence on what is wrong.
    """

    key: str
    path: Path
    reason: str


_NAMES = tuple(field.name for field in fields(RunRecord))
_STORED = tuple(name for name in _NAMES if name not in ("result_path", "events_path"))


def read_records(
    directory: Path | str, *, planned: bool = True, damaged: list[DamagedRun] | None = None
) -> list[RunRecord]:
    """The finished and the failed runs of a campaign.

    Parameters
    ----------
    directory
        Folder of the campaign, or its TOML file (then the folder next to it is meant).
    planned
        True: only the finished and failed runs of the last plan, in its order (by instance, then variant, then seed),
        under its names. False: all runs in the folder, including those of former configurations and other code, sorted
        by instance, variant, seed and key.
    damaged
        List that receives the unreadable files, whose runs then have no record; None: the first one is an error.

    Returns
    -------
    list of RunRecord

    Notes
    -----
    Reading 10,000 runs takes some tenths of a second: the content of the result files is cached in `index.json`, by
    name, size and time of each file, and only new files are opened. The index is only a cache; without it, or in a
    read-only folder, the files themselves are read. Event streams and solutions are never read here, see
    `RunRecord.events` and `RunRecord.load`. The campaign may be running.

    Raises
    ------
    InputError
        If there is no campaign in the folder, or a result file is damaged and `damaged` is None.
    """
    store = Store(folder_of(directory))
    plan = store.load_plan() if planned else None
    if plan is None and not store.results.is_dir():
        raise InputError("no campaign has been run here", source=str(store.folder))
    unreadable: list[DamagedRun] = []
    rows = _rows(store, unreadable)
    if plan is not None:
        keys = set(plan.keys)
        unreadable = [one for one in unreadable if one.key in keys]
    if damaged is not None:
        damaged += unreadable
    elif unreadable:
        raise InputError(unreadable[0].reason, source=str(unreadable[0].path))
    if plan is None:
        found = [_record(store, row) for row in rows.values()]
        return sorted(found, key=lambda one: (one.instance, one.variant, one.seed, one.key))
    return [
        _record(store, {**rows[row[0]], **_named(plan, number)})
        for number, row in enumerate(plan.runs)
        if row[0] in rows
    ]


def _named(plan: Plan, number: int) -> dict[str, Any]:
    """Values of a run that the plan sets, overriding those in its files."""
    _, instance, variant, _, seed, _ = plan.runs[number]
    of = plan.instances[instance]
    return {
        "instance": of.name,
        "variant": variant,
        "group": of.group,
        "seed": seed,
        "reference": of.reference,
        "reference_score": of.reference_score,
    }


def _record(store: Store, row: dict[str, Any]) -> RunRecord:
    key, failed = row["key"], row["status"] == "failed"
    if failed:
        partial = store.failures / f"{key}.jsonl"
        return RunRecord(
            **row, result_path=store.failures / f"{key}.json", events_path=partial if partial.exists() else None
        )
    return RunRecord(**row, result_path=store.result_path(key), events_path=store.events_path(key))


# The cache


def _rows(store: Store, damaged: list[DamagedRun]) -> dict[str, dict[str, Any]]:
    """Content of the files by key; results take precedence over failures."""
    path = store.folder / "index.json"
    known = _load_index(path)
    rows: dict[str, dict[str, Any]] = {}
    index: dict[str, list[Any]] = {}
    new = 0
    kinds: tuple[tuple[Path, Callable[[dict[str, Any]], dict[str, Any]]], ...] = (
        (store.failures, row_of_failure),
        (store.results, row_of_result),
    )
    for folder, read in kinds:
        for name, size, time in _files(folder):
            key = name.removesuffix(".json")
            entry = known.get(f"{folder.name}/{name}")
            if entry is None or entry[0] != size or entry[1] != time or fault_of(_row_of(entry), key) is not None:
                try:
                    values = _read(folder / name, read)
                except InputError as error:
                    rows.pop(key, None)
                    damaged.append(DamagedRun(key, folder / name, error.message))
                    continue
                if values is None:  # it has just gone: the run is being tried again, or has ended well
                    continue
                entry = [size, time, *(values[key] for key in _STORED)]
                new += 1
            index[f"{folder.name}/{name}"] = entry
            rows[key] = _row_of(entry)
    if new > _STALE or (new and len(index) <= 2 * _STALE):
        _save_index(path, index)
    return rows


def _files(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Name, size and time of the visible JSON files."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and not entry.name.startswith("."):
                    try:
                        about = entry.stat()
                    except FileNotFoundError:
                        continue
                    yield entry.name, about.st_size, about.st_mtime_ns
    except FileNotFoundError:
        return


def read_row(path: Path, *, of_failure: bool = False) -> dict[str, Any] | None:
    """Index entry of one file about a run; None if the file is missing.

    Raises
    ------
    InputError
        If it is damaged.
    """
    return _read(path, row_of_failure if of_failure else row_of_result)


def _row_of(entry: list[Any]) -> dict[str, Any]:
    return dict(zip(_STORED, entry[2:], strict=True))


def _read(path: Path, read: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any] | None:
    try:
        row = read(json.loads(read_bytes(path, note=False)))
        fault = fault_of(row, path.name.removesuffix(".json"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot read ({error.strerror})", source=str(path)) from None
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        what = f"{type(error).__name__}: {error}"[:200]
        raise InputError(f"not a result of a campaign ({what})", source=str(path)) from None
    if fault is not None:
        raise InputError(f"not a result of a campaign ({fault})", source=str(path))
    return row


def _load_index(path: Path) -> dict[str, list[Any]]:
    try:
        values = json.loads(read_bytes(path, note=False))
        if values["format"] == _INDEX_FORMAT and values["columns"] == list(_STORED):
            rows: dict[str, list[Any]] = values["rows"]
            if all(isinstance(row, list) and len(row) == len(_STORED) + 2 for row in rows.values()):
                return rows
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return {}


def _save_index(path: Path, rows: dict[str, list[Any]]) -> None:
    try:
        write_json(path, {"format": _INDEX_FORMAT, "columns": _STORED, "rows": rows})
    except InputError:
        return  # a folder that cannot be written to is read without an index
