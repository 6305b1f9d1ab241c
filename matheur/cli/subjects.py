"""Instances for `matheur train`: a single one, all in a file or a folder, or generated ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from matheur.errors import ConfigurationError, InputError

__all__ = ["read_subjects"]


def read_subjects(
    instance: str, problem: str | None, most: int, seed: int, options: Mapping[str, Any] = MappingProxyType({})
) -> list[Any]:
    """The problems denoted by a name.

    Parameters
    ----------
    instance
        As for `matheur solve`. For kinds of problems whose networks learn from many instances, also a file with
        several, a folder of files, or a built-in instance, similar to which random ones are generated.
    problem
        Kind of problem; recognised if None.
    most
        Maximum number of instances.
    seed
        Seed of generated instances.
    options
        Options of the instance's reader.

    Raises
    ------
    InputError, ConfigurationError
        If an instance cannot be read or generated.
    """
    from matheur.problems.plans.training import training_of
    from matheur.running.loading import load_instance, read_source

    folder = Path(instance)
    is_folder = "\0" not in instance and folder.is_dir()
    if is_folder:
        files = sorted(str(one) for one in folder.iterdir() if one.is_file())
        name = _collecting(problem)
        training = training_of(name)
        found = [one for file in files for one in training.read(read_source(file), options, needed=False)]
        if not found:
            raise InputError(f"no instances of '{name}' in the files of this folder", source=instance)
        return found[:most]
    kind, puzzle = load_instance(instance, problem, options)
    training = training_of(kind.name)
    if not training.collects:
        return [puzzle]
    kind_name, _, short = instance.partition("/")
    if kind_name == kind.name and short in kind.builtins() and not folder.exists():
        return training.made(puzzle, most, seed)
    source = read_source(instance)
    return [puzzle] if source.part is not None else training.read(source, options, needed=True)[:most]


def _collecting(problem: str | None) -> str:
    """The kind of problem of the files in a folder."""
    from matheur.engine.problem_types import working_tools

    known = [name for name, training in working_tools("training") if training.collects]
    if problem is None and len(known) == 1:
        return known[0]
    if problem in known:
        return problem
    if problem is None:
        raise ConfigurationError(f"a folder may hold instances of {', '.join(known)}. Maybe name one with --problem?")
    raise ConfigurationError(f"a folder is read for {', '.join(known)} only, not for '{problem}'")
