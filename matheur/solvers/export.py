"""Models as LP or MPS files, for solvers that are not installed."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from matheur.errors import ConfigurationError, nearest
from matheur.pyomo_turn import in_turn

__all__ = ["FORMATS", "write_model"]

FORMATS = (".lp", ".mps")


@in_turn
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
    target.parent.stat()  # raises an error if the folder is missing
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as folder:
        draft = Path(folder) / target.name
        with _without_word_of_constants():
            model.write(str(draft), io_options={"symbolic_solver_labels": True})
        if target.suffix == ".mps":
            _plain_head(draft)
        os.replace(draft, target)


@contextmanager
def _without_word_of_constants() -> Iterator[None]:
    """Suppress the warning of Pyomo's MPS writer for constant objectives, as in pure feasibility models."""
    logger = logging.getLogger("pyomo.core")

    def told(record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith("Constant objective detected")

    logger.addFilter(told)
    try:
        yield
    finally:
        logger.removeFilter(told)


def _plain_head(draft: Path) -> None:
    """Write a name without blanks, and no section for the sense of a minimum: GLPK and others read only this form."""
    plain = draft.with_suffix(".plain")
    with draft.open(encoding="utf-8") as given, plain.open("w", encoding="utf-8") as written:
        for line in given:
            if line.startswith("NAME"):
                written.write(" ".join(["NAME", "-".join(line.split()[1:])]).rstrip() + "\n")
            elif line.startswith("OBJSENSE"):
                sense = next(given)
                if sense.strip().upper().startswith("MAX"):
                    written.write(line + sense)
            else:
                written.write(line)
                if line.startswith("ROWS"):
                    break
        shutil.copyfileobj(given, written)
    os.replace(plain, draft)
