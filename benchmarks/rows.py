"""Rows of results: JSON lines that runs append to and from which tables are made."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from matheur.running.result import versions

__all__ = ["Rows", "measured"]

RESULTS = Path(__file__).resolve().parent / "results"


def measured(rows: Iterable[dict[str, Any]]) -> str:
    """When, where and with which versions rows were measured, as far as they say it."""
    found = list(rows)
    dates = sorted({row["date"] for row in found})
    machines = list(dict.fromkeys(row["machine"] for row in found))
    used = [row["versions"] for row in found if "versions" in row]
    names = dict.fromkeys(name for one in used for name in one if name != "commit")
    known = [f"{name} {' and '.join(sorted({one[name] for one in used if name in one}))}" for name in names]
    parts = [" to ".join(dict.fromkeys((dates[0], dates[-1]))), " and ".join(machines), ", ".join(known)]
    return "; ".join(part for part in parts if part)


class Rows:
    """The file `NAME.jsonl` of a folder, with one JSON object per line.

    Parameters
    ----------
    name
        Name of the file without its ending.
    quiet
        Keys that are omitted when a new row is printed.
    folder
        Folder of the file.
    """

    def __init__(self, name: str, quiet: tuple[str, ...] = (), folder: Path = RESULTS) -> None:
        self._path, self._quiet = folder / f"{name}.jsonl", quiet
        self._read: list[dict[str, Any]] | None = None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if self._read is None:
            lines = self._path.read_text().splitlines() if self._path.exists() else []
            self._read = [json.loads(line) for line in lines]
        yield from self._read

    def has(self, about: dict[str, Any]) -> bool:
        """Whether some row agrees with all of these values."""
        return any(about.items() <= row.items() for row in self)

    def append(self, row: dict[str, Any]) -> None:
        """Print a row, and store it with the load, date, machine and versions."""
        about = {
            "load": round(os.getloadavg()[0], 1),
            "date": date.today().isoformat(),
            "machine": f"{os.cpu_count()} cores, {platform.machine()}",
            "versions": versions(),
        }
        self._path.parent.mkdir(exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps(row | about) + "\n")
        self._read = None
        print(json.dumps({key: value for key, value in row.items() if key not in self._quiet}), flush=True)
