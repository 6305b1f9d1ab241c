"""Progress of a campaign, and an estimate of the remaining time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from matheur.campaign.plan import Plan
from matheur.campaign.records import DamagedRun, RunRecord, read_records
from matheur.campaign.store import Running, Store, alive, folder_of, hostname
from matheur.engine.files import read_json
from matheur.errors import InputError

__all__ = ["Status", "VariantStatus", "read_status"]


@dataclass(frozen=True, slots=True)
class VariantStatus:
    """Runs of one variant."""

    name: str
    runs: int
    done: int
    failed: int
    left: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Status:
    """Progress of a campaign.

    Attributes
    ----------
    name, folder
        Name and folder of the campaign.
    runs
        Number of distinct runs of the plan.
    done, failed, running, left
        Numbers of runs that are finished; failed without a result; in progress; neither finished nor failed nor
        damaged (including those in progress).
    other_code
        Number of finished runs in the folder that are not in the plan, with other configurations or code.
    jobs
        Number of simultaneous runs in the last `matheur campaign run`.
    active
        Whether that process is still running (on this machine).
    seconds_left
        Estimated remaining seconds: mean times of the finished runs of each variant, divided by the jobs. None while
        there is no basis for an estimate.
    variants
        Variants in the order of the campaign.
    failures
        Key, instance, variant, seed and reason of each failed run.
    damaged
        Key, file and reason for each file that cannot be read. Their runs count as neither finished nor left; they
        are repeated once the file has been removed.
    """

    name: str
    folder: str
    runs: int
    done: int
    failed: int
    running: int
    left: int
    other_code: int
    jobs: int
    active: bool
    seconds_left: float | None
    variants: Sequence[VariantStatus]
    failures: Sequence[dict[str, Any]]
    damaged: Sequence[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def read_status(directory: Path | str) -> Status:
    """Progress of the campaign in a folder.

    Raises
    ------
    InputError
        If the folder has no campaign.
    """
    store = Store(folder_of(directory))
    plan = store.load_plan()
    damaged: list[DamagedRun] = []
    records = {record.key: record for record in read_records(store.folder, damaged=damaged)}
    keys = set(plan.keys)
    running = {one.key for one in store.runs_at_work()} & keys
    done = {key for key, record in records.items() if record.status != "failed"}
    failed = {key for key, record in records.items() if record.status == "failed"} - running
    session = _session(store)
    jobs = _at_least_one(session.get("jobs"))
    unreadable = {one.key for one in damaged} - set(records) - running
    left = keys - done - failed - unreadable
    variants = _variants(plan, records, unreadable)
    return Status(
        name=plan.name,
        folder=str(store.folder),
        runs=len(keys),
        done=len(done),
        failed=len(failed),
        running=len(running),
        left=len(left),
        other_code=len(store.finished() - keys),
        jobs=jobs,
        active=session.get("host", hostname()) == hostname() and bool(session) and alive(int(session["process"])),
        seconds_left=_seconds_left(plan, variants, left, jobs),
        variants=variants,
        failures=[
            {name: getattr(record, name) for name in ("key", "instance", "variant", "seed", "stopped", "reason")}
            for key, record in records.items()
            if key in failed
        ],
        damaged=[{"key": one.key, "file": str(one.path), "reason": one.reason} for one in damaged],
    )


def _at_least_one(jobs: Any) -> int:
    """Number of jobs in a session file; 1 if the file holds no valid number."""
    return jobs if isinstance(jobs, int) and not isinstance(jobs, bool) and jobs > 0 else 1


def _session(store: Store) -> dict[str, Any]:
    try:
        found = read_json(store.folder / "session.json")
    except InputError:
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("process"), int) else {}


def _variants(plan: Plan, records: dict[str, RunRecord], damaged: set[str]) -> list[VariantStatus]:
    rows: dict[str, list[RunRecord | None]] = defaultdict(list)
    lost: dict[str, int] = defaultdict(int)
    for key, _, variant, *_ in plan.runs:
        rows[variant].append(records.get(key))
        lost[variant] += key in damaged
    found = []
    for name, runs in rows.items():
        done = [one for one in runs if one is not None and one.status != "failed"]
        failed = sum(one is not None and one.status == "failed" for one in runs)
        times = [one.wall_seconds for one in done if one.wall_seconds is not None]
        mean = round(fmean(times), 3) if times else None
        found.append(
            VariantStatus(name, len(runs), len(done), failed, len(runs) - len(done) - failed - lost[name], mean)
        )
    return found


def _seconds_left(plan: Plan, variants: Sequence[VariantStatus], left: set[str], jobs: int) -> float | None:
    """Estimate from the mean time of each variant, else of all variants, else from the time limit."""
    means = {one.name: one.seconds for one in variants}
    known = [(one.seconds, one.done) for one in variants if one.seconds is not None]
    overall = sum(s * n for s, n in known) / sum(n for _, n in known) if known else None
    total, seen = 0.0, set[str]()
    for key, _, variant, configuration, *_ in plan.runs:
        if key not in left or key in seen:
            continue
        seen.add(key)
        seconds = means[variant] if means[variant] is not None else overall
        seconds = plan.configurations[configuration].get("seconds") if seconds is None else seconds
        if seconds is None:
            return None
        total += seconds
    return round(total / max(1, jobs), 1)


def last_event(running: Running) -> dict[str, Any]:
    """The latest complete event of a run in progress; empty if there is none yet."""
    import json

    try:
        with running.path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - 4096))
            lines = file.read().split(b"\n")[:-1]
        found = json.loads(lines[-1]) if lines else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
