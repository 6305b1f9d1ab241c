"""Former names of the options of a run, for files and settings that still use them.

The command line, TOML, Python and results use the same names since `construct` became `construction` (with its name and
its options in one table), `accept` became `acceptance` and `time` became `seconds`. The former names are accepted for
one more release, with a warning.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from typing import Any

from matheur.errors import ConfigurationError

__all__ = ["NOW", "as_before", "key_of_today", "of_today", "say_renamed"]

_log = logging.getLogger(__name__)

NOW: Mapping[str, str] = {"construct": "construction", "accept": "acceptance", "time": "seconds"}
"""Current names by former names."""


def of_today(table: Mapping[str, Any], where: str | None) -> dict[str, Any]:
    """A table of a run's options with the current names.

    Parameters
    ----------
    table
        Fields of `matheur.running.configuration.Configuration`, under current or former names.
    where
        Origin of the table for the warning and for errors, such as a file. None for a record of an earlier version,
        which causes no warning.

    Raises
    ------
    ConfigurationError
        If an option is given under both names.

    Examples
    --------
    >>> of_today({"construct": "beam", "construction": {"width": 3}, "time": 5.0}, None)
    {'construction': {'name': 'beam', 'width': 3}, 'seconds': 5.0}
    """
    found = {key: value for key, value in table.items() if key not in NOW}
    for before, now in NOW.items():
        if before not in table:
            continue
        others = found.get(now, {})
        if before == "construct" and isinstance(others, Mapping) and "name" not in others:
            found[now] = {"name": table[before], **others}
        elif now in found:
            raise ConfigurationError(f"'{before}' is the earlier name of '{now}'. Maybe leave '{before}' out?")
        else:
            found[now] = table[before]
        if where is not None:
            say_renamed(before, now, where)
    return found


def key_of_today(dotted: str, where: str | None) -> str:
    """A dotted key of a run's options with the current names.

    Examples
    --------
    >>> key_of_today("accept.temperature", None), key_of_today("neighbourhood.region.rows", None)
    ('acceptance.temperature', 'neighbourhood.region.rows')
    """
    first, dot, rest = dotted.partition(".")
    now = NOW.get(first.strip())
    if now is None:
        return dotted
    if where is not None:
        say_renamed(first.strip(), now, where)
    return f"{now}{dot}{rest}"


@cache
def say_renamed(before: str, now: str, where: str) -> None:
    """Log that an option has been renamed, once per process."""
    _log.warning("%s: '%s' is called '%s' now; the earlier name is read for one more release", where, before, now)


def as_before(values: Mapping[str, Any]) -> dict[str, Any]:
    """A complete plain configuration with the former names, from which digests are computed.

    So checkpoints and campaign runs of earlier versions are still found.

    Examples
    --------
    >>> as_before({"construction": {"name": "beam", "width": 3}, "seconds": 5.0})
    {'construct': 'beam', 'construction': {'width': 3}, 'time': 5.0}
    """
    earlier = {now: before for before, now in NOW.items()}
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key == "construction" and "name" in value:
            found["construct"] = value["name"]
            found[key] = {name: option for name, option in value.items() if name != "name"}
        else:
            found[earlier.get(key, key)] = value
    return found
