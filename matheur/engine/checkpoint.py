"""Checkpoints: the state of a search as one JSON file, written atomically, never a pickle."""

from __future__ import annotations

import json
import time
from hashlib import blake2b
from pathlib import Path
from typing import Any

from matheur.engine.events import plain
from matheur.engine.files import read_json, write_json
from matheur.errors import InputError

__all__ = ["Checkpointer"]

FORMAT = "matheur-checkpoint"
VERSION = 1


class Checkpointer:
    """Keeps the newest state in `FOLDER/checkpoint.json`.

    Parameters
    ----------
    folder
        Made if missing.
    identity
        What the state belongs to (problem, instance digest, operators): a resume with another one is refused.
    every
        Least seconds between two writes, except forced ones.
    """

    def __init__(self, folder: Path | str, identity: dict[str, Any], every: float = 2.0) -> None:
        self.folder: Path = Path(folder)
        self.path: Path = self.folder / "checkpoint.json"
        self.identity = identity
        self.every = every
        self._last = -float("inf")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make this folder ({error.strerror})", source=str(self.folder)) from None
        except ValueError as error:  # a NUL in the name
            raise InputError(f"cannot make this folder ({error})", source=repr(str(folder))) from None

    @property
    def due(self) -> bool:
        """Whether the last write is long enough ago."""
        return time.monotonic() - self._last >= self.every

    def save(self, state: dict[str, Any]) -> None:
        """Write the state."""
        header = {"format": FORMAT, "version": VERSION, "identity": self.identity}
        state = plain(state)
        write_json(self.path, {**header, "digest": _digest(state), "state": state})
        self._last = time.monotonic()

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
                raise InputError(
                    f"this checkpoint belongs to another run ({key} was {stored!r}, is {value!r}). "
                    "Maybe another folder, or a run without --resume?",
                    source=source,
                )
        state = content.get("state")
        if not isinstance(state, dict) or content.get("digest") != _digest(state):
            raise InputError("this checkpoint is damaged: its state is not what was written", source=source)
        return state


def _digest(state: dict[str, Any]) -> str:
    return blake2b(json.dumps(state, sort_keys=True).encode(), digest_size=16).hexdigest()
