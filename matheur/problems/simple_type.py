"""A base class for kinds of problems: what is the same for all of them, made of a few parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from matheur.engine.problem_type import Generated
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source, open_source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.builtin_instances import Builtins
from matheur.problems.pictures import Pictures
from matheur.problems.type_options import FileOptions, check_known, check_seed

__all__ = ["Format", "SimpleType"]

Problem = TypeVar("Problem")

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Attributes
    ----------
    claim
        How surely a source is in this format (True: it fits); never raises.
    read
        The instance in a source, with the options of the reader; raises `InputError` and nothing else.
    """

    claim: Callable[[Source], Recognition | bool]
    read: Callable[[Source, Any], Any]


class SimpleType(Generic[Problem]):
    """A kind of problem, see `matheur.engine.problem_type.ProblemType`: a few parts, each of which may be missing.

    Attributes
    ----------
    name, summary
        Name of the problem, and what it is in a line (a registration says that, too, and then goes before).
    problem
        The class of the problem, which takes the instance; a dataclass with a field `assumptions` also gets
        what the reader took for granted.
    formats
        Formats of its files; the one with the surest claim reads.
    options
        Options of the reader.
    instances
        Built-in instances.
    generator_options
        Names of the options of `make`.
    pictures
        How the problem and its solutions are drawn.
    """

    name: str
    summary: str = ""
    problem: type[Problem]
    formats: ClassVar[Sequence[Format]] = ()
    options: ClassVar[type[FileOptions]] = FileOptions
    instances: ClassVar[Builtins[Any] | None] = None
    generator_options: ClassVar[Sequence[str]] = ()
    pictures: ClassVar[Pictures] = Pictures(lambda problem, solution: (problem, solution), text=lambda it: _text(*it))

    def recognises(self, source: Source) -> Recognition:
        """How surely the file holds an instance of this problem, in any of the formats; never raises."""
        return max((Recognition(form.claim(source)) for form in self.formats), default=Recognition.NO)

    def read(self, source: Source, options: Mapping[str, Any] = _NOTHING) -> Problem:
        """The problem in a file; it keeps what the reader took for granted."""
        given = self.options.from_mapping(options)
        if not self.formats:
            raise ConfigurationError(f"{self.name} files cannot be read: there is no format for them")
        form = self.formats[0]
        if len(self.formats) > 1:
            form = max(self.formats, key=lambda one: Recognition(one.claim(source)))
        return self._problem(form.read(source, given), source.assumed)

    def load(self, origin: str | Path | Source, **options: Any) -> Problem:
        """The problem in a file: a path, or bytes with a name; the options are those of `read`.

        Raises
        ------
        InputError
            If it cannot be read or understood.
        """
        return self.read(origin if isinstance(origin, Source) else open_source(origin), options)

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in instances, with a line each."""
        return {} if self.instances is None else self.instances.lines

    def builtin(self, name: str, options: Mapping[str, Any] = _NOTHING) -> Problem:
        """A built-in problem by name; options that are fields of the instance take the place of its own values."""
        given = self.options.from_mapping(options)
        if self.instances is None:
            raise InputError(f"{self.name} has no built-in instances ({name!r})")
        return self._problem(given.applied(self.instances(name)))

    def read_solution(self, problem: Problem, source: Source) -> Any:
        """A solution as `Problem.encode` gives it, in JSON."""
        decode: Callable[[Any], Any] = getattr(problem, "decode")  # noqa: B009 - any problem has it
        return decode(source.json)

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable instance; the options are those of `make`.

        Raises
        ------
        ConfigurationError
            If an option is unknown or makes no sense, or the seed is no whole number from 0.
        """
        check_known(options, self.generator_options, f"the {self.name} generator")
        return self.make(options, check_seed(seed))

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable instance; the names of the options and the seed are checked already."""
        raise ConfigurationError(f"{self.name} has no generator")

    def picture(self, problem: Problem, solution: Any | None, kind: str) -> bytes:
        """The instance or the solution, in one of the kinds of `pictures`."""
        return self.pictures(problem, solution, kind)

    def _problem(self, instance: Any, assumed: Sequence[str] = ()) -> Problem:
        make: Callable[..., Problem] = self.problem
        return make(instance, assumptions=tuple(assumed)) if assumed and self._notes else make(instance)

    @property
    def _notes(self) -> bool:
        return is_dataclass(self.problem) and "assumptions" in {field.name for field in fields(self.problem)}


def _text(problem: Any, solution: Any | None) -> str:
    return problem.name + "\n" + ("" if solution is None else json.dumps(problem.encode(solution)) + "\n")
