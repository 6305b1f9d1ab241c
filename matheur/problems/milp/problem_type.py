"""Linear programs as the command line sees them: recognise, read and draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_type import Generated
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.linear.evaluation import rounded
from matheur.linear.model import LinearModel
from matheur.linear.mps_reader import looks_like_mps, read_mps
from matheur.linear.solutions import objective_of, read_solution, values_of
from matheur.problems.milp.assignment_files import claim, numbers_alone, read_assignment
from matheur.problems.milp.builtin import builtin
from matheur.problems.milp.generator import chosen, for_files, generate
from matheur.problems.milp.picture import picture
from matheur.problems.milp.problem import Milp
from matheur.problems.simple_type import SimpleType
from matheur.problems.type_options import FileOptions, check_known, check_seed

__all__ = ["TYPE", "MilpType"]

_HEAD = 200_000  # characters examined


@dataclass(frozen=True, slots=True)
class ModelOptions(FileOptions):
    """Options of linear programs, from files and other sources.

    Attributes
    ----------
    groups
        Families of columns, see `matheur.linear.groups.Index.declared`.
    sense
        `min` or `max`, for files of generalised assignment.
    """

    files = "linear programs"
    groups: Any = None
    sense: str | None = None

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
        """Confidence that the file is an MPS, LP or generalised assignment file; never raises."""
        if numbers_alone(source):
            return claim(source)
        return Recognition.PROVED if _reader_of(source) is not None else Recognition.NO

    def read(self, source: Source, options: Mapping[str, Any] = MappingProxyType({})) -> Milp:
        """The program in a file, with `ModelOptions`; only files of generalised assignment have the option `sense`."""
        given = ModelOptions.from_mapping(options)
        if numbers_alone(source):
            return given.of(Milp(read_assignment(source, given.sense), tuple(source.assumed)))
        check_known(options, ("groups",), "MPS and LP files")
        read = _reader_of(source.single("one model"))
        if read is None:
            first = next((line.strip() for line in source.lines if line.strip()), "")
            from matheur.linear.lp_sections import other_form

            raise source.error(other_form(first) or f"neither an MPS nor an LP file: it begins with {shown(first)}")
        try:
            model = read(source)
        except InputError as error:
            raise error.located(source.name) from None
        return given.of(Milp(model, tuple(source.assumed)))

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> Milp:
        """A built-in program by name; the option is `groups`."""
        check_known(options, ("groups",), "built-in programs")
        return ModelOptions.from_mapping(options).of(Milp(builtin(name)))

    def read_solution(self, problem: Milp, source: Source) -> NDArray[np.float64]:
        """Values in JSON or in a `.sol` file; missing values are 0, nearly integral ones are rounded."""
        try:
            if source.text.lstrip()[:1] == "{":
                data = source.json
                return problem.decode(data.get("solution", data) if isinstance(data, dict) else data)
            named = read_solution(source.lines, problem.model).named
            return rounded(problem.model, values_of(problem.model, named)[0])
        except InputError as error:
            raise error.located(source.name) from None

    def stated_objective(self, source: Source) -> float | None:
        """The objective that a `.sol` file states for its solution; None if it states none, or is JSON."""
        return None if source.text.lstrip()[:1] == "{" else objective_of(source.lines)

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random program as an MPS file, or an LP file if its name says so; its solution is a simple plan.

        Options are `kind` (see `matheur.problems.milp.generator`, `lot-sizing` if missing), `size` (such as 20x50), and
        the sizes and options of the kind by name.

        Raises
        ------
        ConfigurationError
            If an option is unknown or makes no sense.
        """
        from matheur.problems.milp.model_files import FORMS

        check_seed(seed)
        model, plan = generate(*chosen(options), seed)
        problem = Milp(for_files(model))
        objective = problem.score(problem.evaluate(plan).objective)
        forms = {".lp": lambda: _text(FORMS[".lp"](problem))}
        return Generated(_text(FORMS[".mps"](problem)), problem.encode(plan), objective, forms=forms)


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _reader_of(source: Source) -> Callable[[Source], LinearModel] | None:
    """The reader of a source by its content."""
    try:
        head = Source(source.name, source.data[:_HEAD])
        if looks_like_mps(head.lines):
            return lambda one: read_mps(one.lines, one.assume)
        # Their patterns compile slowly.
        from matheur.linear.lp_reader import read_lp
        from matheur.linear.lp_sections import begins_like_lp, looks_like_lp

        # The rows may come after an objective of any length.
        if begins_like_lp(head.text) and looks_like_lp(source.text):
            return lambda one: read_lp(one.text, one.assume)
    except InputError:
        pass
    return None


TYPE = MilpType()
