"""Checkpoints: the state of a search as one JSON file, written atomically, never a pickle."""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any

from matheur.engine.events import plain
from matheur.engine.files import hold_folder, read_json, remove_leftovers, write_json
from matheur.engine.outputs import KeptFile
from matheur.engine.streams import is_stream
from matheur.errors import InputError

__all__ = ["CHECKPOINT", "Checkpointer", "stored_seed"]

CHECKPOINT = "checkpoint.json"

FORMAT = "matheur-checkpoint"
VERSION = 1
_PATIENCE = 3.0  # seconds in which a run that was killed, and what it had forked, is gone


class Checkpointer:
    """Keeps the newest state in `FOLDER/checkpoint.json`.

    The state of an earlier run that is not continued is renamed before the first write: to `checkpoint-1.json`, or the
    next free number.

    Parameters
    ----------
    folder
        Created if missing.
    identity
        Search that the state belongs to (problem, instance digest, operators). A resume of another one is an error.
    every
        Minimum number of seconds between two writes, except forced ones.
    meanings
        What it means that a part of the identity differs, by its name, for parts that are digests.
    notice
        Called with a sentence if the state of an earlier run is renamed, or if the state cannot be written. The run
        continues, and the next write tries again.
    options
        Digest of what a resume may change: options of the operators.

    Attributes
    ----------
    changed
        Whether the loaded state was stored with other `options`.
    """

    def __init__(
        self,
        folder: Path | str,
        identity: dict[str, Any],
        every: float = 2.0,
        *,
        meanings: Mapping[str, str] | None = None,
        notice: Callable[[str], None] = lambda text: None,
        options: str | None = None,
    ) -> None:
        self.folder: Path = Path(folder)
        self.path: Path = self.folder / CHECKPOINT
        self.identity = identity
        self.meanings: Mapping[str, str] = meanings or {}
        self.every = every
        self.options = options
        self.changed: bool = False
        self._kept = KeptFile(notice)
        self._notice = notice
        self._own = False  # whether the file holds the state of this run, or of one that it continues
        self._last = -float("inf")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make this folder ({error.strerror})", source=str(self.folder)) from None
        except ValueError as error:  # a NUL in the name
            raise InputError(f"cannot make this folder ({error})", source=repr(str(folder))) from None

    @property
    def due(self) -> bool:
        """Whether the next write is due."""
        return time.monotonic() - self._last >= self.every

    @property
    def fault(self) -> str | None:
        """Reason why the newest state is not in the file; None if it is."""
        return self._kept.fault

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the folder, so that no other run writes its state there.

        Raises
        ------
        MatheurError
            If another run holds the lock.
        """
        refusal = f"{self.folder}: another run keeps its state here. Maybe another folder?"
        with hold_folder(self.folder, refusal, patience=_PATIENCE):
            remove_leftovers(self.folder, re.compile(re.escape(CHECKPOINT)))
            yield

    def save(self, state: dict[str, Any]) -> bool:
        """Write the state; return whether that succeeded."""
        header: dict[str, Any] = {"format": FORMAT, "version": VERSION, "identity": self.identity}
        header |= {} if self.options is None else {"options": self.options}
        state = plain(state)
        content = {**header, "digest": _digest(state), "state": state}
        self._last = time.monotonic()
        return self._kept.write(lambda: self._write(content))

    def _write(self, content: dict[str, Any]) -> None:
        if not self._own:
            self._keep_earlier()
        write_json(self.path, content)
        self._own = True

    def _keep_earlier(self) -> None:
        """Rename the file of an earlier run, which may hold days of search."""
        if not self.path.exists() or is_stream(self.path):
            return
        numbered = (self.folder / f"{self.path.stem}-{number}{self.path.suffix}" for number in count(1))
        free = next(path for path in numbered if not os.path.lexists(path))
        try:
            os.rename(self.path, free)
        except OSError as error:
            raise InputError(f"cannot write here ({error.strerror})", source=str(free)) from None
        self._notice(
            f"{self.path}: the state of an earlier run is now {free.name}. "
            f"To continue from it, rename it to {self.path.name}, and add --resume"
        )

    def load(self) -> dict[str, Any] | None:
        """The stored state, or None if there is none yet.

        Raises
        ------
        InputError
            If the file is not a checkpoint of this version, is damaged, or belongs to another run.
        """
        if not self.path.exists():
            return None
        content = read_json(self.path)
        source = str(self.path)
        if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
            raise InputError("not a checkpoint of this version", source=source)
        identity = content.get("identity")
        for key, value in self.identity.items():
            stored = identity.get(key) if isinstance(identity, dict) else None
            if stored != value:
                why = self.meanings.get(key, f"{key} was {str(stored)[:80]!r}, is {value!r}")
                raise InputError(
                    f"this checkpoint belongs to another run ({why}). Maybe another folder, or a run without --resume?",
                    source=source,
                )
        state = content.get("state")
        if not isinstance(state, dict) or not _finite(state) or content.get("digest") != _digest(state):
            raise InputError("this checkpoint is damaged: its state is not what was written", source=source)
        self._own = True
        self.changed = content.get("options", self.options) != self.options  # earlier versions stored none
        return state


def stored_seed(state: dict[str, Any]) -> int:
    """The seed of a stored run.

    Raises
    ------
    InputError
        If it has none.
    """
    seed = state.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise InputError(f"the stored state is damaged (seed {str(seed)[:40]!r})")
    return seed


def _finite(value: Any) -> bool:
    """Whether all numbers are finite. Others are never written, but JSON can represent them, as 1e400."""
    level = [value]
    while level:
        one = level.pop()
        if isinstance(one, float) and not math.isfinite(one):
            return False
        if isinstance(one, dict):
            level += one.values()
        elif isinstance(one, list):
            level += one
    return True


def _digest(state: dict[str, Any]) -> str:
    return blake2b(json.dumps(state, sort_keys=True).encode(), digest_size=16).hexdigest()
