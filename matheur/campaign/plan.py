"""The runs of a campaign: every variant on every instance with every seed, each with its key."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from textwrap import shorten
from typing import Any

from matheur.campaign.configuration import Campaign, Variant, over, preset_and_proof
from matheur.campaign.instances import Found, find_instances, problem_of
from matheur.campaign.keys import code_version, file_digests, located, run_key
from matheur.campaign.references import Reference, reached_at, read_references
from matheur.engine.events import plain
from matheur.engine.options import configure
from matheur.engine.own_terms import in_own_terms
from matheur.errors import ConfigurationError, InputError, MatheurError, nearest
from matheur.running.configuration import Configuration, preset_cases, resolve
from matheur.running.earlier_words import of_today

__all__ = ["Order", "Plan", "PlannedInstance", "make_plan"]

_log = logging.getLogger(__name__)

FORMAT = 1
_BRIEF = 70  # maximum length of the reason for each unreadable file
_NAMED = 5  # maximum number of unreadable files in an error message
_INSTEAD = {"seed": "Maybe 'seeds' of the campaign?", "groups": "Maybe 'groups' of the variant?"}
_GRACE = 600.0  # seconds added to twice the run's own limit


@dataclass(frozen=True, slots=True)
class PlannedInstance:
    """An instance of the plan.

    Attributes
    ----------
    name, source, group, options
        See `matheur.campaign.instances.Found`.
    problem, fingerprint
        Kind of problem, and digest of the content.
    reference, reference_score
        Best known value as an objective and as a score; None if unknown.
    score_sense
        `max` if larger scores are better, else `min`.
    """

    name: str
    source: str
    group: str
    problem: str
    fingerprint: str
    options: Mapping[str, Any]
    reference: int | float | None
    reference_score: int | float | None
    score_sense: str


@dataclass(frozen=True, slots=True)
class Order:
    """Everything that a worker needs for one run, as plain values.

    Attributes
    ----------
    key
        Key of the run.
    instance
        Instance to solve.
    variant, seed, certify
        Settings of the run.
    configuration
        Resolved and complete configuration, as in `Configuration.to_dict`.
    code, labelled
        Version of the code, as in the key, and whether it is a label of the user, which is not checked.
    seconds, memory
        Limits that the parent enforces, in seconds and bytes; None for no limit.
    warm_up
        Length in seconds of the discarded run that a process makes before its first run of a configuration.
    """

    key: str
    instance: PlannedInstance
    variant: str
    seed: int
    certify: bool
    configuration: Mapping[str, Any]
    code: str
    labelled: bool
    seconds: float | None
    memory: int | None
    warm_up: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "configuration": plain(self.configuration)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Order:
        """The inverse of `to_dict`."""
        return cls(**{**values, "instance": PlannedInstance(**values["instance"])})


@dataclass(frozen=True, slots=True)
class Plan:
    """All runs of a campaign.

    Attributes
    ----------
    name
        Name of the campaign.
    code, labelled
        Version of the code, and whether it is a label set by the campaign.
    instances
        Instances in the order of the campaign.
    configurations
        Resolved configurations, without seeds.
    runs
        Rows of key, index of the instance, name of the variant, index of the configuration, seed, certify.
    limits
        `seconds` (None: derived from the run's own limit), `memory` in bytes, `retries`.
    recycle
        Number of runs after which a worker process is replaced.
    warm_up
        See `Campaign`.
    """

    name: str
    code: str
    labelled: bool
    instances: Sequence[PlannedInstance]
    configurations: Sequence[Mapping[str, Any]]
    runs: Sequence[tuple[str, int, str, int, int, bool]]
    limits: Mapping[str, Any]
    recycle: int
    warm_up: float

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def keys(self) -> list[str]:
        """Keys in the order of the plan; identical runs have the same key and are listed once."""
        return list(dict.fromkeys(row[0] for row in self.runs))

    def orders(self) -> Iterator[Order]:
        """The distinct runs in the order of the plan."""
        seen: set[str] = set()
        for number, row in enumerate(self.runs):
            if row[0] not in seen:
                seen.add(row[0])
                yield self.order(number)

    def order(self, number: int) -> Order:
        """The order for row `number` of `runs`."""
        key, instance, variant, configuration, seed, certify = self.runs[number]
        values = {**self.configurations[configuration], "seed": seed}
        return Order(
            key, self.instances[instance], variant, seed, certify, values, self.code, self.labelled,
            self._seconds(values), self.limits["memory"], self.warm_up,
        )  # fmt: skip

    def _seconds(self, configuration: Mapping[str, Any]) -> float | None:
        if self.limits["seconds"] is not None:
            return float(self.limits["seconds"])
        own = configuration.get("seconds")
        return None if own is None else 2.0 * own + self.warm_up + _GRACE

    def to_json(self) -> bytes:
        """The plan as the content of a JSON file."""
        values = {"format": FORMAT, **{name: getattr(self, name) for name in self.__dataclass_fields__}}
        values["instances"] = [asdict(one) for one in self.instances]
        return (json.dumps(plain(values), separators=(",", ":")) + "\n").encode()

    @classmethod
    def from_json(cls, data: bytes, source: str) -> Plan:
        """The inverse of `to_json`; an `InputError` names the file if it is not a plan."""
        try:
            values = json.loads(data)
            if values.pop("format") != FORMAT:
                raise InputError("a plan of another version of matheur", source=source)
            values["instances"] = [PlannedInstance(**one) for one in values["instances"]]
            values["configurations"] = [of_today(one, None) for one in values["configurations"]]
            values["runs"] = [tuple(row) for row in values["runs"]]
            return cls(**values)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ConfigurationError) as error:
            raise InputError(f"not a plan of a campaign ({error})", source=source) from None


def make_plan(campaign: Campaign, data: Path | str | None = None) -> Plan:
    """Read the instances, resolve the configurations, and compute the key of every run.

    Parameters
    ----------
    campaign
        Declared campaign.
    data
        Folder of the public data, `MATHEUR_DATA` by default.

    Raises
    ------
    InputError
        If an instance or the reference values cannot be read.
    ConfigurationError
        If a variant does not resolve, or its search cannot be built on an instance; the message names the variant.
    """
    found = find_instances(campaign, data)
    _check_groups(campaign, {one.group for one in found})
    _check_names(campaign, {one.name for one in found} | {one.group for one in found})
    references: Mapping[str, Reference] = {}
    if campaign.references is not None:
        table = read_references(campaign.folder / campaign.references)
        references = _by_instance(campaign.references, table, [one.name for one in found])
    code = code_version(campaign.code)
    planner = _Planner(campaign, code)
    bad: list[InputError] = []
    for one in found:
        try:
            planner.add(one, references.get(one.name))
        except InputError as error:
            bad.append(error)
    _refuse(bad, len(found))
    limits = {
        "seconds": campaign.limits.seconds,
        "memory": campaign.limits.bytes,
        "retries": campaign.limits.retries,
    }
    return Plan(
        campaign.name, code, campaign.code is not None, planner.instances, planner.configurations, planner.runs,
        limits, campaign.recycle, campaign.warm_up,
    )  # fmt: skip


def _by_instance(table: str, values: Mapping[str, Reference], names: Sequence[str]) -> Mapping[str, Reference]:
    """Best known values by instance. A table may use the last part of a name if no other instance has it."""
    last = Counter(Path(name).name for name in names)
    _note_strangers(table, values, {*names, *last})
    for short in sorted(short for short, count in last.items() if count > 1 and short in values.keys() - {*names}):
        alike = [name for name in names if Path(name).name == short]
        _log.warning(
            "%s: '%s' may be '%s' or '%s', so its value is not used. Maybe these names?", table, short, *alike[:2]
        )
    shortened = {name: Path(name).name for name in names if last[Path(name).name] == 1}
    found = {name: values.get(name, values.get(shortened.get(name, name))) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _note_strangers(table: str, references: Mapping[str, Reference], known: set[str]) -> None:
    """Log a warning if a table of best known values contains no instance of the campaign."""
    if references and known.isdisjoint(references):
        name = next(iter(references))
        hint = nearest(name, sorted(known))
        _log.warning("%s: it contains no instance of the campaign; its first is '%s'. %s", table, name, hint)


def _refuse(bad: Sequence[InputError], count: int) -> None:
    """Raise one error for all instances that cannot be read, with the names of the files."""
    if len(bad) == 1:
        raise bad[0]
    if bad:
        named = "; ".join(map(_briefly, bad[:_NAMED])) + ("; ..." if len(bad) > _NAMED else "")
        raise InputError(
            f"{len(bad)} of {count} instances cannot be read: {named}. Maybe a glob that leaves them out, such as "
            f"'FOLDER/*.txt'?"
        )


def _briefly(error: InputError) -> str:
    """Source and reason of an error, without its advice."""
    where, what = str(error).removesuffix(error.message), error.message.partition(". Maybe")[0]
    return where + shorten(what.partition(" (")[0] if len(what) > _BRIEF else what, _BRIEF, placeholder=" ...")


class _Planner:
    """Collects the plan's tables."""

    def __init__(self, campaign: Campaign, code: str) -> None:
        self.campaign, self.code = campaign, code
        self.instances: list[PlannedInstance] = []
        self.configurations: list[Mapping[str, Any]] = []
        self.runs: list[tuple[str, int, str, int, int, bool]] = []
        self._numbers: dict[str, int] = {}
        self._resolved: dict[tuple[Any, ...], _Resolved] = {}

    def add(self, found: Found, reference: Reference | None) -> None:
        """Add the runs on one instance. Different reader options of variants create separate planned instances."""
        numbers: dict[str, int] = {}
        problems: dict[int, Any] = {}
        for variant in self.campaign.used:
            if variant.groups and found.group not in variant.groups:
                continue
            one_variant, settings = _on_instance(variant, found)
            with _named(variant):
                options = {**found.options, **_reader_options(settings)}
            text = json.dumps(plain(options), sort_keys=True)
            if text not in numbers:
                numbers[text] = len(self.instances)
                one = replace(found, options=options)
                with _named(variant, ConfigurationError) if "instance" in settings else nullcontext():
                    problems[numbers[text]] = problem_of(one)
                self.instances.append(_planned(one, problems[numbers[text]], reference))
            number = numbers[text]
            self._add_runs(number, problems[number], one_variant, settings)

    def _add_runs(self, number: int, problem: Any, variant: Variant, settings: dict[str, Any]) -> None:
        instance = self.instances[number]
        if settings.get("target") == "reference":
            known = instance.reference_score
            settings["target"] = None if known is None else reached_at(known, instance.score_sense)
        if instance.options:
            settings["instance"] = plain(instance.options)
        else:
            settings.pop("instance", None)
        found = self._resolve(problem, variant, settings)
        with _named(variant):  # operators need the instance and the paths of files
            _check(problem, found.built)
        content = f"{instance.problem} {instance.fingerprint}"
        for seed in self.campaign.seeds:
            key = run_key(content, found.keyed, seed, self.code, found.files)
            self.runs.append((key, number, variant.name, found.number, seed, variant.certify))

    def _resolve(self, problem: Any, variant: Variant, settings: Mapping[str, Any]) -> _Resolved:
        with _named(variant):
            cases = preset_cases(problem.name, variant.preset, problem)
            own = [variant.name, variant.preset, variant.certify, plain(settings)]
            known = problem.name, cases, json.dumps(own, sort_keys=True)
            if known not in self._resolved:
                found = resolve(problem.name, preset=variant.preset, overrides=settings, instance=problem)
                self._resolved[known] = self._settle(variant, found)
        return self._resolved[known]

    def _settle(self, variant: Variant, configuration: Configuration) -> _Resolved:
        """Number a resolved configuration, and read the files that it names."""
        values = {key: value for key, value in plain(configuration.to_dict()).items() if key != "seed"}
        text = json.dumps(values, sort_keys=True)
        if text not in self._numbers:
            self._numbers[text] = len(self.configurations)
            self.configurations.append(located(values, self.campaign.folder))
        number = self._numbers[text]
        keyed = {**values, "certify": True} if variant.certify else values
        files = file_digests(values, self.campaign.folder)
        return _Resolved(number, configure(Configuration, self.configurations[number]), keyed, files)


@dataclass(frozen=True, slots=True)
class _Resolved:
    """A configuration that a variant has on some instances.

    Attributes
    ----------
    number
        Its place in the plan.
    built
        The configuration itself, with absolute paths of files.
    keyed
        Plain values for the keys of its runs.
    files
        Digests of the files that it names.
    """

    number: int
    built: Configuration
    keyed: Mapping[str, Any]
    files: Mapping[str, str]


def _on_instance(variant: Variant, found: Found) -> tuple[Variant, dict[str, Any]]:
    """A variant on an instance, and its settings there: those of the instance and of `on` override its own."""
    settings: dict[str, Any] = {"preset": variant.preset, "certify": variant.certify, **variant.settings}
    settings = over(settings, found.settings)
    for where in dict.fromkeys((found.group, found.name)):
        settings = over(settings, variant.on.get(where, {}))
    with _named(variant):
        for key in ("seed", "groups", "on"):
            if key in settings:
                raise ConfigurationError(
                    f"'{key}' cannot be set for single instances ({found.name}). {_INSTEAD.get(key, '')}".rstrip()
                )
        preset, certify = preset_and_proof(settings, variant.name)
    del settings["preset"], settings["certify"]
    return replace(variant, preset=preset, certify=certify), settings


def _reader_options(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Options of the instance's reader in the settings of a run."""
    options = settings.get("instance", {})
    if not isinstance(options, Mapping):
        raise ConfigurationError(f"'instance' must be a table of reader options ({options!r})")
    return options


@contextmanager
def _named(variant: Variant, kind: type[MatheurError] = MatheurError) -> Iterator[None]:
    """Context that adds the name of a variant to errors of the given kind."""
    try:
        yield
    except kind as error:
        raise ConfigurationError(f"variant '{variant.name}': {error}") from None


def _check(problem: Any, configuration: Configuration) -> None:
    """Raise an error for wrong names and options before the first run, with the message of a run."""
    from matheur.running.building import check_search

    if configuration.pool.folder is not None:
        raise ConfigurationError("runs of a campaign are independent: they cannot share a pool of elites")
    check_search(problem, configuration)


def _planned(found: Found, problem: Any, reference: Reference | None) -> PlannedInstance:
    objective = score = None
    base, slope = problem.score(0), problem.score(1) - problem.score(0)
    if reference is not None and reference.kind == "objective":
        objective = in_own_terms(problem, reference.value)
        score = base + slope * objective
    elif reference is not None:
        objective, score = (reference.value - base) / slope, reference.value
        objective = round(objective, 3) if abs(slope) < 1 else objective  # a unit of scaled decimals
        objective = int(objective) if float(objective).is_integer() else objective
    return PlannedInstance(
        found.name, found.source, found.group, problem.name, problem.fingerprint, plain(found.options),
        objective, score, "max" if slope < 0 else "min",
    )  # fmt: skip


def _check_groups(campaign: Campaign, known: set[str]) -> None:
    for variant in campaign.used:
        for group in variant.groups:
            if group not in known:
                hint = nearest(group, sorted(known - {""}) or ["(none)"])
                raise ConfigurationError(f"variant '{variant.name}': no instance is in the group '{group}'. {hint}")


def _check_names(campaign: Campaign, known: set[str]) -> None:
    for variant in campaign.used:
        for name in variant.on:
            if name not in known:
                hint = nearest(name, sorted(known - {""}))
                raise ConfigurationError(f"variant '{variant.name}': no instance or group is called '{name}'. {hint}")
