"""Counts of trials and losses."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["LOSSES", "Count", "Loss"]

LOSSES = {
    "traceback": "a traceback on standard error",
    "hang": "the command did not come back",
    "process": "a process was left over",
    "temporary": "a temporary file was left over",
    "unreadable": "an output that is there cannot be read, or is refuted",
    "incumbent": "a solution that had been reported is not in the result file",
    "silent": "an exit without a message, or with an undocumented code",
    "message": "a message of more than one line, or one that does not say what is wrong",
    "memory": "more than the bound on memory",
    "answer": "the command should have worked, or should not have",
}


_FOLDERS = re.compile(r"(?<![\w.~/])/(?:[^\s/\"'<>]+/)+")  # folders of absolute paths
_KEPT = 8  # maximum number of lines of a detail


@dataclass(frozen=True)
class Loss:
    """One loss: its kind (see `LOSSES`), and the details needed to reproduce it."""

    kind: str
    detail: str

    @property
    def kept(self) -> list[str]:
        """Form for the results: the kind, and the last lines of the detail without the folders of this machine."""
        return [self.kind, "\n".join(_FOLDERS.sub("", self.detail).rstrip().splitlines()[-_KEPT:])]


@dataclass
class Count:
    """Trials of a group (a command, a kind of file, a package).

    Attributes
    ----------
    section, group
        First columns of the table.
    trials
        Number of commands run.
    faults
        Faults that hit a running command; the other commands had ended, or Python had not yet started matheur.
    outcomes
        How the commands ended.
    losses
        All losses.
    seconds
        Seconds of each trial to return after the fault.
    """

    section: str
    group: str
    trials: int = 0
    faults: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    losses: list[Loss] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def line(self) -> dict[str, Any]:
        """Line of the results."""
        return {
            "section": self.section,
            "group": self.group,
            "trials": self.trials,
            "faults": self.faults,
            "outcomes": dict(sorted(self.outcomes.items())),
            "losses": [loss.kept for loss in self.losses],
            "slowest": round(max(self.seconds, default=0.0), 2),
        }
