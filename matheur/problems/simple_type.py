"""A base class for problem types that assembles them from a few parts."""

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
        Certainty that a source is in this format (True: it fits); never raises.
    read
        Function that reads the instance in a source, given the options of the reader; raises only `InputError`.
    """

    claim: Callable[[Source], Recognition | bool]
    read: Callable[[Source, Any], Any]


class SimpleType(Generic[Problem]):
    """A problem type, see `matheur.engine.problem_type.ProblemType`, made of a few parts, each of which is optional.

    Attributes
    ----------
    name, summary
        Name of the problem, and a one-line description (the description in a registration takes precedence).
    problem
        Class of the problem, called with the instance. If it is a dataclass with a field `assumptions`, it also
        receives the assumptions of the reader.
    formats
        File formats; the one with the surest claim reads the file.
    options
        Options of the reader.
    instances
        Built-in instances.
    generator_options
        Names of the options of `make`.
    pictures
        Pictures of the problem and its solutions.
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
        """Certainty that the file holds an instance in any of the formats; never raises."""
        return max((Recognition(form.claim(source)) for form in self.formats), default=Recognition.NO)

    def read(self, source: Source, options: Mapping[str, Any] = _NOTHING) -> Problem:
        """Read the problem in a file; it keeps the assumptions of the reader."""
        given = self.options.from_mapping(options)
        if not self.formats:
            raise ConfigurationError(f"{self.name} files cannot be read: there is no format for them")
        form = self.formats[0]
        if len(self.formats) > 1:
            form = max(self.formats, key=lambda one: Recognition(one.claim(source)))
        return self._problem(form.read(source, given), source.assumed)

    def load(self, origin: str | Path | Source, **options: Any) -> Problem:
        """Load the problem from a file, given as a path or as bytes with a name; options as in `read`.

        Raises
        ------
        InputError
            If the file cannot be read or understood.
        """
        return self.read(origin if isinstance(origin, Source) else open_source(origin), options)

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in instances, each with a one-line description."""
        return {} if self.instances is None else self.instances.lines

    def builtin(self, name: str, options: Mapping[str, Any] = _NOTHING) -> Problem:
        """Create a built-in problem; options that are fields of the instance replace its values."""
        given = self.options.from_mapping(options)
        if self.instances is None:
            raise InputError(f"{self.name} has no built-in instances ({name!r})")
        return self._problem(given.applied(self.instances(name)))

    def read_solution(self, problem: Problem, source: Source) -> Any:
        """Read a solution in JSON, in the form of `Problem.encode`."""
        decode: Callable[[Any], Any] = getattr(problem, "decode")  # noqa: B009 - any problem has it
        return decode(source.json)

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """Generate a random solvable instance; options as in `make`.

        Raises
        ------
        ConfigurationError
            If an option is unknown or invalid, or the seed is not a non-negative integer.
        """
        check_known(options, self.generator_options, f"the {self.name} generator")
        return self.make(options, check_seed(seed))

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """Generate a random solvable instance; option names and the seed have already been checked."""
        raise ConfigurationError(f"{self.name} has no generator")

    def picture(self, problem: Problem, solution: Any | None, kind: str) -> bytes:
        """Draw the instance or the solution as one of the kinds of `pictures`."""
        return self.pictures(problem, solution, kind)

    def _problem(self, instance: Any, assumed: Sequence[str] = ()) -> Problem:
        make: Callable[..., Problem] = self.problem
        return make(instance, assumptions=tuple(assumed)) if assumed and self._notes else make(instance)

    @property
    def _notes(self) -> bool:
        return is_dataclass(self.problem) and "assumptions" in {field.name for field in fields(self.problem)}


def _text(problem: Any, solution: Any | None) -> str:
    return problem.name + "\n" + ("" if solution is None else json.dumps(problem.encode(solution)) + "\n")
