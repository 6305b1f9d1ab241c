"""What every kind of problem checks of the options of its reader and its generator, with the same messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from matheur.errors import ConfigurationError, nearest

__all__ = ["check_known", "check_seed", "whole"]


def check_known(options: Mapping[str, Any], known: Iterable[str], of: str) -> None:
    """Refuse an option that does not exist.

    Parameters
    ----------
    of
        Whose options they are, such as `the rubik generator` or `rubik files`.

    Raises
    ------
    ConfigurationError
        With the nearest known option.
    """
    known = list(known)
    for key in options:
        if key not in known:
            raise ConfigurationError(f"unknown option {key!r} of {of}. {nearest(str(key), known)}")


def check_seed(seed: Any) -> int:
    """The seed, if it is a whole number from 0.

    Raises
    ------
    ConfigurationError
        If it is not.
    """
    if type(seed) is not int or seed < 0:
        raise ConfigurationError(f"the seed must be a whole number from 0 ({seed!r})")
    return seed


def whole(options: Mapping[str, Any], key: str, digits: int = 7) -> int | None:
    """A whole number among the options, also as a text of at most `digits` digits; None if it is missing.

    Raises
    ------
    ConfigurationError
        If it is something else.
    """
    value = options.get(key)
    if value is None or type(value) is int:
        return value
    if isinstance(value, str) and re.fullmatch(f"[0-9]{{1,{digits}}}", value):
        return int(value)
    raise ConfigurationError(f"{key} must be a whole number ({value!r})")
