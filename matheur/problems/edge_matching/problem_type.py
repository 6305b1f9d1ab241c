"""Edge matching for the command line: recognise, read, generate and draw puzzles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from matheur.engine.problem_type import Generated
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, nearest
from matheur.problems.edge_matching.builtin import builtin
from matheur.problems.edge_matching.formats import (
    ReadOptions,
    claim,
    read_board,
    read_instance,
    write_bucas,
    write_json,
    write_piece_list,
)
from matheur.problems.edge_matching.formats.bucas import with_hints_of
from matheur.problems.edge_matching.formats.options import merge_hints
from matheur.problems.edge_matching.generator import generate
from matheur.problems.edge_matching.instance import Board
from matheur.problems.edge_matching.picture import picture
from matheur.problems.edge_matching.problem import EdgeMatching
from matheur.problems.edge_matching.rules import VARIANTS
from matheur.problems.edge_matching.variant_generator import generate_variant
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.type_options import whole

__all__ = ["TYPE", "EdgeMatchingType"]

_SIZE = re.compile(r"\s*([0-9]{1,4})\s*(?:[xX,]\s*([0-9]{1,4})\s*)?")


class EdgeMatchingType(SimpleType[EdgeMatching]):
    """Implements `matheur.engine.problem_type.ProblemType` for edge-matching puzzles."""

    name = "edge-matching"
    summary = "place square pieces so that as many inner edges as possible match (Eternity II)"
    problem = EdgeMatching
    formats = (Format(claim, read_instance),)
    options = ReadOptions
    instances = builtin
    generator_options = ("frame_colours", "inner_colours", "size", "unique", "variant")
    pictures = picture

    def load(self, origin: str | Path | Source, **options: Any) -> EdgeMatching:
        """Read a puzzle from a file, a `Source`, or the URL of a board (a text that starts with `http`)."""
        if isinstance(origin, str) and origin.lower().startswith(("http:", "https:")):
            origin = Source("<url>", origin.encode("utf-8", "surrogatepass"))
        return super().load(origin, **options)

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> EdgeMatching:
        """A built-in puzzle by name; of the options of `read`, only `hints` applies."""
        given = ReadOptions.from_mapping(options)
        if given != ReadOptions(hints=given.hints, link=given.link):
            raise ConfigurationError("a built-in puzzle needs no sides, size_order, rows, columns or variant")
        instance = builtin(name)
        hints = merge_hints(instance.rows, instance.columns, [], given.hints, name)
        return EdgeMatching(with_hints_of(replace(instance, hints=hints), given.link))

    def read_solution(self, problem: EdgeMatching, source: Source) -> Board:
        """Read a board in any supported format."""
        return read_board(problem.instance, source)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """Generate a random solvable puzzle as a piece list, or a variant as JSON, which states its rules.

        Options are `size` ("ROWSxCOLUMNS" or one number, 8 if missing), `frame_colours`, `inner_colours`, `unique` and
        `variant` (`framed` if missing); without a frame, `frame_colours` does not apply.

        Raises
        ------
        ConfigurationError
            If an option is invalid.
        """
        rows, columns = _size(options.get("size"))
        unique = options.get("unique")
        if unique is not None and not isinstance(unique, bool):
            raise ConfigurationError(f"unique must be true or false ({unique!r})")
        variant = options.get("variant", "framed")
        if variant not in tuple(VARIANTS):
            raise ConfigurationError(f"unknown variant {variant!r}. {nearest(str(variant), VARIANTS)}")
        if variant != "framed":
            if options.get("frame_colours") is not None:
                raise ConfigurationError(f"a puzzle of the variant {variant!r} has no frame, and no frame_colours")
            instance, board = generate_variant(
                rows,
                columns,
                VARIANTS[variant],
                colours=whole(options, "inner_colours", 4),
                seed=seed,
                unique=unique is not False,
            )
            problem = EdgeMatching(instance)
            return Generated(write_json(instance), problem.encode(board), problem.score_max)
        instance, board = generate(
            rows,
            columns,
            frame_colours=whole(options, "frame_colours", 4),
            inner_colours=whole(options, "inner_colours", 4),
            seed=seed,
            unique=unique is not False,
        )
        problem = EdgeMatching(instance)
        return Generated(write_piece_list(instance), problem.encode(board), problem.score_max)

    def url(self, problem: EdgeMatching, solution: Board) -> str:
        """The URL of the board in the viewer e2.bucas.name."""
        return write_bucas(problem.instance, solution)


TYPE = EdgeMatchingType()


def _size(value: Any) -> tuple[int, int]:
    if value is None:
        return 8, 8
    match = _SIZE.fullmatch(str(value))
    if match is None:
        raise ConfigurationError(f"size must be ROWSxCOLUMNS or one number ({value!r}). Maybe '8x8'?")
    return int(match[1]), int(match[2] or match[1])
