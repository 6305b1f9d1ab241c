"""Lights Out as the command line sees it: recognise, read, make and draw."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.lights_out.builtin import BUILTINS, builtin
from matheur.problems.lights_out.formats import (
    ReadOptions,
    looks_like_instance,
    read_instance,
    read_solution,
    write_board,
)
from matheur.problems.lights_out.generator import generate
from matheur.problems.lights_out.picture import picture
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.port import Generated, Recognition, Source
from matheur.problems.type_options import check_known, check_seed, whole

__all__ = ["TYPE", "LightsOutType"]

_GENERATE_OPTIONS = ("size", "pattern", "presses")


class LightsOutType:
    """Implements `matheur.problems.port.ProblemType` for Lights Out boards."""

    name = "lights-out"
    summary = "press cells, each of which toggles itself and its neighbours, until all lights are off"

    def recognises(self, source: Source) -> Recognition:
        """How surely the content is a board; never raises."""
        return looks_like_instance(source)

    def read(self, source: Source, options: Mapping[str, Any]) -> LightsOut:
        """The board in a text file; `options` are those of `ReadOptions`."""
        instance = read_instance(source, ReadOptions.from_mapping(options))
        return LightsOut(instance, tuple(source.assumed))

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in boards, with a line each."""
        return BUILTINS

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> LightsOut:
        """A built-in board by name; with the option `pattern`, played with another pattern."""
        pattern = ReadOptions.from_mapping(options).pattern
        instance = builtin(name)
        return LightsOut(instance if pattern is None else replace(instance, pattern=pattern))

    def read_solution(self, problem: LightsOut, source: Source) -> NDArray[np.int32]:
        """Presses in JSON or plain text."""
        return read_solution(problem, source)

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable board; its score is the number of the hidden presses, rarely the fewest.

        Options are `size` ("7" or "5x8"; 7 if missing), `pattern` (`plus`, `king`) and `presses`, how many random
        cells were pressed.

        Raises
        ------
        ConfigurationError
            If an option is unknown or makes no sense.
        """
        check_known(options, _GENERATE_OPTIONS, "the lights-out generator")
        check_seed(seed)
        rows, columns = _size(options.get("size", 7))
        presses = whole(options, "presses", 6)
        instance, hidden = generate(rows, columns, seed=seed, pattern=options.get("pattern", "plus"), presses=presses)
        return Generated(write_board(instance), LightsOut(instance).encode(hidden), len(hidden))

    def picture(self, problem: LightsOut, solution: NDArray[np.int32] | None, kind: str) -> bytes:
        """The board with the cells to press, as `svg`, `png`, `html` (press by press) or `text`."""
        return picture(problem, solution, kind)


TYPE = LightsOutType()


def _size(value: Any) -> tuple[int, int]:
    match = re.fullmatch(r"\s*([0-9]{1,4})(?:\s*[xX,]\s*([0-9]{1,4}))?\s*", str(value))
    if match is None:
        raise ConfigurationError(f"size must be N or ROWSxCOLUMNS ({value!r}). Maybe '5x8'?")
    return int(match[1]), int(match[2] or match[1])
