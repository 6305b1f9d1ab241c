"""Collection of the results of a job array."""

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
    """Summary of a call of `collect`.

    Attributes
    ----------
    runs, done, failed, missing
        Numbers of runs in the plan. Missing runs have neither a result nor a failure: their job never began or was
        killed.
    taken
        Number of results copied from other folders.
    damaged
        Paths of damaged results, which were not copied.
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
    """The order of the run with this key in the plan of a folder; an `InputError` if there is no such run."""
    plan = Store(folder).load_plan()
    for number, row in enumerate(plan.runs):
        if row[0] == key:
            return plan.order(number)
    raise InputError(f"the plan has no run '{key}'", source=str(folder))


def collect(folder: Path | str, others: Sequence[Path | str] = (), *, retry_failed: bool = False) -> Collection:
    """Copy results from the folders of other machines, and write the list of the remaining runs.

    Parameters
    ----------
    folder
        Folder of the campaign; `runs.txt` in it is rewritten.
    others
        Folders with the same layout. Their results of this plan are copied; the folders do not change.
    retry_failed
        Whether to list failed runs again, too.

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
    """Copy the file about a failure; if it cannot be read, the run remains to be made."""
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
