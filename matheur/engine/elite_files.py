"""Elites as files: one JSON file each, written atomically and checked when read.

An elite file is also a result file, so readers of result files can read its solution. Its name is made from the
objective and a digest of the key, so that the same solution always has the same name.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from matheur.engine.elites import Elite
from matheur.engine.events import plain
from matheur.engine.files import read_json, write_json
from matheur.engine.outcome import violations_of
from matheur.engine.own_terms import in_own_terms
from matheur.engine.protocols import solution_key
from matheur.errors import InputError

__all__ = [
    "ELITE_NAME",
    "EliteFile",
    "ForeignEliteError",
    "StoredElite",
    "elite_name",
    "list_elites",
    "read_elite",
    "write_elite",
]

FORMAT, VERSION = "matheur-elite", 1
BYTES_MAX = 64 * 2**20
ELITE_NAME = re.compile(r"elite_-?[0-9][0-9.e+-]{0,39}_[0-9a-f]{24}\.json")
_BESIDE = re.compile(r"\..*|run_[0-9]+\.json|checkpoint(-[0-9]+)?\.json")  # what may lie next to elites


class ForeignEliteError(InputError):
    """An elite of another instance."""


@dataclass(frozen=True, slots=True)
class EliteFile:
    """A file in a folder of elites, not yet read.

    Attributes
    ----------
    name, path
        File name and full path.
    stamp
        Time of the last change in nanoseconds, and size; changes with the content.
    fault
        Reason why it cannot be an elite; None if it may be one.
    """

    name: str
    path: Path
    stamp: tuple[int, int]
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class StoredElite:
    """An elite that was read and evaluated.

    Attributes
    ----------
    facts
        Further values of the file (`found_by`, `seed`, `written`, ...). They are unverified claims.
    """

    path: Path
    elite: Elite
    facts: Mapping[str, Any] = field(default_factory=dict)


def elite_name(objective: int | float, key: bytes) -> str:
    """The file name of an elite.

    Examples
    --------
    >>> elite_name(15, b"board")
    'elite_15_5523898095c25fca5a83f0d5.json'
    """
    return f"elite_{plain(objective)}_{blake2b(key, digest_size=12).hexdigest()}.json"


def list_elites(folder: Path) -> list[EliteFile]:
    """The files of a folder that may be elites, the oldest first. No file is opened.

    Hidden files, folders, `run_*.json` and a checkpoint are skipped.

    Raises
    ------
    OSError
        If the folder cannot be read.
    """
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if _BESIDE.fullmatch(entry.name):
                continue
            try:
                about = entry.stat()
            except OSError:  # given up by another process in this moment, or a link to nothing
                continue
            fault = None
            if stat.S_ISDIR(about.st_mode):
                continue
            if not stat.S_ISREG(about.st_mode):
                fault = "not a file"
            elif not ELITE_NAME.fullmatch(entry.name):
                fault = "not the name of an elite"
            elif about.st_size > BYTES_MAX:
                fault = f"larger than {BYTES_MAX >> 20} MiB"
            found.append(EliteFile(entry.name, Path(entry.path), (about.st_mtime_ns, about.st_size), fault))
    return sorted(found, key=lambda one: (one.stamp, one.name))


def read_elite(problem: Any, file: EliteFile) -> StoredElite:
    """Read an elite from its file and evaluate it from scratch.

    Raises
    ------
    ForeignEliteError
        If it belongs to another instance.
    InputError
        If it is not an elite, is damaged or infeasible, or contradicts the content or the name of the file.
    """
    if file.fault is not None:
        raise InputError(file.fault, source=str(file.path))
    try:
        return _checked(problem, file, read_json(file.path))
    except ForeignEliteError:
        raise
    except InputError as error:
        raise error.located(str(file.path)) from None


def _checked(problem: Any, file: EliteFile, content: Any) -> StoredElite:
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        raise InputError("not an elite of this version")
    if content.get("problem") != problem.name or content.get("fingerprint") != problem.fingerprint:
        raise ForeignEliteError("an elite of another instance", source=str(file.path))
    try:
        solution = problem.decode(content.get("solution"))
        evaluation = problem.evaluate(solution)
        key = solution_key(problem, solution)
    except InputError:
        raise
    except Exception as error:  # a problem of another package may not be as careful
        raise InputError(f"not a solution ({error!r})") from None
    if not evaluation.feasible:
        raise InputError(f"the solution violates: {violations_of(problem, evaluation)[0]}")
    claimed = content.get("objective")
    known = in_own_terms(problem, evaluation.objective), evaluation.objective  # earlier versions wrote the second one
    if isinstance(claimed, bool) or claimed not in known:
        raise InputError(f"claims objective {str(claimed)[:40]}, the evaluator says {evaluation.objective}")
    if file.name != elite_name(evaluation.objective, key):
        raise InputError("its name belongs to another solution")
    facts = {name: value for name, value in content.items() if name != "solution"}
    return StoredElite(file.path, Elite(key, solution, evaluation.objective), facts)


def write_elite(problem: Any, folder: Path, elite: Elite, facts: Mapping[str, Any]) -> None:
    """Write an elite into a folder, atomically.

    Parameters
    ----------
    facts
        Further plain values to store in the file.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    content = {
        "format": FORMAT,
        "version": VERSION,
        "problem": problem.name,
        "fingerprint": problem.fingerprint,
        "objective": in_own_terms(problem, elite.objective),
        "score": problem.score(elite.objective),
        "score_max": problem.score_max,
        "written": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        **facts,
        "solution": problem.encode(elite.solution),
    }
    write_json(folder / elite_name(elite.objective, elite.key), content)
