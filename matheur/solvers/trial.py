"""Test of solver options before the run that needs them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from matheur.errors import FailedSolveError
from matheur.linear.building import ModelBuilder
from matheur.solvers.linear import solve_linear
from matheur.solvers.port import SolveRequest
from matheur.solvers.registry import get_backend

__all__ = ["check_options"]

_taken: set[tuple[str, str]] = set()  # options accepted in this process: several operators have the same solver


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Raise the error that a solve with these options would raise; with options, a model of one row is solved.

    Raises
    ------
    SolverError, ConfigurationError
        If the backend is missing, has no such option, or rejects a value.
    """
    backend = get_backend(name)
    tried = name, repr(sorted(options.items()))
    if not options or tried in _taken:
        return
    builder = ModelBuilder()
    row = builder.add_row("row", 1.0, np.inf)
    for letter in ("x", "y"):
        column = builder.add_column(letter, integral=True)
        builder.upper[column] = 1.0
        builder.add_entry(row, column, 1.0)
    with suppress(FailedSolveError):  # raised after the options were accepted
        solve_linear(backend, builder.made(), SolveRequest(options=options))
    _taken.add(tried)
