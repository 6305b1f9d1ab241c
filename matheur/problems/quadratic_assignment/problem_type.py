"""Quadratic assignment as the command line sees it: recognise, read, make and draw."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_type import Generated
from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.problems.quadratic_assignment.builtin import builtin
from matheur.problems.quadratic_assignment.formats import (
    claim,
    read_instance,
    write_dat,
)
from matheur.problems.quadratic_assignment.generator import generate
from matheur.problems.quadratic_assignment.json_form import claim_json, read_json
from matheur.problems.quadratic_assignment.picture import picture
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment
from matheur.problems.quadratic_assignment.sections import claim_sections, read_sections
from matheur.problems.quadratic_assignment.solutions import read_solution
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.type_options import FileOptions

__all__ = ["TYPE", "QuadraticAssignmentType"]

_SIZE = re.compile(r"\s*([0-9]{1,4})\s*(?:[xX,]\s*([0-9]{1,4})\s*)?")
_ON_GRIDS = ("grid", "planted")


class _NoOptions(FileOptions):
    files = "quadratic-assignment files"


class QuadraticAssignmentType(SimpleType[QuadraticAssignment]):
    """Implements `matheur.engine.problem_type.ProblemType` for quadratic assignment."""

    name = "quadratic-assignment"
    summary = "put facilities on locations so that the sum of flow times distance is least (QAPLIB)"
    problem = QuadraticAssignment
    formats = (
        Format(claim, lambda source, _: read_instance(source)),
        Format(claim_sections, lambda source, _: read_sections(source)),
        Format(claim_json, lambda source, _: read_json(source)),
    )
    options = _NoOptions
    instances = builtin
    generator_options = ("kind", "size")
    pictures = picture

    def read_solution(self, problem: QuadraticAssignment, source: Source) -> NDArray[np.int32]:
        """A permutation from a QAPLIB solution, a plain list or JSON."""
        return read_solution(problem, source)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random instance as a QAPLIB file; its solution is optimal for kind `planted` and good for the others.

        Options are `kind` (see `matheur.problems.quadratic_assignment.generator`, `grid` if missing) and `size` (n, 12
        if missing, or ROWSxCOLUMNS of a grid).

        Raises
        ------
        ConfigurationError
            If an option is invalid.
        """
        kind = options.get("kind", _ON_GRIDS[0])
        instance, solution = generate(kind, _size(options.get("size"), kind), seed=seed)
        problem = QuadraticAssignment(instance)
        return Generated(write_dat(instance), problem.encode(solution), problem.evaluate(solution).objective)


TYPE = QuadraticAssignmentType()


def _size(value: Any, kind: Any) -> int | tuple[int, int]:
    if value is None:
        return 12
    match = _SIZE.fullmatch(str(value))
    if match is None:
        raise ConfigurationError(f"size must be n, or ROWSxCOLUMNS of a grid ({value!r}). Maybe '5x6'?")
    if match[2] is None:
        return int(match[1])
    if kind not in _ON_GRIDS:
        raise ConfigurationError(f"an instance of kind {kind!r} has no rows and columns ({value!r}). Maybe '30'?")
    return int(match[1]), int(match[2])
