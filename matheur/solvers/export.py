"""Models as LP or MPS files, for solvers that are not here."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from matheur.errors import ConfigurationError, nearest

__all__ = ["FORMATS", "write_model"]

FORMATS = (".lp", ".mps")


def write_model(model: Any, path: str | Path) -> None:
    """Write a Pyomo model with readable names; the file appears whole or not at all.

    Parameters
    ----------
    model
        A `pyomo.ConcreteModel`.
    path
        Its suffix, `.lp` or `.mps`, chooses the format.

    Raises
    ------
    ConfigurationError
        For another suffix.
    OSError
        If the file cannot be written.
    """
    target = Path(path)
    if target.suffix not in FORMATS:
        raise ConfigurationError(f"no model format is called {target.suffix!r}. {nearest(target.suffix, FORMATS)}")
    target.parent.stat()  # says so if the folder is missing
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as folder:
        draft = Path(folder) / target.name
        model.write(str(draft), io_options={"symbolic_solver_labels": True})
        os.replace(draft, target)
