"""Type checks of the arguments of `matheur.solve` that are not part of a configuration, with one-line errors."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from matheur.errors import ConfigurationError

__all__ = ["check_arguments"]


def check_arguments(
    files: Mapping[str, Any], names: Mapping[str, Any], options: Any, observers: Any, interrupt: Any
) -> None:
    """Refuse arguments of a wrong type before any work is done.

    Parameters
    ----------
    files, names
        Paths and strings by the name of their parameter; None if not given.
    options, observers, interrupt
        As in `matheur.solve`.

    Raises
    ------
    ConfigurationError
        With the name of the parameter and its value.
    """
    for name, value in files.items():
        if value is not None and not (isinstance(value, str | os.PathLike) and isinstance(os.fspath(value), str)):
            raise ConfigurationError(f"'{name}' must be a path ({value!r})")
    for name, value in names.items():
        if not isinstance(value, str | None):
            raise ConfigurationError(f"'{name}' must be a text ({value!r})")
    if options is not None and not (isinstance(options, Mapping) and all(isinstance(key, str) for key in options)):
        raise ConfigurationError(f"'options' must be a table, values by name ({options!r})")
    if not isinstance(observers, Iterable):
        raise ConfigurationError(f"'observers' must be a list of functions ({observers!r})")
    for one in observers if isinstance(observers, Sequence) else ():
        if not callable(one):
            raise ConfigurationError(f"'observers' must be a list of functions ({observers!r})")
    if interrupt is not None and not callable(interrupt):
        raise ConfigurationError(f"'interrupt' must be a function ({interrupt!r})")
