"""The instances of a campaign, found by its patterns and each read once."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from matheur.campaign.configuration import Campaign, InstanceEntry
from matheur.campaign.patterns import is_built_in
from matheur.engine.compression import without_ending
from matheur.engine.problem_types import problem_types
from matheur.errors import ConfigurationError, InputError
from matheur.running.loading import load_instance

__all__ = ["Found", "data_folder", "find_instances", "problem_of"]

_DATA = "$MATHEUR_DATA/"
_PARTS = re.compile(r"(.+)#([0-9]{1,9})-([0-9]{1,9})")
_PART = re.compile(r"#[0-9]{1,9}\Z")


@dataclass(frozen=True, slots=True)
class Found:
    """An instance of a campaign.

    Attributes
    ----------
    name
        Short name, unique in the campaign: the built-in name, or the stem of the file if no other file has it.
    source
        Argument for `matheur solve`: an absolute path or a built-in name.
    group
        Group of the instance; empty if it is in none.
    problem
        Kind of problem, if the campaign states it.
    options
        Options of the reader.
    settings
        Configuration that overrides the settings of every variant.
    """

    name: str
    source: str
    group: str = ""
    problem: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def data_folder(given: Path | str | None = None) -> Path | None:
    """Folder of the public data: the given one, else `MATHEUR_DATA`; None if neither is set."""
    named = given or os.environ.get("MATHEUR_DATA")
    return None if not named else Path(named).resolve()


def problem_of(found: Found, options: Mapping[str, Any] | None = None) -> Any:
    """The `Problem` object of an instance."""
    _, problem = load_instance(found.source, found.problem, {**found.options, **(options or {})})
    return problem


def find_instances(campaign: Campaign, data: Path | str | None = None) -> list[Found]:
    """The instances of a campaign in the order of its patterns; files of a folder or glob are sorted by name.

    Parameters
    ----------
    campaign
        Declared campaign.
    data
        Folder of the public data, `MATHEUR_DATA` by default.

    Raises
    ------
    InputError
        If a pattern matches nothing, or the public data is missing.
    ConfigurationError
        If two instances would have the same name.
    """
    listed = [
        (entry, source, origin)
        for entry in campaign.instances
        for source, origin in _sources(entry, campaign, data_folder(data))
    ]
    stems = Counter(_stem(source) for _, source, _ in listed)
    found = []
    for entry, source, origin in listed:
        name = entry.name or (_stem(source) if stems[_stem(source)] == 1 else _relative(source, origin))
        group = _group(name, source, entry, campaign)
        found.append(Found(name, source, group, entry.problem, entry.options, entry.settings))
    twice = [name for name, count in Counter(one.name for one in found).items() if count > 1]
    if twice:
        raise ConfigurationError(f"two instances are called '{twice[0]}'. Maybe give each entry a name of its own?")
    return found


def _sources(entry: InstanceEntry, campaign: Campaign, data: Path | None) -> Iterator[tuple[str, Path | None]]:
    """Names that `load_instance` accepts, each with the folder in which it was found."""
    pattern, folder = entry.pattern, campaign.folder
    if not pattern.strip():
        raise ConfigurationError("an empty name of an instance. Maybe '.' for all files of a folder?")
    if is_built_in(pattern, folder):
        kind, _, short = pattern.partition("/")
        yield from _builtins(kind, short)
        return
    if pattern.startswith(("http://", "https://")):
        yield pattern, None
        return
    if pattern.startswith(_DATA):
        if data is None or not data.is_dir():
            where = campaign.data_source or "It is described in the README of the experiment."
            missing = "MATHEUR_DATA is not set" if data is None else f"{data} is not a folder"
            raise InputError(f"'{pattern}' needs the public data, but {missing}. {where} Maybe --data DIR?")
        pattern, folder = pattern.removeprefix(_DATA), data
    parts = _PARTS.fullmatch(pattern)
    if parts and int(parts[2]) > int(parts[3]):
        raise ConfigurationError(f"'{entry.pattern}' is no instance. Maybe '{parts[1]}#{parts[3]}-{parts[2]}'?")
    numbers = range(int(parts[2]), int(parts[3]) + 1) if parts else None
    pattern = parts[1] if parts else pattern
    if os.path.isdir(folder / pattern):  # False for names that are too long for the file system
        files = [str(file) for file in sorted((folder / pattern).rglob("*")) if _may_be(file, folder / pattern)]
        if not files:
            raise InputError(f"no files in the folder '{entry.pattern}'")
    elif os.path.isfile(folder / pattern) or not glob.has_magic(pattern):
        files = [str(folder / pattern)]
    else:
        files = sorted(glob.glob(os.path.join(glob.escape(str(folder)), pattern), recursive=True))
        files = [name for name in files if not name.endswith(".solution.json") and os.path.isfile(name)]
        if not files:
            more = f". {campaign.data_source}" if campaign.data_source else ""
            raise InputError(f"no file fits '{entry.pattern}'{more}")
    for name in files:
        if numbers is None:
            yield os.path.normpath(name), folder
        for number in numbers or ():
            yield f"{os.path.normpath(name)}#{number}", folder


def _may_be(file: Path, folder: Path) -> bool:
    """Whether a file of a folder may hold an instance: neither it nor a folder around it is hidden."""
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return not hidden and not file.name.endswith(".solution.json") and file.is_file()


def _builtins(kind: str, short: str) -> Iterator[tuple[str, None]]:
    """The built-in instances that match a name or a pattern."""
    if not glob.has_magic(short):
        yield f"{kind}/{short}", None
        return
    names = [name for name in problem_types.get(kind).builtins() if fnmatchcase(name, short)]
    if not names:
        raise InputError(f"no built-in instance fits '{kind}/{short}'")
    yield from ((f"{kind}/{name}", None) for name in names)


def _stem(source: str) -> str:
    if source.startswith(("http://", "https://")) or source.partition("/")[0] in problem_types.names():
        return source
    part = _PART.search(source)
    path, number = (source[: part.start()], part[0]) if part else (source, "")
    return Path(without_ending(path)).stem + number


def _relative(source: str, origin: Path | None) -> str:
    return source if origin is None else Path(os.path.relpath(source, origin)).as_posix()


def _group(name: str, source: str, entry: InstanceEntry, campaign: Campaign) -> str:
    if entry.group is not None:
        return entry.group
    for group, patterns in campaign.groups.items():
        if any(fnmatchcase(text, pattern) for pattern in patterns for text in (name, source)):
            return group
    return ""
