"""Configuration of a campaign: instances, variants, seeds, limits and reference values, declared in a TOML file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from matheur.campaign.patterns import from_here
from matheur.engine.options import configure, deep_merge, in_order, set_dotted, with_names
from matheur.errors import ConfigurationError, InputError, nearest
from matheur.running.configuration import NAMED, Configuration, neighbourhood_names, read_toml
from matheur.running.earlier_words import key_of_today, of_today

__all__ = [
    "Campaign",
    "InstanceEntry",
    "Limits",
    "TuneOptions",
    "Variant",
    "over",
    "parse_bytes",
    "parse_seeds",
    "preset_and_proof",
    "read_campaign",
]

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_METHODS = ("halving", "optuna")
_CRITERIA = ("gap", "primal-integral", "time-to-solve", "par10")
_SEEDS_MAX = 1_000_000
_OWN = ("groups", "certify", "preset", "on")  # keys of a variant that are not of the run's configuration


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits enforced by the parent process. A run that exceeds one is killed and recorded as a failure.

    Attributes
    ----------
    seconds
        Wall-clock seconds of a run, including reading and start-up. None: twice the run's own time limit plus ten
        minutes, or no limit for runs without a time limit.
    memory
        Bytes of resident memory of a run and its child processes, or a text such as `4 GB`; None for no limit.
    retries
        Number of immediate retries of a run whose process died by itself. Runs that exceed a limit are not retried.
    """

    seconds: float | None = None
    memory: int | str | None = None
    retries: int = 1

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise ConfigurationError(f"limits.seconds must be a positive number ({self.seconds})")
        if self.retries < 0:
            raise ConfigurationError(f"limits.retries must not be negative ({self.retries})")
        parse_bytes(self.memory)

    @property
    def bytes(self) -> int | None:
        """The memory limit as a number."""
        return parse_bytes(self.memory)


@dataclass(frozen=True, slots=True)
class InstanceEntry:
    """An entry for one or more instances of a campaign.

    Attributes
    ----------
    pattern
        A built-in name, a file, a folder (all files in it and below), or a glob of files (`**` for any folders),
        relative to the TOML file, or to the folder of the public data if it begins with `$MATHEUR_DATA/`. `FILE#3` is
        the third instance in a file, `FILE#1-10` the first ten.
    group
        Group of the instances in reports; see also `Campaign.groups`.
    problem
        Kind of problem, if it cannot be recognised from the content.
    options
        Options of the reader (`hints`, `sides`, ...).
    settings
        Settings for these instances that override those of every variant, such as a longer time for larger boards.
    name
        Name of the instance in records and reports, if the pattern matches a single one.
    """

    pattern: str
    group: str | None = None
    problem: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Variant:
    """A named configuration.

    Attributes
    ----------
    name
        Name in the file.
    settings
        A table of `matheur.running.configuration.Configuration`, with the settings of the base merged in.
    preset
        Shipped preset to start from, None for the default one.
    certify
        Whether claimed optima are proved a second time.
    groups
        Groups of instances to run on; all if empty.
    on
        Settings by name of an instance or a group that override all others there, such as limits that depend on both
        the size of the instance and the variant.
    """

    name: str
    settings: Mapping[str, Any]
    preset: str | None = None
    certify: bool = False
    groups: tuple[str, ...] = ()
    on: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """Options of `matheur campaign tune`.

    Attributes
    ----------
    ranges
        Dotted key -> a list of choices, or a table with `low` and `high`, and `log = true` for a logarithmic range,
        `step` for multiples of it.
    method
        `halving` (successive halving) or `optuna` (needs the extra of that name).
    criterion
        Quantity to minimise, averaged over instances and seeds: `gap` of the final objective to the reference;
        `primal-integral` of that gap over the time of the run, as a share of the time; `time-to-solve`, the time until
        the target or a proof; or `par10`, in which unsolved runs count as ten times their limit.
    candidates
        Number of configurations: in the first round of `halving`, in total for `optuna`.
    factor
        Factor f of successive halving: one of f candidates advances to the next round, which has f times more seeds.
    seed
        Seed for drawing the candidates.
    """

    ranges: Mapping[str, Any] = field(default_factory=dict)
    method: str = "halving"
    criterion: str = "gap"
    candidates: int = 9
    factor: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in (("method", _METHODS), ("criterion", _CRITERIA)):
            if getattr(self, name) not in known:
                raise ConfigurationError(
                    f"tune.{name} cannot be {getattr(self, name)!r}. Maybe one of: {', '.join(known)}."
                )
        if self.candidates < 2 or self.factor < 2:
            raise ConfigurationError("tune.candidates and tune.factor must be at least 2")


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign as declared.

    Attributes
    ----------
    instances
        Instances to solve.
    name
        Name for headings; by default the stem of the TOML file.
    base
        Configuration of all variants.
    variants
        Variants in the order of the file; a single one called `base` if the file names none.
    seeds
        Seeds; every variant runs on every instance with each of them.
    limits
        Limits that the parent process enforces on a run.
    references
        CSV file with best known values: a column `instance` and one of `objective` and `score`.
    groups
        Group -> patterns of instance names (`*` and `?`); the first matching group counts.
    code
        None: results are valid only for exactly the sources that produced them. A text: they are valid for all sources
        with this name.
    recycle
        Number of runs after which a worker process is replaced.
    warm_up
        Seconds of a discarded run before the first run of a variant in a worker process, so that no measured run
        includes the compilation or loading of kernels; 0 for none.
    data_source
        A sentence on where to find the public data.
    only
        Names of the variants to run; all if empty.
    size
        Name of the table of `[sizes]` that was applied, if any.
    tune
        What `matheur campaign tune` searches.
    file
        The TOML file; None for a campaign made in Python. Relative paths start from its folder.
    """

    instances: tuple[InstanceEntry, ...]
    name: str = "campaign"
    base: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    seeds: tuple[int, ...] = (0,)
    limits: Limits = field(default_factory=Limits)
    references: str | None = None
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    code: str | None = None
    recycle: int = 20
    warm_up: float = 0.0
    data_source: str | None = None
    only: tuple[str, ...] = ()
    size: str | None = None
    tune: TuneOptions = field(default_factory=TuneOptions)
    file: Path | None = None

    def __post_init__(self) -> None:
        if not self.instances:
            raise ConfigurationError('a campaign needs instances. Maybe instances = ["puzzles/*.txt"]?')
        if self.recycle < 1:
            raise ConfigurationError(f"recycle must be at least 1 ({self.recycle})")
        if not 0 <= self.warm_up < math.inf:
            raise ConfigurationError(f"warm_up must be a number of seconds from 0 ({self.warm_up})")

        for name in self.only:
            if name not in [variant.name for variant in self.variants]:
                hint = nearest(name, [variant.name for variant in self.variants])
                raise ConfigurationError(f"there is no variant '{name}'. {hint}")

    @property
    def used(self) -> tuple[Variant, ...]:
        """Variants to run."""
        return tuple(variant for variant in self.variants if not self.only or variant.name in self.only)

    @property
    def out(self) -> Path:
        """Default folder of the results: `NAME.campaign` or `NAME-SIZE.campaign` next to the file."""
        stem = self.name if self.file is None else self.file.stem
        return self.folder / (f"{stem}.campaign" if self.size is None else f"{stem}-{self.size}.campaign")

    @property
    def folder(self) -> Path:
        """Folder from which relative paths start."""
        return Path.cwd() if self.file is None else self.file.resolve().parent


def parse_bytes(text: int | str | None) -> int | None:
    """A number of bytes.

    Examples
    --------
    >>> parse_bytes("4 GB"), parse_bytes("512MiB"), parse_bytes(1000), parse_bytes(None)
    (4000000000, 536870912, 1000, None)
    """
    if text is None:
        return None
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", str(text))
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None or float(match[1]) <= 0:
        raise ConfigurationError(f"not an amount of memory ({text!r}). Maybe '4 GB'?")
    return int(float(match[1]) * unit)


def parse_seeds(value: Any) -> tuple[int, ...]:
    """Seeds from a count, a list, or a range such as `10-12`.

    Examples
    --------
    >>> parse_seeds(3), parse_seeds([7, 9]), parse_seeds("10-12")
    ((0, 1, 2), (7, 9), (10, 11, 12))
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _SEEDS_MAX:
        return tuple(range(value))
    if isinstance(value, list | tuple) and value and all(type(one) is int and one >= 0 for one in value):
        if len(set(value)) < len(value):
            raise ConfigurationError(f"a seed is listed twice ({value!r})")
        return tuple(value)
    if isinstance(value, str) and (match := re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", value.strip())):
        first, last = int(match[1]), int(match[2])
        if first <= last < first + _SEEDS_MAX:
            return tuple(range(first, last + 1))
    raise ConfigurationError(f"not seeds ({value!r}). Maybe a number of them such as 5, a list, or '10-19'?")


def read_campaign(
    path: Path | str, settings: Sequence[str] = (), *, size: str | None = None, instances: Sequence[str] = ()
) -> Campaign:
    """The campaign in a TOML file.

    Parameters
    ----------
    path
        The file.
    size
        Name of a table `[sizes.NAME]` of the file that overrides the rest of it: the same campaign, smaller or larger.
    settings
        Dotted settings over the file, as for `--set`: `base.seconds=5`, `seeds=2`, `limits.memory="4 GB"`.
    instances
        Patterns that replace the instances of the file; paths start from the current folder.

    Raises
    ------
    InputError
        If the file cannot be read, or is not TOML.
    ConfigurationError
        Unknown keys, with the nearest known one, and wrong values; the message begins with the name of the file.
    """
    from matheur.engine.options import parse_value

    path = Path(path)
    values = read_toml(path)
    try:
        values = _sized(_of_today(values, str(path)), size)
        dotted = list[tuple[str, Any]]()
        for setting in settings:
            key, equals, text = setting.partition("=")
            if not equals:
                raise ConfigurationError(f"'{setting}' is not a setting. Maybe 'base.seconds=5'?")
            dotted.append((_key_of_today(key.strip()), parse_value(text.strip())))
        for name, value in in_order(dotted):
            set_dotted(values, name, value)
        if instances:
            values["instances"] = [from_here(pattern) for pattern in instances]
        return campaign_of(values, path, size)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    except InputError as error:
        raise error.located(str(path)) from None


def _of_today(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The values of a file with the current names of run options, also in its sizes."""
    table = dict(values)
    if isinstance(table.get("base"), Mapping):
        table["base"] = of_today(expanded(table["base"]), where)
    for part in ("variants", "sizes"):
        if isinstance(table.get(part), Mapping):
            inner = of_today if part == "variants" else _of_today
            table[part] = {
                name: inner(expanded(one), where) if isinstance(one, Mapping) else one
                for name, one in table[part].items()
            }
    return table


_IN_RUNS = re.compile(r"(base|variants\.[^.]+|tune\.ranges)\.")


def _key_of_today(dotted: str) -> str:
    """A dotted key of a campaign with the current names."""
    of_runs = _IN_RUNS.match(dotted)
    return dotted if of_runs is None else of_runs[0] + key_of_today(dotted[of_runs.end() :], "settings")


def _sized(values: Mapping[str, Any], size: str | None) -> dict[str, Any]:
    """The values overridden by one table of `sizes`; the other sizes are removed."""
    table = dict(values)
    sizes = _table(table.pop("sizes", {}), "sizes")
    if size is None:
        if sizes and "instances" not in table:
            raise ConfigurationError(f"a size is needed. Maybe --size {next(iter(sizes))}?")
        return table
    if size not in sizes:
        raise ConfigurationError(f"there is no size '{size}'. {nearest(size, sizes or ['(none)'])}")
    own = _table(sizes[size], f"sizes.{size}")
    sized = deep_merge(table, own)
    if isinstance(own.get("base"), Mapping) and isinstance(table.get("base"), Mapping):
        sized["base"] = over(table["base"], own["base"])
    return sized


def campaign_of(values: Mapping[str, Any], file: Path | None = None, size: str | None = None) -> Campaign:
    """The campaign from plain TOML values, overridden by the named table of `sizes` if there is one."""
    table = dict(values)
    for key in table:
        _check_key(key)
    table.setdefault("name", "campaign" if file is None else file.stem)
    where = "the campaign" if file is None else str(file)
    listed = table.get("instances", [])
    if not isinstance(listed, list | tuple):
        listed = [listed]
    table["instances"] = [_entry(one, where) for one in listed]
    table["seeds"] = parse_seeds(table.get("seeds", 1))
    base = of_today(expanded(_table(table.get("base", {}), "base")), where)
    table["base"] = base
    named = _table(table.get("variants", {}), "variants") or {"base": {}}
    table["variants"] = [variant_of(name, base, _table(one, f"variants.{name}")) for name, one in named.items()]
    _check_base(base, table["variants"])
    groups = _table(table.get("groups", {}), "groups")
    table["groups"] = {name: _names(patterns, f"groups.{name}") for name, patterns in groups.items()}
    return configure(Campaign, {**table, "file": file, "size": size})


def _check_key(key: str) -> None:
    """Refuse what is no key of a campaign; `file` and `size` are told by other ways."""
    name = key.replace("-", "_")
    known = {item.name for item in fields(Campaign)} - {"file", "size"}
    if name in known:
        return
    if name in ("size", "sizes"):
        hint = "Maybe --size NAME, for a table [sizes.NAME] of the file?"
    elif name != "instance" and name in {item.name for item in fields(Configuration)}:
        hint = f"Maybe 'base.{name}'?"
    else:
        hint = nearest(name, {*known, "sizes"})
    raise ConfigurationError(f"unknown option '{key}'. {hint}")


def _entry(value: Any, where: str) -> Any:
    if isinstance(value, str):
        return {"pattern": value}
    if isinstance(value, Mapping) and isinstance(value.get("settings"), Mapping):
        return {**value, "settings": of_today(expanded(value["settings"]), where)}
    return value


def variant_of(name: str, base: Mapping[str, Any], own: Mapping[str, Any]) -> Variant:
    """A variant: its own table over the base.

    Options of the base's construction do not apply to another construction; options of neighbourhoods that the variant
    does not use are dropped.
    """
    merged = over(base, of_today(expanded(own), f"variant '{name}'"))
    if "seed" in merged:
        raise ConfigurationError(f"'{name}' sets a seed. Maybe seeds = [{merged['seed']}] of the campaign?")
    kept = {key: value for key, value in merged.items() if key not in _OWN}
    preset, certify = preset_and_proof(merged, name)
    on = {
        where: of_today(expanded(_table(one, f"variants.{name}.on.{where}")), f"variant '{name}'")
        for where, one in _table(merged.get("on", {}), f"variants.{name}.on").items()
    }
    return Variant(name, kept, preset, certify, _names(merged.get("groups", ()), f"groups of '{name}'"), on)


def preset_and_proof(settings: Mapping[str, Any], name: str) -> tuple[str | None, bool]:
    """The options `preset` and `certify` in the settings of a variant."""
    certify, preset = settings.get("certify", False), settings.get("preset")
    if not isinstance(certify, bool):
        raise ConfigurationError(f"'certify' of '{name}' must be true or false ({certify!r})")
    if not isinstance(preset, str | None):
        raise ConfigurationError(f"'preset' of '{name}' must be a name ({preset!r})")
    return preset, certify


def over(below: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of runs, overridden by more specific ones.

    If the specific settings list neighbourhoods, the options of other neighbourhoods are dropped. If they name a
    construction, a schedule, an acceptance or a solver, options of another name are dropped; options without a name are
    for whatever the run uses.
    """
    merged = deep_merge(with_names(below, own, NAMED), own)
    if "neighbourhoods" in own and isinstance(merged.get("neighbourhood"), Mapping):
        kept = {*neighbourhood_names(own["neighbourhoods"]), *own.get("neighbourhood", ())}
        merged["neighbourhood"] = {key: value for key, value in merged["neighbourhood"].items() if key in kept}
    return merged


def _check_base(base: Mapping[str, Any], variants: Sequence[Variant]) -> None:
    """Raise an error for base options of a neighbourhood that no run has: most likely a misspelt name."""
    listed = neighbourhood_names(base.get("neighbourhoods", []))
    inner = [_table(one.settings.get("neighbourhood", {}), f"neighbourhood of '{one.name}'") for one in variants]
    known = {*listed, *(name for table in inner for name in table)}
    for name in _table(base.get("neighbourhood", {}), "base.neighbourhood"):
        if name not in known:
            used = {
                *known,
                *(n for one in variants for n in neighbourhood_names(one.settings.get("neighbourhoods", []))),
            }
            raise ConfigurationError(
                f"'base' has options for the neighbourhood '{name}', which no variant uses. "
                f"{nearest(name, map(str, used or ['(none)']))}"
            )


def expanded(table: Mapping[str, Any]) -> dict[str, Any]:
    """The table with quoted dotted keys (`"neighbourhood.region.rows" = 5`) as tables in tables."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if "." in key or (isinstance(value, str) and isinstance(found.get(key), Mapping)):
            set_dotted(found, key, value)
        elif isinstance(value, Mapping) and isinstance(found.get(key), Mapping):
            found[key] = deep_merge(found[key], value)
        else:
            found[key] = deep_merge(value, {}) if isinstance(value, Mapping) else value
    return found


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"'{where}' must be a table ({value!r})")
    return value


def _names(value: Any, where: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not all(isinstance(one, str) for one in listed):
        raise ConfigurationError(f"'{where}' must be a list of texts ({value!r})")
    return tuple(listed)
