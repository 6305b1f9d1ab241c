"""The main job: construct, improve, certify; in one process or several."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from matheur.compiling import compilation, search_clock
from matheur.engine import Budget, Observer, SearchResult, Trace
from matheur.engine.checkpoint import CHECKPOINT, Checkpointer, stored_seed
from matheur.engine.compression import ending_of
from matheur.engine.events import plain
from matheur.engine.files import check_writable
from matheur.engine.interrupt import ctrl_c
from matheur.engine.outputs import ResultFile, keep_apart
from matheur.engine.own_terms import in_own_terms
from matheur.engine.problem_types import tool_of
from matheur.errors import ConfigurationError, OperatorError
from matheur.running.adopting import adopt, by_name
from matheur.running.arguments import check_arguments
from matheur.running.building import build_search, check_members
from matheur.running.certifying import certified, refuted
from matheur.running.configuration import Configuration, instance_options, resolve
from matheur.running.given_start import given_start, start_file
from matheur.running.identity import DIFFERENT, options_digest, search_identity
from matheur.running.incumbents import Incumbents
from matheur.running.loading import file_of, load_instance
from matheur.running.pooling import join_pool, sharing
from matheur.running.result import Result
from matheur.running.starting import begun, continues, forget_proofs, resumed_start

__all__ = ["instance_options", "solve", "solve_configured"]

_LOADING = 0.5  # maximum share of the seconds that loading the operators may use up

_log = logging.getLogger(__name__)

_OUT_EVERY = 0.5  # seconds between two writes of the result file during the search


def solve(
    instance: Any,
    *,
    name: str | None = None,
    problem: str | None = None,
    seconds: float | None = None,
    iterations: int | None = None,
    work: int | None = None,
    target: float | None = None,
    solver: str | Mapping[str, Any] | None = None,
    construction: str | Mapping[str, Any] | None = None,
    neighbourhoods: str | Sequence[str | Mapping[str, Any]] | None = None,
    schedule: str | Mapping[str, Any] | None = None,
    acceptance: str | Mapping[str, Any] | None = None,
    preset: str | None = None,
    config: Path | str | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    options: Mapping[str, Any] | None = None,
    groups: Any = None,
    seed: int | None = None,
    jobs: int | None = None,
    start: Any = None,
    observers: Sequence[Observer] = (),
    trace: Path | str | None = None,
    out: Path | str | None = None,
    checkpoint: Path | str | None = None,
    resume: bool = False,
    pool: Path | str | None = None,
    certify: bool = False,
    interrupt: Callable[[], bool] | None = None,
    accept: str | None = None,
) -> Result:
    """Solve an instance.

    Parameters
    ----------
    instance
        A path, URL or built-in name (`edge-matching/demo`), a `Problem` object, or an object of another library that a
        problem takes, such as a Pyomo model: the values of its best solution are loaded back into it.
    name
        Name of the instance in the result; by default as given by `instance`.
    problem
        Kind of problem, if it cannot be recognised; an object has to be of it.
    seconds, iterations, work, target
        Limits: seconds (except those spent compiling kernels, which happens once on a machine), operator calls,
        deterministic work units (both of each job), and the score at which to stop. Without any, the time limit of the
        preset applies.
    solver
        MILP backend of all operators that use one: `highs`, `scip`, `cp-sat`, `pyomo:NAME`.
    construction, neighbourhoods, schedule, acceptance
        Names, see `matheur operators`; those of the preset if None. A name may be replaced by a table as in a TOML
        file, `{"name": "beam", "width": 100}`; the same holds for the solver and in the list of neighbourhoods.
    preset, config, settings
        A shipped preset, a TOML file, and dotted settings (`neighbourhood.region.rows=5`, in a list or as a table).
        Later sources override earlier ones; keyword arguments come before `settings`.
    options
        Options of the instance's reader.
    groups
        Parts of a model that belong together, for operators that free one after the other: `"x:1"`, the values at the
        second place of the index of the variables `x`; the name of an index set of a Pyomo model; a list of such texts;
        or a table of variables by group. The same as the option `groups` of the reader.
    seed, jobs
        Seed of all randomness (default 0; a resumed run keeps its own), and number of processes (default 1). A script
        that uses several processes needs the guard `if __name__ == "__main__":`, since each process imports it.
    start
        A solution to start from instead of the construction, or before it if there are no neighbourhoods or if the
        construction can continue from a start: a file (a text counts as one if the file exists), a `Result`, its
        `to_dict()`, `named` or `solution`. For linear programs it may lack columns (NaN in an array, or missing in an
        object of names and numbers) or violate rows; `Result.start` describes how it was used. True takes the values
        held by the object of another library.
    observers
        Called with every event.
    trace, out, checkpoint, resume
        File of the event stream (JSON lines), file of the result (JSON, updated while the search runs), folder of the
        state, and whether to continue from that state.
    pool
        Folder of elites that this run shares with other runs, including earlier ones.
    certify
        Prove a claimed optimum again with a second method.
    interrupt
        Returns True to stop the search with the best solution so far. The first Ctrl-C does the same in the main
        thread, if Python itself handles it; a second one raises KeyboardInterrupt.
    accept
        Former name of `acceptance`.

    Returns
    -------
    Result

    Notes
    -----
    A full disk does not end the run: output that cannot be written is written later, or listed in `Result.unwritten`.

    Raises
    ------
    InputError
        If the instance, start or state cannot be read, or an output is the same file as the instance or another output.
    ConfigurationError
        Unknown names, options or values.
    OperatorError
        If an operator or solver claims something that the evaluator refutes.

    Examples
    --------
    >>> result = solve("edge-matching/3x3", construction="random", neighbourhoods=["swap-rotate"], iterations=5)
    >>> result.status in ("optimal", "feasible")
    True
    """
    began = search_clock()
    files = {"config": config, "out": out, "trace": trace, "checkpoint": checkpoint, "pool": pool}
    check_arguments(files, {"name": name, "problem": problem}, options, observers, interrupt)
    outputs = {"out": out, "trace": trace, "the state in checkpoint": _state_file(checkpoint)}
    if groups is not None:
        options = {**(options or {}), "groups": by_name(groups)}
    options = instance_options(config, settings, options)
    if isinstance(instance, str | Path):
        name = name or str(instance)
        keep_apart(outputs, {"the instance": file_of(str(instance)), "config": config})
        _, problem_object = load_instance(str(instance), problem, options)
        deliver = None
    else:
        adopted = adopt(instance, options)
        problem_object, deliver = adopted.problem, adopted.deliver
        if problem not in (None, problem_object.name):
            raise ConfigurationError(f"the instance is of problem '{problem_object.name}', not '{problem}'")
        start = adopted.values if start is True and adopted.values is not None else start
        if groups is not None and problem_object is instance:
            problem_object = _grouped(instance, groups)
        name = name or adopted.name
    given = {
        "seconds": seconds,
        "iterations": iterations,
        "work": work,
        "target": target,
        "solver": solver,
        "construction": construction,
        "neighbourhoods": neighbourhoods,
        "schedule": schedule,
        "acceptance": acceptance,
        "accept": accept,
        "seed": seed,
        "jobs": jobs,
        "pool": None if pool is None else {"folder": str(pool)},
    }
    configuration = resolve(
        problem_object.name,
        preset=preset,
        file=None if config is None else Path(config),
        settings=settings,
        overrides=given,
        instance=problem_object,
    )
    configuration = replace(configuration, instance=_plain_options(options))  # what the instance was read with
    if start is True:
        raise ConfigurationError("start=True is for objects that hold values, such as a Pyomo model")
    keep_apart(outputs, {"the start": start_file(start)})
    start = given_start(problem_object, start)
    with ctrl_c(interrupt) as stop:
        return solve_configured(
            problem_object,
            configuration,
            name=name,
            start=start,
            observers=observers,
            trace=trace,
            out=out,
            checkpoint=checkpoint,
            resume=resume,
            certify=certify,
            interrupt=stop,
            began=began,
            deliver=deliver,
        )


def _grouped(problem: Any, groups: Any) -> Any:
    if not hasattr(problem, "with_groups"):
        raise ConfigurationError(f"problems '{problem.name}' have no groups ({groups!r})")
    return problem.with_groups(by_name(groups))


def solve_configured(
    problem: Any,
    configuration: Configuration,
    *,
    name: str | None = None,
    start: Any = None,
    observers: Sequence[Observer] = (),
    trace: Path | str | None = None,
    out: Path | str | None = None,
    checkpoint: Path | str | None = None,
    resume: bool = False,
    certify: bool = False,
    interrupt: Callable[[], bool] | None = None,
    began: float | None = None,
    deliver: Callable[[Result], None] | None = None,
) -> Result:
    """Solve a problem with a resolved configuration; other parameters as in `solve`.

    Parameters
    ----------
    problem
        A `Problem` object.
    began
        Time of `search_clock` from which the seconds of interim results count; now if None.
    deliver
        Called with the result; if KeyboardInterrupt ends the run, with the best result so far.
    """
    began = search_clock() if began is None else began
    stop = interrupt or (lambda: False)
    if configuration.jobs > 1:
        from matheur.engine.processes import check_sendable, check_startable

        check_startable()
        check_sendable(problem)
    keep_apart({"out": out, "trace": trace, "the state in checkpoint": _state_file(checkpoint)})
    with ExitStack() as stack:
        watching = list(observers)
        keeper, state, events = None, None, None
        if checkpoint is not None:
            identity, options = search_identity(problem, configuration), options_digest(configuration)
            keeper = Checkpointer(checkpoint, identity, meanings=DIFFERENT, notice=_log.warning, options=options)
            stack.enter_context(keeper.held())
            state = keeper.load() if resume else None
            if state is not None and keeper.changed:
                forget_proofs(state)
            check_writable(keeper.path)
            if state is not None and configuration.pool.folder is None:
                configuration = replace(configuration, seed=stored_seed(state))
        elif resume:
            raise ConfigurationError("resuming needs the folder of the checkpoint. Maybe --checkpoint DIR?")
        kept = stack.enter_context(closing(ResultFile(out, _log.warning, _form_of(problem, out))))
        if trace is not None:
            events = stack.enter_context(Trace(trace, append=resume, notice=_log.warning))
            watching.append(events)
        run = _Run(problem, name or problem.name, configuration, began, kept)
        stack.push(partial(run.left, events, deliver))
        found = run.search(watching, keeper, state, start, stop)
        result = run.result(found)
        if events is not None:
            events.close()
        faults = {"trace": events and events.fault, "checkpoint": keeper and keeper.fault}
        result = replace(result, unwritten={name: text for name, text in faults.items() if text})
        if certify and not stop():
            kept.interim(result.to_dict)  # the second proof may take long, or fail
            try:
                proved = run.result(certified(found, problem, configuration, stop))
            except OperatorError as error:
                kept.last(refuted(result, error).to_dict())
                raise
            result = replace(proved, unwritten=result.unwritten)
        kept.last(result.to_dict())
        if kept.fault is not None:
            result = replace(result, unwritten={"result": kept.fault, **result.unwritten})
        if deliver is not None:
            deliver(result)
    return result


def _form_of(problem: Any, out: Path | str | None) -> Callable[[Mapping[str, Any]], str] | None:
    """The problem's own writer of solutions for files with this ending; None if there is none."""
    forms = None if out is None else tool_of(problem.name, "solution_files")
    form = None if forms is None else forms.get(ending_of(out or ""))
    return None if form is None else partial(form, problem)


def _state_file(checkpoint: Path | str | None) -> Path | None:
    return None if checkpoint is None else Path(checkpoint, CHECKPOINT)


class _Run:
    """One call of `solve`: runs the search and makes its results, interim ones included."""

    def __init__(
        self,
        problem: Any,
        name: str,
        configuration: Configuration,
        began: float,
        out: ResultFile,
    ) -> None:
        self.problem, self.name, self.configuration, self.began, self.out = problem, name, configuration, began, out
        self._compiling = compilation.seconds
        self._written = -float("inf")
        self._pending: tuple[Any, int | float] | None = None
        self._best: tuple[Any, int | float | None] = (None, None)
        self._found: SearchResult[Any] | None = None
        self._incumbents = Incumbents(problem)
        self.start: Mapping[str, Any] | None = None

    def search(
        self,
        observers: list[Observer],
        keeper: Checkpointer | None,
        state: dict[str, Any] | None,
        start: Any,
        interrupt: Callable[[], bool],
    ) -> SearchResult[Any]:
        """Run in one or several processes; the cost of a start and of loading counts towards the limits."""
        c, taken = self.configuration, 0.0
        before = Budget(seconds=c.seconds, work=c.work, interrupt=interrupt)
        if start is not None and continues(state):
            start = resumed_start(self.problem, start)
        elif start is not None:
            one = begun(self.problem, start, c, before)
            self.problem, start, self.start = one.problem, one.solution, one.report
            taken = before.elapsed
            left = None if c.seconds is None else max(0.0, c.seconds - taken)
            c = replace(c, seconds=left, work=before.work_left)
        found = self._search(c, observers, keeper, state, start, interrupt)
        self._found = replace(found, seconds=found.seconds + taken, work=found.work + before.spent_work)
        return self._found

    def _search(
        self,
        c: Configuration,
        observers: list[Observer],
        keeper: Checkpointer | None,
        state: dict[str, Any] | None,
        start: Any,
        interrupt: Callable[[], bool],
    ) -> SearchResult[Any]:
        loading = search_clock()
        target = None if c.target is None else _objective_of(self.problem, c.target)
        search = build_search(self.problem, c, observers=observers, on_best=self.on_best, checkpointer=keeper)
        if c.jobs > 1:
            check_members(self.problem, c)
        pool = join_pool(self.problem, self.name, c)
        loading = search_clock() - loading
        if c.seconds is not None:
            c = replace(c, seconds=c.seconds - min(loading, _LOADING * c.seconds))
        known = state is not None or start is not None or (pool is not None and pool.best is not None)
        if not known:  # else the first solution is written at once
            self.out.interim(self.result(None).to_dict)  # an unwritable place is an error now, not after an hour
        if c.jobs > 1:
            from matheur.running.jobs import run_jobs  # which loads what starts processes

            found = run_jobs(
                self.problem, c, target=target, observers=observers, on_best=self.on_best,
                checkpointer=keeper, state=state, start=start, interrupt=interrupt, pool=pool,
            )  # fmt: skip
            return replace(found, seconds=found.seconds + loading)
        seed = c.seed
        if pool is not None:
            seed = pool.seed
            [state] = pool.begin(self.problem, [state], [seed], start=start, improving=bool(c.neighbourhoods))
        with sharing(pool, self.problem, interrupt, lambda: search.at_work) as shared:
            budget = Budget(seconds=c.seconds, iterations=c.iterations, work=c.work, target=target, **shared)
            found = search.run(budget, seed, start=start, state=state)
            return replace(found, seconds=found.seconds + loading)

    def on_best(self, solution: Any, objective: int | float) -> None:
        """Keep the result file up to date."""
        self._incumbents.note(objective)
        self._pending = self._best = (solution, objective)
        if time.monotonic() - self._written >= _OUT_EVERY:
            self._write()

    def _write(self) -> None:
        if self._pending is not None:
            self.out.interim(self.result(None, *self._pending).to_dict)
            self._pending, self._written = None, time.monotonic()

    def left(
        self,
        events: Trace | None,
        deliver: Callable[[Result], None] | None,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """If an exception ends the run: say so in its files, and hand out the best so far if it was Ctrl-C."""
        if error is None:
            return
        pressed = isinstance(error, KeyboardInterrupt)
        result = self.result(self._found, *self._best)
        if self._found is None:
            stopped = "interrupt" if pressed else "error"
            why = None if result.feasible else "the run was stopped before it found a solution"
            why = why if pressed else " ".join(str(error).split()) or type(error).__name__
            result = replace(result, stopped=stopped, reason=why)
            if events is not None and events.work is not None and pressed:
                facts = {"stopped": stopped, "objective": self._best[1], "score": result.score, "bound": None}
                events({"event": "end", "seconds": round(result.seconds, 6), "work": events.work, **facts})
        if self.out.unfinished:
            self.out.last(result.to_dict())
        if pressed and deliver is not None:
            deliver(result)

    def _why_none(self, found: SearchResult[Any]) -> str | None:
        """A sentence for a run that found no solution and proved nothing."""
        if found.objective is not None:
            return None
        if found.stopped == "interrupt":
            return "the run was stopped before it found a solution"
        if found.note is not None:
            return f"no solution was found: {found.note}"
        if found.stopped == "finished":
            return f"'{self.configuration.construction['name']}' found no solution. Maybe another --construction?"
        return "no solution was found within the limits. Maybe more --seconds, or another --construction?"

    def result(
        self, found: SearchResult[Any] | None, solution: Any = None, objective: int | float | None = None
    ) -> Result:
        """The result of a finished search, or an interim one."""
        c = self.configuration
        if found is not None:
            solution, objective = found.solution, found.objective
        bound = None if found is None else found.bound
        if found is not None and found.infeasible is not None:
            status = "infeasible"
        elif objective is None:
            status = "unknown"
        else:
            status = "optimal" if bound is not None and objective <= bound else "feasible"
        certificate = None
        if found is not None and found.certificate is not None and status in ("optimal", "infeasible"):
            proved = {
                name: in_own_terms(self.problem, value) for name, value in (("objective", objective), ("bound", bound))
            }
            proved = proved if status == "optimal" else {}
            certificate = {**found.certificate, **proved}
        return Result(
            problem=self.problem,
            instance=self.name,
            solution=solution,
            objective=in_own_terms(self.problem, objective),
            score=None if objective is None else self.problem.score(objective),
            score_max=self.problem.score_max,
            bound=in_own_terms(self.problem, bound),
            status=status,
            stopped="running" if found is None else found.stopped,
            reason=None if found is None else found.infeasible or self._why_none(found),
            found_by="" if found is None else found.found_by,
            certificate=certificate,
            seconds=search_clock() - self.began if found is None else found.seconds,
            compile_seconds=compilation.seconds - self._compiling,
            work=0 if found is None else found.work,
            iterations=0 if found is None else found.iterations,
            seed=c.seed,
            solver=c.solver["name"],
            operators={} if found is None else found.operators,
            configuration=c.to_dict(),
            note=None if found is None else found.note,
            start=self.start,
            trace=self._incumbents.points,
        )


def _objective_of(problem: Any, score: float) -> float:
    """The objective at which a score is reached; scores are affine in the objective."""
    base = problem.score(0)
    slope = problem.score(1) - base
    if slope == 0:
        raise ConfigurationError(f"'{problem.name}' has no target: its score is always {base}")
    objective: float = (score - base) / slope
    # The objectives of scaled decimals are whole; floating point cannot hold their unit.
    return round(objective, 3) if abs(slope) < 1 else objective


def _plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(json.dumps(plain(options), default=str))
    return kept
