"""The state behind the pages: the folder, the queue of jobs, the pool for instances, and the event feeds."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matheur.engine.files import write_json
from matheur.engine.options import parse_value
from matheur.engine.problem_types import problem_types
from matheur.errors import ConfigurationError, InputError, MatheurError
from matheur.running.earlier_words import NOW
from matheur.web import subjects
from matheur.web.event_feed import Follower
from matheur.web.job_queue import JobQueue
from matheur.web.limits import Limits
from matheur.web.records import read_facts, read_regular
from matheur.web.store import DAMAGED, LIVE, DamagedError, Job, Store
from matheur.web.subject_pool import SubjectPool

__all__ = ["Brought", "Row", "Workbench"]

_FILE = "weights"  # option of a reader that names a file
_FOLLOWED = 300
_LOOKED_AT = 300  # number of newest jobs searched for the best solution of an instance


@dataclass(frozen=True, slots=True)
class Brought:
    """An instance of a page, built in or uploaded.

    Attributes
    ----------
    name
        Name in addresses: `PROBLEM/NAME`, or the name of an input.
    subject
        See `matheur.web.subjects`.
    folder
        Folder of its files; None for a built-in one.
    """

    name: str
    subject: Mapping[str, Any]
    folder: Path | None

    @property
    def place(self) -> str:
        """The folder as an argument for `matheur.web.subjects`; empty for a built-in instance."""
        return "" if self.folder is None else str(self.folder)


@dataclass(frozen=True, slots=True)
class Row:
    """A job in a list.

    Attributes
    ----------
    name, order
        Name and order of the job; a damaged one has no order.
    state, status
        State of the job, and status of its result.
    score, bound, seconds
        Best score so far, bound on the objective, and seconds spent.
    reason
        Description of a damage; empty if there is none.
    """

    name: str
    order: Mapping[str, Any] | None
    state: str
    status: str = ""
    score: float | None = None
    bound: float | None = None
    seconds: float | None = None
    reason: str = ""


@dataclass
class Workbench:
    """The state behind the pages.

    Attributes
    ----------
    store, limits
        Files, and limits on the resources of jobs.
    closing
        Function that returns whether the server is shutting down, which ends all streams.
    viewers
        Number of open streams.
    """

    store: Store
    limits: Limits
    closing: Callable[[], bool] = lambda: False
    viewers: int = 0
    queue: JobQueue = field(init=False)
    pool: SubjectPool = field(init=False)
    _followers: dict[str, Follower] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.queue = JobQueue(self.store, self.limits)
        for old in self.store.logs.glob("worker-*.log"):
            with contextlib.suppress(OSError):
                old.unlink(missing_ok=True)
        self.pool = SubjectPool(self.store.logs)

    async def close(self) -> None:
        """End all processes."""
        await self.queue.close()
        await asyncio.get_running_loop().run_in_executor(None, self.pool.close)

    # Instances

    def brought(self, name: str, options: str = "") -> Brought:
        """An instance by its name in URLs.

        Parameters
        ----------
        options
            Options of its reader: lines of `key=value`.

        Raises
        ------
        InputError, ConfigurationError
            If there is no such instance, or an option must not be set here.
        """
        kind, _, short = name.partition("/")
        if short:
            table = _table_of(options)
            if kind not in problem_types.names() or short not in problem_types.get(kind).builtins():
                raise InputError("there is no such built-in instance")
            return Brought(name, {"source": name, "builtin": True, "name": name, "options": table}, None)
        folder = self.store.input_folder(name)
        facts = read_facts(folder)
        table = _table_of(options, facts["files"])
        subject = {"source": facts["file"], "builtin": False, "name": facts["shown"], "options": table}
        if facts["problem"]:
            subject["problem"] = facts["problem"]
        return Brought(name, subject, folder)

    async def bring(self, files: Mapping[str, bytes], shown: str, problem: str | None, options: str = "") -> Brought:
        """Store an uploaded instance, if it can be read.

        The files may be in any order; the instance is recognised among them. If `shown` is empty, its name is shown.
        It is read with the `options` (see `brought`), without which some files cannot be read.

        Raises
        ------
        MatheurError
            If no file is an instance, or two files are.
        """
        folder = self.store.bring(files, shown)
        try:
            called = dict(zip(read_facts(folder)["files"], files, strict=True))
            table = _table_of(options, called)
            await self._find_instance(folder, problem, table, called)
            one = self.brought(folder.name, options)
        except BaseException:
            self.store.forget_input(folder)
            raise
        self.store.prune_inputs(self.limits.kept)
        return one

    async def _find_instance(
        self, folder: Path, problem: str | None, options: Mapping[str, Any], called: Mapping[str, str]
    ) -> None:
        """Record which file in a folder is the instance, and its problem; `called` holds the files' original names."""
        facts, found, wrong = read_facts(folder), "", None
        for name in sorted(called, key=lambda one: not one.endswith(".json")):  # puzzles before tables
            if len(called) > 1 and name == options.get(_FILE):
                continue
            if found and name.encode() in read_regular(folder / found, self.limits.upload):  # the puzzle names it
                continue
            shown = facts["shown"] or called[name][:200]
            subject: dict[str, Any] = {"source": name, "builtin": False, "name": shown, "options": dict(options)}
            if problem:
                subject["problem"] = problem
            try:
                about = await self.pool.ask(subjects.inspect, subject, str(folder))
            except MatheurError as error:
                wrong = wrong or error
                continue
            if found:
                both = f"'{called[found][:100]}' and '{called[name][:100]}'"
                raise InputError(f"{both} are two instances. Maybe upload them one at a time?")
            found, facts = name, {**facts, "file": name, "shown": shown, "problem": about["problem"]}
        if not found:
            assert wrong is not None
            raise wrong
        write_json(folder / "facts.json", facts)

    async def inspect(self, one: Brought) -> dict[str, Any]:
        """Facts about an instance, see `matheur.web.subjects.inspect`."""
        found: dict[str, Any] = await self.pool.ask(subjects.inspect, dict(one.subject), one.place)
        return found

    # Jobs

    async def order(self, one: Brought, wanted: Mapping[str, Any], *, certify: bool, form: Mapping[str, Any]) -> Job:
        """Create and queue a job; errors are raised before anything is stored.

        Parameters
        ----------
        wanted
            See `matheur.web.subjects.configured`.
        form
            The fields of the form as filled in, for later use.
        """
        self.queue.check_room()
        facts = await self.inspect(one)
        configuration = await self.pool.ask(subjects.configured, dict(one.subject), one.place, dict(wanted), keep=False)
        limit = self.limits.seconds
        asked = configuration["seconds"]
        if asked is not None and asked > limit and _says_seconds(wanted):
            raise ConfigurationError(f"a job may take {limit:g} seconds ({asked:g})")
        configuration["seconds"] = limit if asked is None else min(asked, limit)  # those of a preset are reduced
        if configuration["jobs"] > self.limits.cores:
            raise ConfigurationError(f"a job may have {self.limits.cores} processes ({configuration['jobs']})")
        order = {
            "subject": {**one.subject, "problem": facts["problem"]},
            "instance": one.name,
            "problem": facts["problem"],
            "fingerprint": facts["fingerprint"],
            "scores": facts["scores"],
            "game": facts["game"],
            "preset": wanted["preset"],
            "configuration": configuration,
            "start": wanted["start"],
            "certify": certify,
            "note": str(form.get("note", ""))[:200],
            "form": dict(form),
        }
        return self.queue.admit(lambda: self.store.add(order, one.folder))

    def again(self, job: Job) -> tuple[Brought, str]:
        """The instance of a job, for another run, and its reader options; restored from the job's files if needed."""
        order = job.order
        options = str(order["form"].get("options", ""))
        if order["subject"]["builtin"]:
            return self.brought(order["instance"], options), options
        try:
            return self.brought(order["instance"], options), options
        except InputError:
            kept = self._kept_again(job)
            return self.brought(kept.name, options), options

    def _kept_again(self, job: Job) -> Path:
        """The folder of an uploaded instance, restored from the files of its job."""
        folder = job.folder / "input"
        facts = read_facts(folder)
        try:
            files = {name: read_regular(folder / name, self.limits.upload) for name in facts["files"]}
        except OSError as error:
            raise InputError(f"the files of this run cannot be read ({error.strerror})") from None
        kept = self.store.bring(files, facts["shown"])
        try:
            write_json(kept / "facts.json", facts)
        except BaseException:
            self.store.forget_input(kept)
            raise
        self.store.prune_inputs(self.limits.kept)
        return kept

    def subject_of(self, job: Job) -> tuple[dict[str, Any], str]:
        """The subject of a job, and the folder with its files (see `matheur.web.subjects`)."""
        subject = dict(job.order["subject"])
        return subject, "" if subject["builtin"] else str(job.folder / "input")

    async def companions_of(self, job: Job) -> dict[str, str | Path]:
        """Additional files that the instance of a job needs, by name: their content or their path.

        Files that cannot be found are left out.
        """
        subject, folder = self.subject_of(job)
        try:
            if subject["builtin"]:
                return dict(await self.pool.ask(subjects.companions, subject, folder))
            files = read_facts(Path(folder))["files"]
        except MatheurError:
            return {}
        return {name: Path(folder) / name for name in files if name != subject["source"]}

    def best_of(self, problem: str, fingerprint: str) -> Job | None:
        """The job with the best solution of an instance, preferably a proved one; None if there is no solution."""
        found: list[tuple[float, bool, str]] = []
        wanted = (problem, fingerprint)
        jobs = self.store.all_jobs(_LOOKED_AT)
        alike = {job.id: job for job in jobs if (job.order["problem"], job.order["fingerprint"]) == wanted}
        for job in alike.values():
            outcome = job.outcome()
            objective = outcome.get("objective")
            if objective is not None:
                cost = -objective if outcome.get("sense") == "max" else objective
                found.append((cost, outcome.get("status") != "optimal", job.id))
        return alike[min(found)[-1]] if found else None

    def follower(self, job: Job) -> Follower:
        """The reader of a job's event stream."""
        found = self._followers.get(job.id)
        if found is None:
            over = max(0, len(self._followers) - _FOLLOWED)
            for name in [key for key, one in self._followers.items() if not one.live][:over]:
                del self._followers[name]
            found = self._followers[job.id] = Follower(job)
        return found

    def forget(self, name: str) -> None:
        """Remove a job, damaged or not.

        Raises
        ------
        ConfigurationError, InputError
            If the job is waiting or running, or does not exist.
        """
        if self.queue.holds(name):
            raise ConfigurationError("this job is not finished. Maybe stop it first?")
        self.store.remove(name)
        self._followers.pop(name, None)

    async def rows(self, jobs: Sequence[Job | DamagedError]) -> list[Row]:
        """List entries of jobs: running jobs are described by their streams, others by their results."""
        found = []
        for job in jobs:
            if isinstance(job, DamagedError):
                found.append(Row(job.name, None, DAMAGED, reason=job.reason))
                continue
            state = job.state["state"]
            if state in LIVE:
                (one,) = await self.followed([job])
                course = one.course
                found.append(
                    Row(job.id, job.order, state, score=course.score, bound=course.bound, seconds=course.seconds)
                )
            else:
                outcome, damage = job.outcome(), job.damage()
                found.append(
                    Row(job.id, job.order, DAMAGED if damage else state, outcome.get("status", ""),
                        outcome.get("score"), _engine_bound(outcome), outcome.get("seconds", 0.0), damage)
                )  # fmt: skip
        return found

    async def followed(self, jobs: Sequence[Job]) -> list[Follower]:
        """The followers of jobs, up to date."""
        found = [self.follower(job) for job in jobs]
        for one in found:
            await one.look()
        return found


def _table_of(options: str, files: Collection[str] = ()) -> dict[str, Any]:
    """Options of a reader from lines of `key=value`; raises a `ConfigurationError` if one must not be set here.

    The option `weights` may name one of the files of the instance.
    """
    table: dict[str, Any] = {}
    for line in filter(None, map(str.strip, options.splitlines())):
        key, equals, text = (part.strip() for part in line.partition("="))
        if not equals:
            raise ConfigurationError(f"'{line[:60]}' is not an option. Maybe 'cost=pushes'?")
        name = text.strip("\"'")
        if key == _FILE and name in files:
            table[key] = name
            continue
        if key == _FILE and any(sign in name for sign in "./"):
            raise ConfigurationError(f"'{key}' must name a file that is uploaded with the graph ({name[:60]!r})")
        subjects.checked_settings([line])
        table[key] = parse_value(text)
    return table


def _says_seconds(wanted: Mapping[str, Any]) -> bool:
    """Whether the user, not the preset, has set the time limit."""
    keys = (one.partition("=")[0].strip() for one in wanted["settings"])
    return "seconds" in wanted["overrides"] or any(NOW.get(key, key) == "seconds" for key in keys)


def _engine_bound(outcome: Mapping[str, Any]) -> Any:
    """The bound of a result in the sense of the engine, as in event streams."""
    bound = outcome.get("bound")
    return -bound if bound is not None and outcome.get("sense") == "max" else bound
