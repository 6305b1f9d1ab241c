"""Functions of the workbench for linear programs."""

from __future__ import annotations

from typing import Any

from matheur.errors import InputError
from matheur.linear.mps_writer import write_mps
from matheur.problems.workbench import Workbench

__all__ = ["WORKBENCH"]

_ENTRIES_MAX = 2_000  # for models shown as text


class _MilpWorkbench(Workbench):
    def text(self, problem: Any) -> str | None:
        """A small model as an MPS file."""
        if len(problem.model.data) > _ENTRIES_MAX:
            return None
        try:
            return "".join(f"{line}\n" for line in write_mps(problem.model))
        except InputError:  # a name with blanks
            return None


WORKBENCH = _MilpWorkbench()
