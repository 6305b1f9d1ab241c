"""What a report is made of: each run with its course, cut down to what plots need, and what is known of instances."""

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

_INCUMBENTS = 150  # of a run that are kept for plots
_LISTED = 60  # runs that a figure lists
_TOLERANCE = 1e-6  # relative; within it proved optima are the same


@dataclass(frozen=True, slots=True)
class Run:
    """A run and its course. Values are scores, with their signs turned where large ones are good.

    Attributes
    ----------
    record
        Record of the run.
    trajectory
        Its incumbents, thinned.
    operators
        Statistics by operator.
    value
        Value of its best solution, infinite without one.
    to_target
        Seconds to the target of the instance, infinite if it was not reached, None if there is no target.
    to_own_target
        The same of the target that the run was given, which may differ from those of others.
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
    """What is known of an instance.

    Attributes
    ----------
    name, problem, group
        As in the records.
    sign
        -1 if large scores are good: values are `sign * score`.
    reference
        Best known value as the campaign declares it, None if it does not.
    best
        The best value that is known, of the reference and of all runs; infinite if there is none.
    target
        What runs are measured by: the target that they were given (the easiest, if they differ), else the reference,
        else the best; None if nothing is known.
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
        """To the reference, or to the best of all runs if there is none; infinite without a solution, None without
        anything to compare with."""
        to = self.best if self.reference is None else self.reference
        return relative_gap(value, to) if math.isfinite(to) else None


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a report says.

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
        Files that cannot be read; their runs are not among `runs`.
    folders
        Addresses of folders that have been asked for.
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
        """Runs that have ended well."""
        return [run for run in self.runs if run.record.status != "failed"]

    def by_instance(self) -> dict[str, dict[str, list[Run]]]:
        """Runs that have ended well, by instance and variant."""
        found: dict[str, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
        for run in self.made:
            found[run.record.instance][run.record.variant].append(run)
        return found

    def number_of(self, variant: str) -> int:
        """Of the colour of a variant."""
        return list(self.variants).index(variant)

    def href(self, path: Path | None) -> str | None:
        """Address of a file, seen from the report."""
        if path is None:
            return None
        folder = self.folders.get(path.parent)
        if folder is None:
            folder = self.folders[path.parent] = os.path.relpath(path.parent.resolve(), self.base)
        return quote(os.path.normpath(os.path.join(folder, path.name)).encode("utf-8", "surrogateescape"))


def read_findings(directory: Path | str, base: Path) -> Findings:
    """Read a campaign: records, and the event stream of every run once.

    Parameters
    ----------
    directory
        Folder of the campaign, or its TOML file.
    base
        Folder in which the report will be.

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
        except InputError as error:  # of its event stream
            path = record.result_path if record.events_path is None else record.events_path
            if not any(one.key == record.key for one in damaged):
                damaged.append(DamagedRun(record.key, path, error.message))
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
    """The best known value, or what proved optima differ from it by the tolerance of a solver."""
    proved = [sign * record.score for record in records if record.status == "optimal" and record.score is not None]
    room = _TOLERANCE * max(1.0, abs(known))
    return max([reached_at(known, "min"), *(value for value in proved if value - known <= room)])


def _course(record: RunRecord) -> Course:
    try:
        course = read_course(record.events_path, score_sense=record.score_sense)
    except FileNotFoundError:  # a failed run that is being tried again
        course = Course(Trajectory.of((), ()), None)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise InputError("not an event stream", source=str(record.events_path)) from None
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
    """Machine and versions of a run that has ended well."""
    try:
        found = run.record.load()
    except InputError:  # it has gone, or been changed, since it was read
        return {}
    return {**found.get("campaign", {}), "versions": found.get("versions", {})}
