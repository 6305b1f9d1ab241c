"""Data of a report: each run with its course, thinned to what plots need, and facts about the instances."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from matheur.campaign.plan import Plan
from matheur.campaign.records import DamagedRun, RunRecord, read_records
from matheur.campaign.references import reached_at
from matheur.campaign.report.document import Sources
from matheur.campaign.report.words import visible
from matheur.campaign.statistics import (
    Course,
    Trajectory,
    operator_statistics,
    primal_integral,
    read_course,
    relative_gap,
)
from matheur.campaign.store import Store, folder_of
from matheur.engine.statistics import OperatorStatistics
from matheur.errors import InputError

__all__ = ["Findings", "InstanceFacts", "Run", "machine_of", "read_findings", "sources_of"]

_INCUMBENTS = 150  # number of incumbents of a run that are kept for plots
_LISTED = 60  # maximum number of runs listed under a figure
_TOLERANCE = 1e-6  # relative tolerance within which proved optima count as equal


@dataclass(frozen=True, slots=True)
class Run:
    """A run and its course. Values are scores, negated where large scores are good.

    Attributes
    ----------
    record
        Record of the run.
    trajectory
        Trajectory of its incumbents, thinned.
    operators
        Statistics by operator.
    value
        Value of its best solution, infinite without one.
    to_target
        Seconds to the target of the instance; infinite if it was not reached, None if there is no target.
    to_own_target
        Seconds to the run's own target, which may differ from that of the instance.
    gap
        See `InstanceFacts.gap`.
    integral
        Primal integral as a share of its horizon.
    """

    record: RunRecord
    trajectory: Trajectory
    operators: dict[str, OperatorStatistics]
    value: float
    to_target: float | None
    to_own_target: float | None
    gap: float | None
    integral: float | None


@dataclass(frozen=True, slots=True)
class InstanceFacts:
    """Facts about an instance.

    Attributes
    ----------
    name, problem, group
        As in the records.
    sign
        -1 if large scores are good, else 1: values are `sign * score`.
    reference
        Best known value declared by the campaign; None if there is none.
    best
        Best value known, over the reference and all runs; infinite if there is none.
    target
        Target by which runs are measured: the target set for them (the easiest, if they differ), else the reference,
        else the best value; None if nothing is known.
    horizon
        Seconds over which primal integrals are taken: the longest time limit, else the longest run.
    """

    name: str
    problem: str
    group: str
    sign: float
    reference: float | None
    best: float
    target: float | None
    horizon: float

    def score(self, value: float) -> float:
        """The score of a value."""
        return self.sign * value

    def gap(self, value: float) -> float | None:
        """Gap to the reference, or to the best value of all runs if there is none.

        Infinite without a solution, None without anything to compare with.
        """
        to = self.best if self.reference is None else self.reference
        return relative_gap(value, to) if math.isfinite(to) else None


@dataclass(frozen=True, slots=True)
class Findings:
    """Contents of a report.

    Attributes
    ----------
    plan
        Plan of the campaign.
    store
        Its folder.
    base
        Folder from which relative addresses start.
    runs
        Runs in the order of the plan, failed ones included.
    instances
        Instances by name.
    variants, groups
        Names in the order of the plan; groups are `[""]` if there are none.
    configuration_of
        Number of the configuration by key of the run.
    damaged
        Files that cannot be read, or whose event streams cannot; their runs are not among `runs`.
    folders
        Cache of relative addresses by folder.
    """

    plan: Plan
    store: Store
    base: Path
    runs: Sequence[Run]
    instances: dict[str, InstanceFacts]
    variants: Sequence[str]
    groups: Sequence[str]
    configuration_of: dict[str, int]
    damaged: Sequence[DamagedRun] = ()
    folders: dict[Path, str] = field(default_factory=dict)

    @property
    def made(self) -> list[Run]:
        """Runs that did not fail."""
        return [run for run in self.runs if run.record.status != "failed"]

    def by_instance(self) -> dict[str, dict[str, list[Run]]]:
        """Runs that did not fail, by instance and variant."""
        found: dict[str, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
        for run in self.made:
            found[run.record.instance][run.record.variant].append(run)
        return found

    def number_of(self, variant: str) -> int:
        """Number of the colour of a variant."""
        return list(self.variants).index(variant)

    def href(self, path: Path | None) -> str | None:
        """Address of a file relative to the report."""
        if path is None:
            return None
        folder = self.folders.get(path.parent)
        if folder is None:
            folder = self.folders[path.parent] = os.path.relpath(path.parent.resolve(), self.base)
        return quote(os.path.normpath(os.path.join(folder, path.name)).encode("utf-8", "surrogateescape"))


def read_findings(directory: Path | str, base: Path) -> Findings:
    """Read a campaign: the records, and the event stream of each run once.

    Parameters
    ----------
    directory
        Folder of the campaign, or its TOML file.
    base
        Folder of the report.

    Raises
    ------
    InputError
        If there is no campaign.
    """
    store = Store(folder_of(directory))
    plan = store.load_plan()
    damaged: list[DamagedRun] = []
    records = read_records(store.folder, damaged=damaged)
    of_instance: dict[str, list[RunRecord]] = defaultdict(list)
    for record in records:
        of_instance[record.instance].append(record)
    instances = {name: _facts(rows) for name, rows in of_instance.items()}
    known: dict[tuple[str, str], Run] = {}  # variants may share runs
    runs = []
    for record in records:
        run = known.get((record.key, record.instance))
        try:
            run = _run(record, instances[record.instance]) if run is None else replace(run, record=record)
        except InputError as error:  # in its event stream; without its result, the run is made again
            if not any(one.key == record.key for one in damaged):
                damaged.append(DamagedRun(record.key, record.result_path, error.message))
            continue
        known[record.key, record.instance] = run
        runs.append(run)
    return Findings(
        plan=plan,
        store=store,
        base=base.resolve(),
        runs=runs,
        instances=instances,
        variants=list(dict.fromkeys(row[2] for row in plan.runs)),
        groups=list(dict.fromkeys(one.group for one in plan.instances)),
        configuration_of={row[0]: row[3] for row in plan.runs},
        damaged=damaged,
    )


def _facts(records: Sequence[RunRecord]) -> InstanceFacts:
    one = records[0]
    sign = -1.0 if one.score_sense == "max" else 1.0
    values = [sign * record.score for record in records if record.score is not None]
    reference = None if one.reference_score is None else sign * one.reference_score
    known = values if reference is None else [*values, reference]
    best = min(known, default=math.inf)
    given = [sign * record.target for record in records if record.target is not None]
    target = max(given) if given else _target(records, sign, best if reference is None else reference)
    limits = [record.time_limit for record in records if record.time_limit]
    return InstanceFacts(
        name=one.instance,
        problem=one.problem,
        group=one.group,
        sign=sign,
        reference=reference,
        best=best,
        target=target if math.isfinite(target) else None,
        horizon=max(limits) if limits else max(record.seconds for record in records),
    )


def _target(records: Sequence[RunRecord], sign: float, known: float) -> float:
    """Target value: the best known value, or the worst proved optimum within a solver's tolerance of it."""
    proved = [sign * record.score for record in records if record.status == "optimal" and record.score is not None]
    room = _TOLERANCE * max(1.0, abs(known))
    return max([reached_at(known, "min"), *(value for value in proved if value - known <= room)])


def _course(record: RunRecord) -> Course:
    stream = None if record.events_path is None else record.events_path.name
    try:
        course = read_course(record.events_path, score_sense=record.score_sense)
    except FileNotFoundError:
        if record.status != "failed":  # without it, the run would count as one that found nothing
            raise InputError(f"the event stream {stream} is missing", source=str(record.result_path)) from None
        course = Course(Trajectory.of((), ()), None)  # it is being repeated
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise InputError(f"{stream} is not an event stream", source=str(record.events_path)) from None
    if course.operators is None and record.status != "failed":
        return Course(course.trajectory, operator_statistics(record.load().get("operators", {})))
    return course


def _run(record: RunRecord, facts: InstanceFacts) -> Run:
    course = _course(record)
    value = math.inf if record.score is None else facts.sign * record.score
    whole = course.trajectory
    known = math.isfinite(facts.best)
    return Run(
        record=record,
        trajectory=whole.thinned(_INCUMBENTS),
        operators=course.operators or {},
        value=value,
        to_target=None if facts.target is None else whole.time_to(facts.target),
        to_own_target=None if record.target is None else whole.time_to(facts.sign * record.target),
        gap=facts.gap(value),
        integral=primal_integral(whole, facts.best, horizon=facts.horizon) / facts.horizon
        if known and facts.horizon > 0
        else None,
    )


def sources_of(findings: Findings, runs: Sequence[Run], *, most: int = _LISTED) -> Sources:
    """The runs behind a figure or a table, as links to their files and configurations."""
    rows: dict[tuple[str, str, str], list[tuple[int, str]]] = {}
    for run in runs[:most]:
        record = run.record
        anchor = f"configuration-{findings.configuration_of[record.key]}"
        label = (visible(record.instance), visible(record.variant), anchor)
        rows.setdefault(label, []).append((record.seed, findings.href(record.result_path) or ""))
    listed = [(f"{instance}, {variant}", anchor, seeds) for (instance, variant, anchor), seeds in rows.items()]
    return Sources(listed, max(0, len(runs) - most))


def machine_of(run: Run) -> dict[str, Any]:
    """Machine and versions of a run that did not fail."""
    try:
        found = run.record.load()
    except InputError:  # the file was removed or changed after it was read
        return {}
    return {**found.get("campaign", {}), "versions": found.get("versions", {})}
