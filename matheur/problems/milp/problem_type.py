"""Linear programs as the command line sees them: recognise, read and draw them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.linear.evaluation import rounded
from matheur.linear.lp_reader import begins_like_lp, looks_like_lp, read_lp
from matheur.linear.model import LinearModel
from matheur.linear.mps_reader import looks_like_mps, read_mps
from matheur.linear.solutions import read_solution, values_of
from matheur.problems.milp.builtin import builtin
from matheur.problems.milp.picture import picture
from matheur.problems.milp.problem import Milp
from matheur.problems.simple_type import SimpleType
from matheur.problems.type_options import FileOptions

__all__ = ["TYPE", "MilpType"]

_HEAD = 200_000  # characters that are looked at


@dataclass(frozen=True, slots=True)
class ModelOptions(FileOptions):
    """Options of linear programs, in files and from elsewhere.

    Attributes
    ----------
    groups
        Families of columns, see `matheur.linear.groups.Index.declared`.
    """

    files = "linear programs"
    groups: Any = None

    def of(self, problem: Milp) -> Milp:
        """The problem with these options."""
        return problem if self.groups is None else problem.with_groups(self.groups)


class MilpType(SimpleType[Milp]):
    """Implements `matheur.engine.problem_type.ProblemType` for linear programs."""

    name = "milp"
    summary = "solve any mixed-integer linear program (MPS, LP, Pyomo)"
    problem = Milp
    options = ModelOptions
    instances = builtin
    pictures = picture

    def recognises(self, source: Source) -> Recognition:
        """How surely the file is one of MPS or LP; never raises."""
        return Recognition.PROVED if _reader_of(source) is not None else Recognition.NO

    def read(self, source: Source, options: Mapping[str, Any] = MappingProxyType({})) -> Milp:
        """The program in a file; the option `groups` declares families of columns."""
        given = ModelOptions.from_mapping(options)
        read = _reader_of(source)
        if read is None:
            raise source.error("neither an MPS nor an LP file")
        try:
            model = read(source)
        except InputError as error:
            raise error.located(source.name) from None
        return given.of(Milp(model, tuple(source.assumed)))

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> Milp:
        """A built-in program by name, with the options of files."""
        return ModelOptions.from_mapping(options).of(Milp(builtin(name)))

    def read_solution(self, problem: Milp, source: Source) -> NDArray[np.float64]:
        """Values in JSON or in a `.sol` file; what is missing is 0, and what is nearly whole is whole."""
        if source.text.lstrip()[:1] == "{":
            data = source.json
            return problem.decode(data.get("solution", data) if isinstance(data, dict) else data)
        try:
            return rounded(problem.model, values_of(problem.model, read_solution(source.lines).named)[0])
        except InputError as error:
            raise error.located(source.name) from None


def _reader_of(source: Source) -> Callable[[Source], LinearModel] | None:
    """The reader of a source by its content."""
    try:
        head = Source(source.name, source.data[:_HEAD]).text
        if looks_like_mps(head.split("\n")):
            return lambda one: read_mps(one.lines, one.assume)
        if begins_like_lp(head) and looks_like_lp(source.text):  # the rows may come after an objective of any length
            return lambda one: read_lp(one.text, one.assume)
    except InputError:
        pass
    return None


TYPE = MilpType()
