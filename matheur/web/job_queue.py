"""The queue of jobs, which starts, supervises, stops and resumes them in processes; files record their states."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable

from matheur.campaign.process_pool import described_exit
from matheur.errors import ConfigurationError, InputError
from matheur.web.job_process import Answer, JobProcess
from matheur.web.job_runner import REFUSED, compiles
from matheur.web.limits import Limits
from matheur.web.store import DAMAGED, LIVE, Job, Store

__all__ = ["JobQueue"]

_TICK = 0.1
_MEMORY_TICK = 0.5
_COMES_BACK = 15.0  # seconds in which a job must stop after a request
_GRACE = 60.0
_COMPILING = 900.0  # maximum seconds for compiling kernels, which count towards no limit
_SAVED_EVERY = 2.0  # seconds between two attempts to write unsaved states
_RECYCLE = 20  # number of jobs after which a process is replaced, because solvers may not release memory


class JobQueue:
    """Runs waiting jobs in order, at most `limits.jobs` at a time.

    Parameters
    ----------
    store, limits
        Files of the jobs, and limits on their resources.
    """

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store, self.limits = store, limits
        self._waiting: deque[str] = deque()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stops: set[str] = set()
        self._idle: list[JobProcess] = []
        self._closing = False
        self._saving: asyncio.Task[None] | None = None

    def adopt(self) -> None:
        """Queue the unfinished jobs of a previous server: running before waiting ones, each group oldest first."""
        self._saving = asyncio.get_running_loop().create_task(self._save())
        left = [job for job in reversed(self.store.all_jobs()) if job.state["state"] in LIVE]
        for job in sorted(left, key=lambda one: one.state["state"] != "running"):
            self._waiting.append(job.id)
        self._start_next()

    def admit(self, make: Callable[[], Job]) -> Job:
        """Create a job and queue it, if the queue has room; no other job can take the place in between.

        Raises
        ------
        ConfigurationError
            If the queue is full, or from `make`.
        """
        self.check_room()
        job = make()
        self.add(job)
        return job

    def add(self, job: Job) -> None:
        """Queue a job, new or stopped."""
        job.move("waiting")
        self._waiting.append(job.id)
        self._start_next()

    def check_room(self) -> None:
        """Raise a `ConfigurationError` if the queue is full."""
        if len(self._waiting) >= self.limits.waiting:
            raise ConfigurationError(f"{len(self._waiting)} jobs are waiting already. Maybe stop or remove one?")

    def resume(self, job: Job) -> None:
        """Resume a job that was stopped or has failed.

        Raises
        ------
        ConfigurationError
            If its state is a different one, or if the queue is full.
        """
        if self.holds(job.id) or job.state["state"] not in ("stopped", "failed", DAMAGED):
            raise ConfigurationError("only a stopped job can be resumed")
        self.admit(lambda: job)

    def stop(self, name: str) -> None:
        """Ask a job to stop and return the best solution so far; if it does not, it is killed.

        A job without a process is marked as stopped at once, whatever its files state.
        """
        if self._works_at(name):
            self._stops.add(name)
            return
        if name in self._waiting:
            self._waiting.remove(name)
        with contextlib.suppress(InputError):  # a damaged job has no state
            job = self.store.job(name)
            if job.state["state"] in LIVE:
                job.move("stopped")

    def holds(self, name: str) -> bool:
        """Whether a job is waiting or running in this queue, whatever its files state."""
        return name in self._waiting or self._works_at(name)

    def _works_at(self, name: str) -> bool:
        return name in self._tasks and not self._tasks[name].done()

    def position(self, job: Job) -> int | None:
        """Number of jobs ahead of a waiting job; None if it is not waiting."""
        return self._waiting.index(job.id) if job.id in self._waiting else None

    async def close(self) -> None:
        """Stop all processes. Their jobs still count as running, and the next server resumes them."""
        self._closing = True
        if self._saving is not None:
            self._saving.cancel()
        if self._tasks:
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        for process in self._idle:
            await process.end()
        self.store.save()

    async def _save(self) -> None:
        while True:
            await asyncio.sleep(_SAVED_EVERY)
            self.store.save()

    def _start_next(self) -> None:
        while self._waiting and len(self._tasks) < self.limits.jobs and not self._closing:
            name = self._waiting.popleft()
            with contextlib.suppress(InputError):  # it was removed or damaged
                task = asyncio.get_running_loop().create_task(self._make(self.store.job(name)))
                self._tasks[name] = task
                task.add_done_callback(lambda task, name=name: self._ended(name, task))  # type: ignore[misc]

    def _ended(self, name: str, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:  # such as a failure to start the process
            self._stops.discard(name)
            reason = error.strerror if isinstance(error, OSError) else error
            with contextlib.suppress(InputError):
                self.store.job(name).move("failed", reason=f"{type(error).__name__}: {reason}"[:1000])
        if self._tasks.get(name) is task:  # otherwise it was resumed in the meantime
            del self._tasks[name]
        self._start_next()

    async def _make(self, job: Job) -> None:
        """Run a job in a process, within its limits."""
        job.move("running")
        self._idle = [one for one in self._idle if one.alive]
        process = self._idle.pop() if self._idle else await JobProcess.start()
        made = asyncio.ensure_future(process.make(job.folder))
        try:
            verdict = await self._watch(job, process, made)
        finally:
            answer = made.result() if made.done() and made.exception() is None else None
            if answer is None or not self._reusable(process):
                code = await process.end()
                made.cancel()
                answer = answer or Answer(code, described_exit(code))
            else:
                self._idle.append(process)
        unfinished = answer.code != 0 or job.outcome().get("stopped") == "interrupt"
        if self._closing and job.id not in self._stops and unfinished:
            return  # without a new state, it counts as running
        self._book(job, verdict, answer)
        self._stops.discard(job.id)

    def _reusable(self, process: JobProcess) -> bool:
        """Whether a process that has answered may run another job."""
        young = process.jobs < _RECYCLE and not process.asked and not self._closing
        return young and process.excess(self.limits.memory // 2) is None

    async def _watch(self, job: Job, process: JobProcess, made: asyncio.Future[Answer | None]) -> str | None:
        """Wait for the answer; return the reason to kill the process, or None if it answered or has ended."""
        began = looked = time.monotonic()
        longest, compiled = 2.0 * float(job.order["configuration"]["seconds"]) + _GRACE, 0.0
        asked: float | None = None
        while not (await asyncio.wait({made}, timeout=_TICK))[0]:
            now = time.monotonic()
            if asked is None and (job.id in self._stops or self._closing):
                asked = now
                process.stop()
            if asked is not None and now - asked > _COMES_BACK:
                return "it did not end when it was stopped"
            if now - began - min(compiled, _COMPILING) > longest:
                return f"it took more than {longest:g} seconds"
            if now - looked >= _MEMORY_TICK:
                compiled += now - looked if compiles(job) else 0.0
                looked = now
                excess = process.excess(self.limits.memory)
                if excess is not None:
                    return f"it {excess}"
        return None

    def _book(self, job: Job, verdict: str | None, answer: Answer) -> None:
        if job.id in self._stops and (verdict is not None or answer.code != REFUSED):
            job.move("stopped", **({} if verdict is None else {"reason": verdict}))
        elif verdict is not None:
            job.move("failed", reason=verdict)
        elif answer.code == 0:
            job.move("stopped" if job.outcome().get("stopped") == "interrupt" else "done")
        else:
            job.move("failed", reason=answer.reason)
