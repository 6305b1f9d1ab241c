"""Reading of a pool of elites on disk: evaluated and compared, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matheur.engine.elite_files import FORMAT, ForeignEliteError, StoredElite, list_elites, read_elite
from matheur.engine.files import read_json
from matheur.engine.own_terms import in_own_terms
from matheur.engine.problem_type import ProblemType
from matheur.engine.protocols import Comparable
from matheur.errors import InputError
from matheur.running.loading import load_instance

__all__ = ["Harvest", "difference", "harvest", "pool_name"]

_COMPARED_MAX = 200  # maximum number of elites for which all pairs are compared


@dataclass(frozen=True, slots=True)
class Harvest:
    """The elites of a pool.

    Attributes
    ----------
    kind, problem
        Problem type, and problem of the instance.
    instance, options
        Name of the instance, and the options with which it was read.
    elites
        Elites, best first, newest first among equals. Never empty.
    ignored
        Files that are not elites of this instance, with the reason.
    """

    folder: Path
    kind: ProblemType
    problem: Any
    instance: str
    options: Mapping[str, Any]
    elites: tuple[StoredElite, ...]
    ignored: tuple[tuple[str, str], ...]

    def rows(self) -> list[dict[str, Any]]:
        """Plain values of each elite.

        `to_best` and `nearest` are the numbers of parts in which it differs from the best and from the most similar
        elite; `nearest` is None if there is no other or if there are very many. `written`, `found_by`, `run`, `job`
        and `seed` are taken from its file.
        """
        solutions = [stored.elite.solution for stored in self.elites]
        compared = 1 < len(solutions) <= _COMPARED_MAX
        found = []
        for i, stored in enumerate(self.elites):
            others = [j for j in range(len(solutions)) if j != i] if compared else []
            nearest = min((difference(self.problem, solutions[i], solutions[j]) for j in others), default=None)
            found.append(
                {
                    "file": stored.path.name,
                    "objective": in_own_terms(self.problem, stored.elite.objective),
                    "score": self.problem.score(stored.elite.objective),
                    "to_best": difference(self.problem, solutions[0], solutions[i]),
                    "nearest": nearest,
                    **{name: stored.facts.get(name) for name in ("written", "found_by", "run", "job", "seed")},
                }
            )
        return found


def difference(problem: Any, first: Any, second: Any) -> int:
    """Number of parts in which two solutions differ: as the problem counts them, else entries of their encoded forms.

    Examples
    --------
    >>> class Words:
    ...     def encode(self, solution): return solution
    >>> difference(Words(), {"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4})
    2
    >>> difference(Words(), ["U", "R", "U"], ["U", "L"])
    2
    """
    if isinstance(problem, Comparable):
        return problem.difference(first, second)
    one, other = problem.encode(first), problem.encode(second)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        missing = object()
        return sum(one.get(key, missing) != other.get(key, missing) for key in {*one, *other})
    if not isinstance(one, list | tuple | str):
        return int(one != other)
    return abs(len(one) - len(other)) + sum(a != b for a, b in zip(one, other, strict=False))


def pool_name(name: str) -> Path | None:
    """The folder that a name denotes; None if it does not denote a folder."""
    try:
        folder = Path(name)
        return folder if name and folder.is_dir() else None
    except (OSError, ValueError):  # a name that is too long, or holds a NUL
        return None


def harvest(
    folder: Path, instance: str | None = None, problem: str | None = None, options: Mapping[str, Any] | None = None
) -> Harvest:
    """Read a pool.

    Parameters
    ----------
    instance
        Path, URL or built-in name; if None, the instance named by the elites.
    problem
        Kind of problem, if it cannot be recognised.
    options
        Options of the instance's reader; they override those named by the elites.

    Raises
    ------
    InputError
        If there are no elites, if they belong to several instances, or if their instance cannot be read.
    """
    source = str(folder)
    try:
        files = list_elites(folder)
    except OSError as error:
        raise InputError(f"cannot read ({error.strerror})", source=source) from None
    named = _named(files)
    if instance is None:
        instance = _only_one(named, source)
    stored = named[0][1] if len(named) == 1 else {}  # if there are several instances, only the caller can choose
    reading = {**stored, **(options or {})}
    try:
        kind, found = load_instance(instance, problem, reading)
    except InputError as error:
        raise InputError(f"{error}. Maybe name the instance with --instance?", source=source) from None
    elites, ignored, foreign = [], [], 0
    for file in reversed(files):
        try:
            elites.append(read_elite(found, file))
        except InputError as error:
            if file.path.exists():  # otherwise it has just been removed
                ignored.append((file.name, error.message))
                foreign += isinstance(error, ForeignEliteError)
    if not elites:
        what = f"the elites belong to another instance than {instance}" if foreign else "holds no elites"
        raise InputError(what, source=source)
    elites.sort(key=lambda one: one.elite.objective)
    return Harvest(folder, kind, found, instance, reading, tuple(elites), tuple(ignored))


def _named(files: list[Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The instances that the elites name, each with the options of its reader."""
    named: dict[Any, tuple[str, Mapping[str, Any]]] = {}
    for file in files:
        if file.fault is not None:
            continue
        try:
            content = read_json(file.path)
        except InputError:
            continue
        if isinstance(content, dict) and content.get("format") == FORMAT and isinstance(content.get("instance"), str):
            configuration = content.get("configuration")
            options = configuration.get("instance") if isinstance(configuration, dict) else None
            key = str((content.get("problem"), content.get("fingerprint")))
            named[key] = content["instance"], options if isinstance(options, dict) else {}
    return list(named.values())


def _only_one(named: list[tuple[str, Mapping[str, Any]]], source: str) -> str:
    """The name of the instance, if there is just one."""
    if not named:
        raise InputError("holds no elites. Maybe the folder of another --pool?", source=source)
    if len(named) > 1:
        names = ", ".join(sorted({name for name, _ in named}))
        raise InputError(f"holds elites of {len(named)} instances ({names}). Maybe --instance?", source=source)
    return named[0][0]
