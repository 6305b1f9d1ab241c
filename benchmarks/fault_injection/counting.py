"""What is counted: trials, and what was lost in them."""

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


_FOLDERS = re.compile(r"(?<![\w.~/])/(?:[^\s/\"'<>]+/)+")  # of absolute paths
_KEPT = 8  # lines of a detail


@dataclass(frozen=True)
class Loss:
    """One loss: its kind (see `LOSSES`), and what it takes to see it again."""

    kind: str
    detail: str

    @property
    def kept(self) -> list[str]:
        """For the results: the kind, and the last lines of the detail without the folders of this machine."""
        return [self.kind, "\n".join(_FOLDERS.sub("", self.detail).rstrip().splitlines()[-_KEPT:])]


@dataclass
class Count:
    """What was tried of a group (a command, a kind of file, a package).

    Attributes
    ----------
    section, group
        The first column of the table.
    trials
        Commands run.
    faults
        Faults that met a running command; the others were over before, or Python had not yet handed over to matheur.
    outcomes
        How the commands ended.
    losses
        All that went wrong.
    seconds
        Of each trial, what it took to come back from the fault.
    """

    section: str
    group: str
    trials: int = 0
    faults: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    losses: list[Loss] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def line(self) -> dict[str, Any]:
        """As a line of the results."""
        return {
            "section": self.section,
            "group": self.group,
            "trials": self.trials,
            "faults": self.faults,
            "outcomes": dict(sorted(self.outcomes.items())),
            "losses": [loss.kept for loss in self.losses],
            "slowest": round(max(self.seconds, default=0.0), 2),
        }
