"""Edge matching as the command line sees it: recognise, read, make and draw."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.builtin import BUILTINS, builtin
from matheur.problems.edge_matching.formats import (
    ReadOptions,
    claim,
    read_board,
    read_instance,
    write_bucas,
    write_piece_list,
)
from matheur.problems.edge_matching.formats.options import merge_hints
from matheur.problems.edge_matching.generator import generate
from matheur.problems.edge_matching.instance import Board
from matheur.problems.edge_matching.picture import picture
from matheur.problems.edge_matching.problem import EdgeMatching
from matheur.problems.port import Generated, Recognition, Source
from matheur.problems.type_options import check_known, check_seed, whole

__all__ = ["TYPE", "EdgeMatchingType"]

_GENERATE_OPTIONS = ("frame_colours", "inner_colours", "size", "unique")
_SIZE = re.compile(r"\s*([0-9]{1,4})\s*(?:[xX,]\s*([0-9]{1,4})\s*)?")


class EdgeMatchingType:
    """Implements `matheur.problems.port.ProblemType` for edge-matching puzzles."""

    name = "edge-matching"
    summary = "place square pieces so that as many inner edges as possible match (Eternity II)"

    def recognises(self, source: Source) -> Recognition:
        """How surely the content is a puzzle; never raises."""
        return claim(source)

    def read(self, source: Source, options: Mapping[str, Any]) -> EdgeMatching:
        """The puzzle in a file; `options` are those of `ReadOptions`."""
        instance = read_instance(source, ReadOptions.from_mapping(options))
        return EdgeMatching(instance, tuple(source.assumed))

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in puzzles, with a line each."""
        return BUILTINS

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> EdgeMatching:
        """A built-in puzzle by name; of the options of `read`, only `hints` make sense."""
        given = ReadOptions.from_mapping(options)
        if given != ReadOptions(hints=given.hints):
            raise ConfigurationError("a built-in puzzle needs no sides, size_order, rows or columns")
        instance = builtin(name)
        hints = merge_hints(instance.rows, instance.columns, [], given.hints, name)
        return EdgeMatching(replace(instance, hints=hints))

    def read_solution(self, problem: EdgeMatching, source: Source) -> Board:
        """A board from any format of the field."""
        return read_board(problem.instance, source)

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable puzzle as a piece list.

        Options are `size` ("ROWSxCOLUMNS" or one number, 8 if missing), `frame_colours`, `inner_colours`, `unique`.

        Raises
        ------
        ConfigurationError
            If an option is unknown or makes no sense.
        """
        check_known(options, _GENERATE_OPTIONS, "the edge-matching generator")
        rows, columns = _size(options.get("size"))
        unique = options.get("unique")
        if unique is not None and not isinstance(unique, bool):
            raise ConfigurationError(f"unique must be true or false ({unique!r})")
        instance, board = generate(
            rows,
            columns,
            frame_colours=whole(options, "frame_colours", 4),
            inner_colours=whole(options, "inner_colours", 4),
            seed=check_seed(seed),
            unique=unique is not False,
        )
        problem = EdgeMatching(instance)
        return Generated(write_piece_list(instance), problem.encode(board), problem.score_max)

    def picture(self, problem: EdgeMatching, solution: Board | None, kind: str) -> bytes:
        """The board, or the pieces if there is none, as `svg`, `png`, `html` or `text`."""
        return picture(problem, solution, kind)

    def url(self, problem: EdgeMatching, solution: Board) -> str:
        """The board in the viewer e2.bucas.name."""
        return write_bucas(problem.instance, solution)


TYPE = EdgeMatchingType()


def _size(value: Any) -> tuple[int, int]:
    if value is None:
        return 8, 8
    match = _SIZE.fullmatch(str(value))
    if match is None:
        raise ConfigurationError(f"size must be ROWSxCOLUMNS or one number ({value!r}). Maybe '8x8'?")
    return int(match[1]), int(match[2] or match[1])
