"""The instances that `matheur train` takes: one, all levels of a file or a folder, or levels made on the spot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from matheur.errors import ConfigurationError, InputError

__all__ = ["read_subjects"]

_SOKOBAN = "sokoban"


def read_subjects(
    instance: str, problem: str | None, levels: int, seed: int, options: Mapping[str, Any] = MappingProxyType({})
) -> list[Any]:
    """The problems that a name stands for.

    Parameters
    ----------
    instance
        As for `matheur solve`; for Sokoban a file or a folder of files with many levels too, or a built-in level, of
        whose size and number of boxes levels are made.
    levels
        Sokoban levels, at most.
    seed
        Of the levels that are made.
    options
        Options of the instance's reader.

    Raises
    ------
    InputError, ConfigurationError
        If something cannot be read or made.
    """
    from matheur.running.loading import load_instance, read_source

    folder = Path(instance)
    if "\0" not in instance and folder.is_dir():
        if problem not in (None, _SOKOBAN):
            raise ConfigurationError(f"a folder is read for Sokoban levels only, not for '{problem}'")
        files = sorted(str(one) for one in folder.iterdir() if one.is_file())
        found = [one for name in files for one in _levels(read_source(name), options, needed=False)]
        if not found:
            raise InputError("no Sokoban levels in the files of this folder", source=instance)
        return found[:levels]
    kind, puzzle = load_instance(instance, problem, options)
    if kind.name != _SOKOBAN:
        return [puzzle]
    kind_name, _, short = instance.partition("/")
    if kind_name == _SOKOBAN and short in kind.builtins() and not folder.exists():
        return _made(puzzle, levels, seed)
    source = read_source(instance)
    return [puzzle] if source.part is not None else _levels(source, options, needed=True)[:levels]


def _levels(source: Any, options: Mapping[str, Any], *, needed: bool) -> list[Any]:
    from matheur.problems.sokoban import ReadOptions, Sokoban, read_levels

    cost = ReadOptions.from_mapping(options).cost
    return [Sokoban(replace(one, cost=cost)) for one in read_levels(source, needed=needed)]


def _made(puzzle: Any, levels: int, seed: int) -> list[Any]:
    """Random levels like a built-in one."""
    from matheur.problems.sokoban import Sokoban, generate

    one, found, number = puzzle.instance, list[Any](), 0
    while len(found) < levels:
        try:
            made, _ = generate(one.rows, one.columns, seed=seed * levels + number, boxes=len(one.boxes))
            found.append(Sokoban(replace(made, cost=one.cost)))
        except ConfigurationError:
            if number > 100 and not found:
                raise
        number += 1
    return found
