"""A pool of elites that shares a folder with other pools: those of other members, other runs, earlier runs.

No process locks the folder or knows the others. Each process writes files atomically, under names that depend only on
the solution, and removes the worst files beyond the capacity in an order common to all.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from matheur.engine.crowding import Crowding
from matheur.engine.elite_files import EliteFile, ForeignEliteError, elite_name, list_elites, read_elite, write_elite
from matheur.engine.elites import Elite, ElitePool
from matheur.errors import InputError, printable

__all__ = ["SharedElites"]

_SHOWN = 3  # files named in a notice


class SharedElites(ElitePool):
    """An `ElitePool` that exchanges its elites with a folder, at most every few seconds.

    Each exchange writes the added solutions and reads those of other pools, evaluating each from scratch. A read-only
    folder or a damaged file causes a notice, not an error: the search continues, and the next exchange tries again.
    Use as a context manager, which ends with an exchange.

    If the problem is `matheur.engine.protocols.Comparable`, a full pool removes near-duplicates first, then its worst
    solution (`matheur.engine.crowding`). Otherwise it removes the worst solution, the oldest one among equals.

    Parameters
    ----------
    problem
        Problem of the solutions; files of other instances are ignored and kept.
    folder
        An existing folder.
    capacity
        Maximum number of solutions, in memory and in the folder. If several pools share a folder, the smallest capacity
        applies there.
    every
        Minimum number of seconds between two exchanges.
    facts
        Plain values to store in each file.
    found_by
        Returns the name of the running operator.
    notice
        Called with a sentence, once for each file or error that is ignored.

    Attributes
    ----------
    sources
        Facts of the elites that were read from files, by key: unverified claims of their writers.
    foreign
        Names of files with elites of other instances.
    """

    def __init__(
        self,
        problem: Any,
        folder: Path | str,
        *,
        capacity: int = 24,
        every: float = 2.0,
        facts: Mapping[str, Any] | None = None,
        found_by: Callable[[], str] = lambda: "",
        notice: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(capacity)
        self.problem, self.folder = problem, Path(folder)
        self.sources: dict[bytes, Mapping[str, Any]] = {}
        self.foreign: set[str] = set()
        self._every, self._clock, self._due = every, clock, -float("inf")
        self._facts = {} if facts is None else dict(facts)
        self._found_by, self._notice = found_by, notice
        self._process = os.getpid()
        self._fresh: dict[bytes, str] = {}  # added here and not yet written, with the operator
        self._restored: set[bytes] = set()  # from a stored state, not yet compared with the folder
        self._whole: dict[str, Elite] = {}  # files known to be elites
        self._crowding = Crowding(problem)
        self._ignored: dict[str, tuple[int, int]] = {}  # stamps of files that are not elites
        self._said: set[str] = set()

    def __enter__(self) -> SharedElites:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.exchange()

    def add(self, key: bytes, solution: Any, objective: int | float) -> bool:
        """See `ElitePool`; a kept solution is written at the next exchange."""
        kept = super().add(key, solution, objective)
        if kept:
            self._fresh[key] = self._found_by()
        return kept

    def restore(self, key: bytes, solution: Any, objective: int | float) -> bool:
        """See `ElitePool`. A restored solution that the folder no longer holds was removed there, and is not rewritten.

        It is written only if the folder has room or holds nothing as good, since it then cannot have been removed.
        """
        kept = super().add(key, solution, objective)
        if kept:
            self._restored.add(key)
        return kept

    def _surplus(self) -> int:
        return self._crowding.surplus(self._elites)

    def watching(self, interrupt: Callable[[], bool]) -> Callable[[], bool]:
        """An interrupt for a budget that also runs the exchange when it is due.

        Budgets call it between two operator calls and, in long calls, several times a second. Until an exchange is due
        it only reads the clock. A process forked by an operator (such as a MILP solver) exchanges nothing.
        """

        def asked() -> bool:
            if self._clock() >= self._due and os.getpid() == self._process:
                self.exchange()
            return interrupt()

        return asked

    def exchange(self) -> None:
        """Read new files of other pools, write new solutions, and remove the worst files beyond the capacity."""
        self._due = self._clock() + self._every
        try:
            files = list_elites(self.folder)
            self._read(files)
            self._write({file.name for file in files if file.name in self._whole})
            self._give_up(list_elites(self.folder))
        except OSError as error:
            self._say(f"{self.folder}: elites are not shared for now ({error.strerror})")
        except InputError as error:
            self._say(f"elites are not shared for now: {error}")

    def _read(self, files: list[EliteFile]) -> None:
        refused = []
        mine = {elite_name(elite.objective, elite.key): elite for elite in self.entries()}
        for file in files:
            if file.name in self._whole or self._ignored.get(file.name) == file.stamp:
                continue
            if file.fault is None and file.name in mine:  # its content is known
                self._whole[file.name] = mine[file.name]
                continue
            try:
                stored = read_elite(self.problem, file)
            except InputError as error:
                if not file.path.exists():  # removed by another process
                    continue
                self._ignored[file.name] = file.stamp
                if isinstance(error, ForeignEliteError):
                    self.foreign.add(file.name)
                refused.append(f"{file.name} ({error.message})")
                continue
            elite = stored.elite
            self._whole[file.name] = elite
            if super().add(elite.key, elite.solution, elite.objective):
                self.sources[elite.key] = stored.facts
        if refused:
            more = f" and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
            self._say(f"{self.folder}: ignoring {', '.join(refused[:_SHOWN])}{more}")

    def _write(self, there: set[str]) -> None:
        """Write new solutions; `there` holds the names of the elites in the folder."""
        for elite in self.entries():  # displaced solutions need not be written
            name = elite_name(elite.objective, elite.key)
            if name not in there and (elite.key in self._fresh or self._lacks(elite, there)):
                by = self._fresh.get(elite.key, "")
                write_elite(self.problem, self.folder, elite, {"found_by": by, **self._facts})
                self._whole[name] = elite
                there.add(name)
        self._fresh.clear()
        self._restored.clear()

    def _lacks(self, elite: Elite, there: set[str]) -> bool:
        """Whether a restored elite cannot have been removed from the folder."""
        if elite.key not in self._restored:
            return False
        return len(there) < self._capacity or all(self._whole[name].objective > elite.objective for name in there)

    def _give_up(self, files: list[EliteFile]) -> None:
        kept = [file for file in files if file.name in self._whole]
        # Best first, then newest first; ties are broken by name, so that all processes remove the same files.
        kept.sort(key=lambda file: (self._whole[file.name].objective, -file.stamp[0], file.name))
        elites = [self._whole[file.name] for file in kept]
        while len(kept) > self._capacity:
            index = self._crowding.surplus(elites)
            with suppress(FileNotFoundError):
                kept[index].path.unlink()
            del kept[index], elites[index]
        # Forget removed files: they may come back, and a run of weeks sees many.
        self._whole = {file.name: elite for file, elite in zip(kept, elites, strict=True)}
        self._crowding.forget([*elites, *self.entries()])
        self._ignored = {file.name: file.stamp for file in files if self._ignored.get(file.name) == file.stamp}
        self.sources = {key: facts for key, facts in self.sources.items() if key in self}

    def _say(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._notice(printable(text))  # file names may hold any characters
