"""Execution of the remaining runs of a campaign, on any executor of `concurrent.futures`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from matheur.campaign.plan import Order, Plan
from matheur.campaign.process_pool import Allowance, LostRunError, ProcessExecutor, UnstartedError
from matheur.campaign.store import Store, attempts, hostname
from matheur.campaign.supervision import supervise
from matheur.campaign.worker import RETRIED, failure, kept_failure, make_run, now
from matheur.engine.files import write_atomic, write_json
from matheur.engine.interrupt import heeds_ctrl_c
from matheur.engine.job_count import check_jobs
from matheur.engine.processes import check_startable
from matheur.errors import ConfigurationError, MatheurError

__all__ = ["EXECUTORS", "Summary", "adopt", "left_orders", "run_campaign", "write_list"]

EXECUTORS = ("processes", "dask", "list")
_AHEAD = 4  # runs per process that are submitted in advance
_WAIT = 0.25  # seconds between two checks of the interrupt
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Made = Callable[[Order, Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of a call of `run_campaign`.

    Attributes
    ----------
    planned
        Number of distinct runs of the plan.
    there
        Number of runs that were finished before.
    done, failed
        Numbers of runs finished and failed in this call.
    interrupted
        Whether the call was interrupted before all runs were done.
    failed_before
        Number of runs that failed in earlier calls and are not tried again.
    """

    planned: int
    there: int
    done: int
    failed: int
    interrupted: bool
    failed_before: int = 0


def adopt(plan: Plan, store: Store) -> Plan:
    """The plan in which runs with a result of another code version refer to that result, and are not repeated."""
    there = {key.partition("-")[0]: key for key in sorted(store.finished())}
    finished = set(there.values())
    runs = [row if row[0] in finished else (there.get(row[0].partition("-")[0], row[0]), *row[1:]) for row in plan.runs]
    return replace(plan, runs=runs)


def left_orders(plan: Plan, store: Store, *, retry_failed: bool = False) -> list[Order]:
    """Remaining runs, ordered by seed: the first seed of all variants first. Failed runs only with `retry_failed`.

    A run whose process has died no more often than the plan's `retries` counts as remaining, not as failed.
    """
    gone = store.finished()
    if not retry_failed:
        gone |= {key for key in store.failed() if not _may_retry(store.failure(key), plan.limits["retries"])}
    order = {seed: number for number, seed in enumerate(dict.fromkeys(row[4] for row in plan.runs))}
    return sorted((one for one in plan.orders() if one.key not in gone), key=lambda one: order[one.seed])


def _may_retry(failure: Mapping[str, Any], retries: int) -> bool:
    """Whether a failed run is retried automatically."""
    return failure.get("kind") in RETRIED and attempts(failure) <= retries


def write_list(plan: Plan, store: Store, *, retry_failed: bool = False) -> Path:
    """Write `runs.txt`, with one command per line for each remaining run; return its path."""
    store.prepare()
    store.save_plan(plan)
    lines = [
        shlex.join(
            [sys.executable, "-P", "-m", "matheur", "campaign", "execute", str(store.folder.resolve()), order.key]
        )
        for order in left_orders(plan, store, retry_failed=retry_failed)
    ]
    path = store.folder / "runs.txt"
    write_atomic(path, os.fsencode("".join(f"{line}\n" for line in lines)))  # names of folders may be no text
    return path


@heeds_ctrl_c
def run_campaign(
    plan: Plan,
    folder: Path | str,
    *,
    executor: str = "processes",
    jobs: int = 1,
    scheduler: str | None = None,
    retry_failed: bool = False,
    interrupt: Callable[[], bool] | None = None,
    on_made: Made | None = None,
    on_tick: Callable[[], None] | None = None,
) -> Summary:
    """Execute the runs that have no result.

    Parameters
    ----------
    plan
        Plan of the campaign, see `make_plan`.
    folder
        Folder of the results; with Dask, all workers must see it under this path.
    executor
        `processes` of this machine, or `dask`.
    jobs
        Number of simultaneous runs (with Dask, only for a local cluster). Each process imports the calling script, so
        the script must call this function below `if __name__ == "__main__":`.
    scheduler
        Address of a Dask scheduler; None starts a cluster on this machine.
    retry_failed
        Whether to retry failed runs.
    interrupt
        Function that returns True to stop. Unfinished runs are abandoned, and repeated when the campaign runs again.
    on_made
        Function called with each order and its outcome (`outcome`, `reason`), also for runs that are retried at once.
    on_tick
        Function called several times a second.

    Raises
    ------
    MatheurError
        If another process is running this campaign, or no process can be started.
    """
    if executor not in EXECUTORS[:2]:
        raise ConfigurationError(f"unknown executor '{executor}'. Maybe one of: {', '.join(EXECUTORS[:2])}.")
    check_jobs(jobs)
    if executor == "processes":
        check_startable()
    store = Store(Path(folder).resolve())  # the processes may have a different current folder
    store.prepare()
    with store.locked():
        store.forget_dead()
        store.save_plan(plan)
        orders = left_orders(plan, store, retry_failed=retry_failed)
        if retry_failed:
            store.forget_failures(order.key for order in orders)
        there = len(store.finished() & set(plan.keys))
        before = len((store.failed() & set(plan.keys)) - {order.key for order in orders})
        facts = {"host": hostname(), "process": os.getpid(), "executor": executor, "jobs": jobs, "begun": now()}
        write_json(store.folder / "session.json", facts)
        if not orders:
            return Summary(len(plan.keys), there, 0, 0, False, before)
        with _executor(executor, min(jobs, len(orders)), scheduler, plan, store) as (pool, function, ahead, gone):
            runner = _Runner(pool, function, store, plan.limits["retries"], on_made or (lambda *_: None), gone)
            stopped = runner.work(orders, ahead, interrupt or (lambda: False), on_tick or (lambda: None))
        if executor == "processes":
            store.forget_dead()
        return Summary(len(plan.keys), there, runner.done, runner.failed, stopped, before)


@contextmanager
def _executor(
    name: str, jobs: int, scheduler: str | None, plan: Plan, store: Store
) -> Iterator[tuple[Executor, Callable[..., Any], int, Callable[[], bool]]]:
    """An executor, the function that executes a run on it, the number of runs in advance, and a test for its loss."""
    former = {key: os.environ.get(key) for key in _THREADS}
    os.environ.update({key: "1" for key, value in former.items() if value is None})  # inherited by the processes
    try:
        if name == "dask":
            from matheur.campaign.on_dask import dask_executor

            stop = store.running / f"{uuid4().hex}.stop"
            with dask_executor(jobs, scheduler, stop) as (pool, workers, gone):
                yield pool, _Supervised(str(stop)), max(_AHEAD * jobs, 2 * workers), gone
        else:
            pool = ProcessExecutor(jobs, recycle=plan.recycle, allowance=_allowance, logs=store.running)
            try:
                yield pool, make_run, _AHEAD * jobs, lambda: False
            finally:
                pool.abandon()
    finally:
        for key, value in former.items():
            if value is None:
                del os.environ[key]


def _allowance(_folder: str, order: Mapping[str, Any]) -> Allowance:
    return Allowance(order["seconds"], order["memory"])


@dataclass(frozen=True, slots=True)
class _Supervised:
    """On a Dask worker: executes each run in its own process, so that no solver runs in a thread of the worker."""

    stop: str

    def __call__(self, folder: str, order: Mapping[str, Any]) -> dict[str, Any]:
        return supervise(folder, order, self.stop)


class _Runner:
    """Submits runs to an executor and records those that it loses."""

    def __init__(
        self,
        pool: Executor,
        function: Callable[..., Any],
        store: Store,
        retries: int,
        on_made: Made,
        gone: Callable[[], bool],
    ) -> None:
        self.pool, self.function, self.store, self.retries, self.on_made = pool, function, store, retries, on_made
        self.gone = gone
        self.done = self.failed = 0
        self._waiting: dict[Future[Any], Order] = {}

    def work(
        self, orders: Sequence[Order], ahead: int, interrupt: Callable[[], bool], on_tick: Callable[[], None]
    ) -> bool:
        """Execute the runs; return whether they were interrupted."""
        left = iter(orders)
        while not interrupt():
            while len(self._waiting) < ahead and (order := next(left, None)) is not None:
                self._submit(order)
            if not self._waiting:
                return False
            done, _ = wait(self._waiting, timeout=_WAIT, return_when=FIRST_COMPLETED)
            for future in done:
                self._take(future, self._waiting.pop(future))
            on_tick()
        for future in self._waiting:
            future.cancel()
        return True

    def _submit(self, order: Order) -> None:
        try:
            future = self.pool.submit(self.function, str(self.store.folder), order.to_dict())
        except Exception:
            if not self.gone():
                raise
            raise _gone() from None
        self._waiting[future] = order

    def _take(self, future: Future[Any], order: Order) -> None:
        """Record the outcome of a run; a run whose process crashed may be retried."""
        try:
            answer: Mapping[str, Any] = future.result()
        except CancelledError:  # cancelled by the executor; this module cancels only at the end of `work`
            raise _gone() from None
        except UnstartedError:
            raise
        except LostRunError as lost:
            answer = self._lost(order, lost)
        except Exception as error:  # from the executor: a lost worker or message
            if self.gone():
                raise _gone() from None
            answer = self._lost(order, LostRunError("crash", f"{type(error).__name__}: {error}"))
        again = answer["outcome"] == "failed" and _may_retry(self.store.failure(order.key), self.retries)
        if again:
            self._submit(order)
        elif answer["outcome"] == "failed":
            self.failed += 1
        elif answer["outcome"] in ("done", "there"):
            self.done += 1
        self.on_made(order, {**answer, "again": again})

    def _lost(self, order: Order, lost: LostRunError) -> dict[str, Any]:
        """Store the failure of a run whose process has died, unless its result was written just before."""
        key = order.key
        if self.store.result_path(key).exists():
            return {"key": key, "outcome": "done"}
        stream = None if lost.process is None else self.store.running_path(key, lost.process)
        facts = failure(order.to_dict(), lost.kind, str(lost), lost.seconds)
        printed = _printed(self.store, lost.process)
        facts = {**facts, "printed": printed} if printed else facts
        return {**kept_failure(self.store, key, facts, stream), "kind": lost.kind}


def _gone() -> MatheurError:
    return MatheurError("the scheduler is gone. Finished runs are kept, and the same command continues the campaign")


def _printed(store: Store, process: int | None) -> str:
    """The last characters that a process printed."""
    try:
        return (store.running / f"worker-{process}.log").read_text(errors="replace")[-2000:]
    except OSError:
        return ""
