"""Contracts of the options of operators, schedules and acceptance criteria."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from matheur.engine.options import configure
from matheur.errors import ConfigurationError
from matheur.testing.contract import raises, require

__all__ = ["check_options"]


def check_options(cls: Any, where: str = "options") -> None:
    """Check that all options are documented, and that unknown options and wrong values cause helpful errors.

    Parameters
    ----------
    cls
        A dataclass whose fields are options.
    where
        Name of the table of options, for messages.

    Raises
    ------
    AssertionError
        If an option is missing in the docstring, if a wrong option or value is accepted, or if the error does not name
        the option.
    """
    doc = cls.__doc__ or ""
    require(doc and not doc.startswith(f"{cls.__name__}("), f"{cls.__name__} has no docstring")
    doc = "\n".join(base.__doc__ or "" for base in cls.__mro__[:-1])  # inherited options are documented there
    names = [field.name for field in dataclasses.fields(cls) if field.init]
    for name in names:
        require(re.search(rf"\b{name}\b", doc), f"the option '{name}' is not in the docstring of {cls.__name__}")
    for wrong in ("zzz", *(f"{name}y" for name in names)):
        error = raises(
            ConfigurationError,
            lambda key=wrong: configure(cls, {key: 1}, where),  # type: ignore[misc]
            f"the unknown option '{wrong}' is taken",
        )
        helps = re.search(rf"unknown option '.*{wrong}'\. Maybe", str(error))
        require(helps, f"the error of the unknown option '{wrong}' names neither it nor the nearest known one: {error}")
    for name in names:
        error = raises(
            ConfigurationError,
            lambda key=name: configure(cls, {key: {"no": {"such": "value"}}}, where),  # type: ignore[misc]
            f"the option '{name}' takes a table for its value",
        )
        require(name in str(error), f"the error of a wrong value does not name the option '{name}': {error}")
