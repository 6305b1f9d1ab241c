"""Bringing together what a job array has made."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from matheur.campaign.plan import Order
from matheur.campaign.records import read_row
from matheur.campaign.running import write_list
from matheur.campaign.store import Store
from matheur.engine.files import write_atomic
from matheur.engine.inputs import read_bytes
from matheur.errors import InputError

__all__ = ["Collection", "collect", "order_of"]


@dataclass(frozen=True, slots=True)
class Collection:
    """What `collect` has found.

    Attributes
    ----------
    runs, done, failed, missing
        Numbers of runs in the plan; missing runs have neither a result nor a failure: their job never began or was
        killed.
    taken
        Results that came from other folders.
    damaged
        Files that are no results; they have been left where they are.
    """

    runs: int
    done: int
    failed: int
    missing: int
    taken: int
    damaged: Sequence[str]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def order_of(folder: Path | str, key: str) -> Order:
    """The order of a run of the plan in a folder; an `InputError` if it has none of that key."""
    plan = Store(folder).load_plan()
    for number, row in enumerate(plan.runs):
        if row[0] == key:
            return plan.order(number)
    raise InputError(f"the plan has no run '{key}'", source=str(folder))


def collect(folder: Path | str, others: Sequence[Path | str] = (), *, retry_failed: bool = False) -> Collection:
    """Take results over from the folders of other machines, and write the list of the runs that are left.

    Parameters
    ----------
    folder
        Folder of the campaign; `runs.txt` in it is rewritten.
    others
        Folders of the same layout. What they have of this plan is copied; they stay as they are.
    retry_failed
        List what has failed again, too.

    Raises
    ------
    InputError
        If there is no plan in the folder, or another folder is missing.
    """
    store = Store(folder)
    plan = store.load_plan()
    store.prepare()
    keys, taken, damaged = set(plan.keys), 0, list[str]()
    for other in others:
        if not (Path(other) / "results").is_dir():
            raise InputError("not a folder of a campaign (it has no 'results')", source=str(other))
        source = Store(other)
        for key in sorted((source.finished() & keys) - store.finished()):
            if _take(source, store, key):
                taken += 1
            else:
                damaged.append(str(source.result_path(key)))
        for key in sorted((source.failed() & keys) - store.finished() - store.failed()):
            _take_failure(source, store, key)
    done, failed = store.finished() & keys, store.failed() & keys
    write_list(plan, store, retry_failed=retry_failed)
    return Collection(len(keys), len(done), len(failed), len(keys - done - failed), taken, damaged)


def _take_failure(source: Store, store: Store, key: str) -> None:
    """Copy what is known of a failure; what cannot be read stays where it is, and the run is left."""
    path = source.failures / f"{key}.json"
    with suppress(OSError, InputError):
        read_row(path, of_failure=True)
        write_atomic(store.failures / path.name, read_bytes(path, note=False))


def _take(source: Store, store: Store, key: str) -> bool:
    """Copy a run, its event stream first; False if its files are damaged."""
    path = source.result_path(key)
    try:
        whole = read_row(path) is not None
        result, events = read_bytes(path, note=False), read_bytes(source.events_path(key), 1 << 40, note=False)
    except (InputError, OSError):
        return False
    if not whole or not events.endswith(b"\n"):
        return False
    write_atomic(store.events_path(key), events)
    write_atomic(store.result_path(key), result)
    return True
