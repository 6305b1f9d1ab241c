"""Configuration of a run, resolved from presets, TOML files, dotted settings and keyword arguments."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from matheur.engine.inputs import parse_toml, read_toml
from matheur.engine.job_count import check_jobs
from matheur.engine.operators import operator_entries
from matheur.engine.options import configure, deep_merge, in_order, parse_value, set_dotted, with_names, within, written
from matheur.engine.problem_types import registration_of
from matheur.engine.registration import folder_of
from matheur.entry_points import entry_points
from matheur.errors import ConfigurationError, nearest
from matheur.running.earlier_words import key_of_today, of_today

__all__ = [
    "NAMED",
    "Configuration",
    "PoolOptions",
    "PortfolioOptions",
    "assignments",
    "instance_options",
    "neighbourhood_names",
    "preset_cases",
    "preset_names",
    "preset_training",
    "read_toml",
    "resolve",
]

_log = logging.getLogger(__name__)
_OF_MEMBERS = ("construction", "neighbourhood_share", "neighbourhoods", "schedule")


@dataclass(frozen=True, slots=True)
class PortfolioOptions:
    """How several jobs work together, see `matheur.engine.portfolio`.

    Attributes
    ----------
    share
        `elite`: the worse half of the jobs continues from the best solution; `independent`: no exchange.
    round_seconds, round_work, round_iterations
        Length of a slice, after which solutions are exchanged: seconds in a timed run, else work units or operator
        calls.
    members
        Differences between the jobs: for each of the first jobs a table with a `construction`, `neighbourhoods`, a
        `neighbourhood_share` or a `schedule`. The last table also applies to all further jobs.
    """

    share: Literal["elite", "independent"] = "elite"
    round_seconds: float = 5.0
    round_work: int = 1_000_000
    round_iterations: int = 100
    members: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for member in self.members:
            for key in member:
                if key not in _OF_MEMBERS:
                    raise ConfigurationError(f"'portfolio.members' has no option '{key}'. {nearest(key, _OF_MEMBERS)}")
        for name in ("round_seconds", "round_work", "round_iterations"):
            if not getattr(self, name) > 0:
                raise ConfigurationError(f"portfolio.{name} must be positive ({getattr(self, name)})")


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """A pool of elites on disk, see `matheur.engine.shared_elites`.

    Attributes
    ----------
    folder
        Path, relative to the current folder; None for no pool.
    capacity
        Maximum number of solutions. If several runs share a folder, the smallest capacity applies.
    every
        Minimum number of seconds between two exchanges of a search with the folder.
    """

    folder: str | None = None
    capacity: int = 24
    every: float = 2.0

    def __post_init__(self) -> None:
        if self.folder is not None and (not self.folder or "\0" in self.folder):
            raise ConfigurationError(f"pool.folder must be the name of a folder ({self.folder!r})")
        if self.capacity < 1:
            raise ConfigurationError(f"pool.capacity must be at least 1 ({self.capacity})")
        if not 0 <= self.every < math.inf:
            raise ConfigurationError(f"pool.every must be a number of seconds from 0 ({self.every})")


_USUAL = {"schedule": "cycle", "acceptance": "non-worsening", "solver": "highs"}


@dataclass(frozen=True, slots=True)
class Configuration:
    """A resolved run.

    Attributes
    ----------
    construction, schedule, acceptance, solver
        Tables with a `name` and the options of the named object.
    neighbourhoods
        Names of the neighbourhoods in order; `region:wide` is the operator `region` under a name of its own.
    neighbourhood
        Options of each of the `neighbourhoods`, by name. They are separate from the list because a user replaces the
        list as a whole, whereas the tables are merged option by option.
    neighbourhood_share
        Share of the time reserved for the neighbourhoods once there is a solution.
    instance
        Options of the instance's reader.
    seconds, iterations, work, target
        Limits: seconds, operator calls, work units, and the score at which to stop.
    restart_after
        Number of calls without a gain after which the search constructs again; None for never. The best solution is
        kept.
    guides, guide_calls
        Measures that acceptance compares in place of the objective, one after the other, and operator calls with each;
        see `matheur.engine.guidance`.
    seed, jobs, portfolio
        Seed of all randomness, number of processes, and their cooperation.
    pool
        Elites on disk, shared with other runs.
    """

    construction: Mapping[str, Any]
    neighbourhoods: tuple[str, ...] = ()
    schedule: Mapping[str, Any] = field(default_factory=lambda: {"name": _USUAL["schedule"]})
    acceptance: Mapping[str, Any] = field(default_factory=lambda: {"name": _USUAL["acceptance"]})
    solver: Mapping[str, Any] = field(default_factory=lambda: {"name": _USUAL["solver"]})
    neighbourhood: Mapping[str, Any] = field(default_factory=dict)
    neighbourhood_share: float = 0.0
    instance: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    iterations: int | None = None
    work: int | None = None
    target: float | None = None
    restart_after: int | None = None
    guides: tuple[str, ...] = ()
    guide_calls: int = 1000
    seed: int = 0
    jobs: int = 1
    portfolio: PortfolioOptions = field(default_factory=PortfolioOptions)
    pool: PoolOptions = field(default_factory=PoolOptions)

    def __post_init__(self) -> None:
        for name in ("seconds", "iterations", "work", "seed"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ConfigurationError(f"{name} must be a finite number from 0 ({value})")
        for name in NAMED:
            if "name" not in getattr(self, name):
                raise ConfigurationError(f"'{name}.name' is missing. Maybe {name} = 'NAME'?")
        if self.target is not None and not math.isfinite(self.target):
            raise ConfigurationError(f"target must be a finite number ({self.target})")
        if not 0 <= self.neighbourhood_share < 1:
            raise ConfigurationError(f"neighbourhood_share must be from 0 to below 1 ({self.neighbourhood_share})")
        if self.restart_after is not None and self.restart_after < 1:
            raise ConfigurationError(f"restart_after must be at least 1, or 'none' ({self.restart_after})")
        check_jobs(self.jobs)
        if len(set(self.neighbourhoods)) < len(self.neighbourhoods):
            raise ConfigurationError(
                f"a neighbourhood is listed twice ({', '.join(self.neighbourhoods)}). "
                "Maybe give one a name of its own, such as 'region:second', or use schedule.repetitions?"
            )
        for name in self.neighbourhood:
            if name not in self.neighbourhoods:
                hint = nearest(name, self.neighbourhoods or ["(none)"])
                raise ConfigurationError(f"options for the neighbourhood '{name}', which is not in the list. {hint}")

    def of_job(self, job: int) -> Configuration:
        """Configuration of one of several jobs, see `PortfolioOptions.members`."""
        members = self.portfolio.members
        if self.jobs == 1 or not members:
            return self
        own = _tables(members[min(job, len(members) - 1)])
        for key in ("construction", "schedule"):
            if key in own and own[key].get("name") in (None, getattr(self, key)["name"]):
                own[key] = {**getattr(self, key), **own[key]}
        if "neighbourhoods" in own:
            own["neighbourhoods"] = tuple(_listed("neighbourhoods", own["neighbourhoods"]))
            used = own["neighbourhoods"]
            options = {key: value for key, value in self.neighbourhood.items() if key in used}
            own["neighbourhood"] = deep_merge(options, own.get("neighbourhood", {}))
        return configure(Configuration, {item.name: getattr(self, item.name) for item in fields(self)} | own)

    def to_dict(self) -> dict[str, Any]:
        """Complete plain values; `configure` makes the same configuration of them."""
        values: dict[str, Any] = written(asdict(self))
        if not self.portfolio.members:  # so that runs of earlier versions have the keys of today
            del values["portfolio"]["members"]
        if self.pool.folder is None:
            del values["pool"]
        if not self.neighbourhoods:
            del values["neighbourhood_share"]
        return values


def _presets(problem: str) -> dict[str, Path]:
    """Files of presets by name: those of the problem's own package, then those of entry points `matheur.presets`."""
    own = registration_of(problem)
    folders = [] if own is None else [own.presets]
    folders += [folder for name, folder in _other_presets() if name == problem]
    found: dict[str, Path] = {}
    for folder in folders:
        for file in sorted(folder.glob("*.toml")):
            found.setdefault(file.stem, file)
    return found


@cache
def _other_presets() -> tuple[tuple[str, Path], ...]:
    """Problems and folders of entry points `matheur.presets`."""
    found = []
    for point in entry_points(group="matheur.presets"):
        try:
            found.append((point.name, folder_of(point.value)))
        except ConfigurationError as error:  # a broken package must not end runs that do not use it
            _log.warning("presets for '%s': %s", point.name, error)
    return tuple(found)


def preset_names(problem: str) -> list[str]:
    """Names of the presets of a problem.

    A preset is a configuration with two optional additions. The table `training` holds options of `matheur train`. The
    list `cases` holds tables, each with the settings for instances with certain attributes:

        [[cases]]
        where = { rows = 7, columns = 7 }
        construction.weight = 0.6

    They lie in the folder `presets` of the package that registers it. Another package adds some through the entry-point
    group `matheur.presets`: the entry has the name of the problem, its value is a package that holds `NAME.toml` files.
    An entry that names no package is logged once.
    """
    return sorted(_presets(problem))


def preset_cases(problem: str, name: str | None, instance: Any) -> tuple[int, ...]:
    """Numbers of the cases of a preset that fit an instance; they determine the settings of the preset.

    Without a name, the preset `default` is used if there is one.

    Raises
    ------
    ConfigurationError
        If there is no such preset, or its cases name attributes that no instance has.
    """
    if name is None and not preset_names(problem):
        return ()
    name = name or _DEFAULT
    cases = _read_preset(problem, name).get("cases", ())
    return tuple(i for i, case in enumerate(cases) if _fits(case.get("where", {}), instance, problem, name))


def preset_training(problem: str, name: str, instance: Any) -> dict[str, Any]:
    """Options of `matheur train` that a preset sets for an instance, by name.

    Raises
    ------
    ConfigurationError
        If there is no such preset, or it has no training.
    """
    table = _preset(problem, name, instance).get("training")
    if table is None:
        some = [one for one in preset_names(problem) if "training" in _read_preset(problem, one)]
        raise ConfigurationError(
            f"the preset '{name}' of '{problem}' has no training. {nearest(name, some or ['(none)'])}"
        )
    found: dict[str, Any] = table
    return found


def _preset(problem: str, name: str, instance: Any) -> dict[str, Any]:
    """The table of a preset with the cases that fit an instance; without cases if the instance is None."""
    table = _read_preset(problem, name)
    cases = table.pop("cases", [])
    for number in () if instance is None else preset_cases(problem, name, instance):
        table = deep_merge(table, {key: value for key, value in cases[number].items() if key != "where"})
    return table


def _fits(where: Mapping[str, Any], instance: Any, problem: str, name: str) -> bool:
    """Whether an instance has these values of its attributes."""
    one = getattr(instance, "instance", instance)
    for key in where:
        if not hasattr(one, key):
            raise ConfigurationError(f"the preset '{name}' has cases by '{key}', which no instance of '{problem}' has")
    return all(getattr(one, key) == value for key, value in where.items())


def _read_preset(problem: str, name: str) -> dict[str, Any]:
    known = _presets(problem)
    if name not in known:
        raise ConfigurationError(f"'{problem}' has no preset '{name}'. {nearest(name, sorted(known) or ['(none)'])}")
    try:
        table = deepcopy(_parsed(known[name].read_text(encoding="utf-8")))
    except ValueError as error:  # of another package
        raise ConfigurationError(f"the preset '{name}' of '{problem}' is not TOML: {error}") from None
    cases, training = table.get("cases", []), table.get("training", {})
    if not (isinstance(cases, list) and all(isinstance(one, dict) for one in cases) and isinstance(training, dict)):
        raise ConfigurationError(
            f"cases or training of the preset '{name}' of '{problem}' are not tables. Maybe [[cases]] or [training]?"
        )
    return of_today(table, f"preset '{name}' of '{problem}'")


_DEFAULT = "default"
_parsed = lru_cache(maxsize=64)(parse_toml)  # a campaign reads a preset for each run; results are copied
NAMED = ("construction", *_USUAL)  # tables with a name and the options of what has it
_SHARE = 0.34  # of the time, for neighbourhoods that the user has asked for: a third at least
_TABLES = (*NAMED, "neighbourhood", "instance", "portfolio", "pool")


def _tables(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with `schedule = "cycle"` written out as `schedule.name = "cycle"`; tables have to be tables."""
    found = dict(values)
    for key in NAMED:
        if isinstance(found.get(key), str):
            found[key] = {"name": found[key]}
    inner = found.get("neighbourhood")
    tables = {key: found[key] for key in _TABLES if key in found}
    if isinstance(inner, Mapping):
        tables |= {f"neighbourhood.{key}": value for key, value in inner.items()}
    for key, value in tables.items():
        if not isinstance(value, Mapping):
            raise ConfigurationError(f"'{key}' must be a table of options ({value!r}). Maybe '{key}.OPTION={value}'?")
        if key in NAMED and not isinstance(value.get("name", ""), str):
            raise ConfigurationError(f"'{key}.name' must be of type str ({value['name']!r})")
    if "neighbourhoods" in found:
        found["neighbourhoods"] = _listed("neighbourhoods", found["neighbourhoods"])
        if any(isinstance(one, Mapping) for one in found["neighbourhoods"]):
            _name_all(found)
    return found


def _name_all(table: dict[str, Any]) -> None:
    """`neighbourhoods = [{name = "region", rows = 5}]` written as a list of names and a table of options."""
    names, options = [], dict(table.get("neighbourhood", {}))
    for one in table["neighbourhoods"]:
        said = dict(one) if isinstance(one, Mapping) else {"name": one}
        name = said.pop("name", None)
        if isinstance(one, Mapping) and not isinstance(name, str):
            raise ConfigurationError(f"a table in 'neighbourhoods' needs a 'name' ({dict(one)!r})")
        if said:
            options[name] = {**options.get(name, {}), **said}
        names.append(name)
    table |= {"neighbourhoods": names, "neighbourhood": options}


def assignments(settings: Iterable[str] | Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Keys and values of dotted settings, given as a table or as texts such as `neighbourhood.assignment.k=16`.

    Raises
    ------
    ConfigurationError
        If a text has no equals sign, or an entry is not a text.
    """
    listed = [settings] if isinstance(settings, str) else settings
    if not isinstance(listed, Iterable):
        raise ConfigurationError(f"'settings' must be a list of texts, or a table ({settings!r})")
    if isinstance(settings, Mapping):
        for key, value in settings.items():
            if not isinstance(key, str):
                raise ConfigurationError(f"the key of a setting must be a text ({key!r})")
            yield key, value
        return
    for setting in listed:
        key, equals, text = setting.partition("=") if isinstance(setting, str) else ("", "", "")
        if not equals:
            said = f"'{setting}'" if isinstance(setting, str) else repr(setting)
            raise ConfigurationError(
                f"{said} is not a setting. Maybe 'key=value', as in 'neighbourhood.region.rows=5'?"
            )
        yield key.strip(), parse_value(text.strip())


def resolve(
    problem: str,
    *,
    preset: str | None = None,
    file: Path | None = None,
    settings: Iterable[str] | Mapping[str, Any] = (),
    overrides: Mapping[str, Any] | None = None,
    instance: Any = None,
) -> Configuration:
    """The configuration of a run; later sources win.

    Parameters
    ----------
    problem
        Name of the problem, whose presets are used.
    preset
        Name of a shipped preset, `default` if None and the problem has presets; a `preset` key in `file` counts too.
    file
        A TOML file with the fields of `Configuration`.
    settings
        Dotted settings `neighbourhood.assignment.k=16`, as in `--set`, or a table of them.
    overrides
        Values by field name; None leaves the field unchanged.
    instance
        The problem object to solve, for presets that have cases; None ignores the cases.

    Raises
    ------
    ConfigurationError
        Unknown keys and wrong values, with the nearest known one.
    InputError
        If the file cannot be read.
    """
    user = _tables(of_today(read_toml(file), str(file))) if file is not None else {}
    named = user.pop("preset", None)
    for said in (named, preset):
        if not isinstance(said, str | None):
            raise ConfigurationError(f"'preset' must be of type str ({said!r})")
    chosen = preset or named
    # A problem of another package may ship no presets; the caller then names at least the construction.
    base = _tables(_preset(problem, chosen or _DEFAULT, instance)) if chosen or preset_names(problem) else {}
    base.pop("training", None)
    given = _tables(of_today({key: value for key, value in (overrides or {}).items() if value is not None}, "options"))
    last: dict[str, Any] = {}
    for key, value in in_order((key_of_today(key, "settings"), value) for key, value in assignments(settings)):
        set_dotted(last, key, value)
    last = _tables(last)
    user = deep_merge(_kept(user, given, last.get("neighbourhoods")), given)
    user = _tables(deep_merge(with_names(user, last, NAMED), last))
    if any(user.get(key) not in (None, "none") for key in ("iterations", "work")):
        base.pop("seconds", None)  # a limit in deterministic units stands alone
    if any(key in user for key in _OF_MEMBERS):  # the user's choice applies to all jobs
        base["portfolio"] = {key: value for key, value in base.get("portfolio", {}).items() if key != "members"}
    base = deep_merge(_tables(_USUAL), base)
    asked = bool(user.get("neighbourhoods"))
    # Options of the preset's neighbourhoods that this run does not use are dropped; the user's own are checked.
    used = user.get("neighbourhoods", base.get("neighbourhoods", ()))
    base["neighbourhood"] = {key: value for key, value in base.get("neighbourhood", {}).items() if key in used}
    values = {key: _listed(key, value) for key, value in deep_merge(base, user).items()}
    if asked and "call_seconds" not in values.get("construction", {}):
        values.setdefault("neighbourhood_share", _SHARE)
    known = {item.name for item in fields(Configuration)}
    for key in values:
        if key not in known:
            raise ConfigurationError(f"unknown option '{key}'. {nearest(key, known)}")
    if "name" not in values.get("construction", {}):
        names = sorted(entry.name for entry in operator_entries(problem, "construction"))
        if not names:
            raise ConfigurationError(f"'{problem}' has no construction. Maybe matheur.register_operator?")
        raise ConfigurationError(f"option 'construction' is missing. Maybe one of: {', '.join(names)}.")
    return configure(Configuration, values)


def _kept(file: Mapping[str, Any], given: Mapping[str, Any], settings: Any) -> dict[str, Any]:
    """The table of a file without the options of neighbourhoods that a later source replaces.

    These are the options of neighbourhoods in the file's own list. All other options are kept for the operators of the
    run: those of a construction that the file does not name, and of neighbourhoods that it does not list.
    """
    kept = with_names(file, given, NAMED)
    newer = given.get("neighbourhoods") if settings is None else settings
    if newer is not None and "neighbourhoods" in file and "neighbourhood" in file:
        used = neighbourhood_names(newer)
        kept["neighbourhood"] = {
            key: value
            for key, value in file["neighbourhood"].items()
            if key in used or key not in file["neighbourhoods"]
        }
    return kept


def neighbourhood_names(listed: Any) -> list[Any]:
    """The names in a list of neighbourhoods, which may hold tables, or be a text.

    Raises
    ------
    ConfigurationError
        If it is not a list, or a table in it has no name.
    """
    return list(_tables({"neighbourhoods": listed})["neighbourhoods"])


def _listed(key: str, value: Any) -> Any:
    """A value that may be a list of names, as a list: `none` is an empty one."""
    if key not in ("neighbourhoods", "guides"):
        return value
    if isinstance(value, str):
        value = [name.strip() for name in value.split(",") if name.strip()]
    if not isinstance(value, Iterable) or isinstance(value, bytes | Mapping):
        raise ConfigurationError(f"'{key}' must be a list of names ({value!r})")
    value = list(value)
    return [] if value == ["none"] else value


def instance_options(
    config: Path | str | None, settings: Sequence[str] | Mapping[str, Any], options: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Reader options of a file, the caller and `instance.KEY=VALUE` settings, which override the others.

    They are needed before the problem is known.
    """
    table = {} if config is None else read_toml(Path(config)).get("instance", {})
    if not isinstance(table, dict):
        raise ConfigurationError(f"'instance' must be a table of reader options ({table!r})")
    found: dict[str, Any] = {**table, **(options or {})}
    for key, value in assignments(settings):
        option = within(key, "instance")
        if option == "" and not isinstance(value, Mapping):
            raise ConfigurationError(f"'instance' must be a table of reader options ({value!r})")
        if option is not None:
            found |= {option: value} if option else value
    return found
