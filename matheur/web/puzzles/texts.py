"""Instances as the text of a file, to be edited and read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["companions_of", "options_beside", "text_of"]

_VERTICES_MAX = 300  # of graphs that are shown as text
_TABLE = "cards.csv"
_BESIDE = {"sokoban": ("cost",)}  # what an instance has by an option of its reader alone


def text_of(problem: Any) -> str | None:
    """The instance as its reader takes it, None where that is nothing to edit by hand."""
    write = _WRITERS.get(problem.name)
    return None if write is None else write(problem)


def options_beside(problem: str, options: str) -> str:
    """What is left of the options of a reader (`key=value` in lines) for a text that `text_of` has written.

    The others say how another file was laid out, or which of its levels was meant, or stand in the text.
    """
    kept = _BESIDE.get(problem, ())
    return "\n".join(line for line in options.splitlines() if line.partition("=")[0].strip() in kept)


def companions_of(problem: Any) -> dict[str, str]:
    """Further files that the text names: the table of a party's items."""
    if problem.name != "party":
        return {}
    from matheur.problems.party.formats.writer import write_puzzle

    return {_TABLE: write_puzzle(problem.instance, _TABLE)[1]}


def _edge_matching(problem: Any) -> str:
    from matheur.problems.edge_matching.formats import write_json

    return write_json(problem.instance)


def _max_clique(problem: Any) -> str | None:
    from matheur.methods.clique.formats.dimacs_ascii import chunks

    if problem.graph.n > _VERTICES_MAX or problem.names is not None:  # the text would lose the names
        return None
    return b"".join(chunks(problem.graph, "")).decode()


def _cubical(problem: Any) -> str:
    from matheur.problems.cubical.formats import write_toml

    return write_toml(problem.instance)


def _sliding_tile(problem: Any) -> str:
    from matheur.problems.sliding_tile.formats import write_board

    return write_board(problem.instance)


def _lights_out(problem: Any) -> str:
    from matheur.problems.lights_out.formats import write_board

    return write_board(problem.instance)


def _sokoban(problem: Any) -> str:
    from matheur.problems.sokoban.formats import write_level

    return write_level(problem.instance)


def _rubik(problem: Any) -> str:
    from matheur.problems.rubik.formats import write_cube

    return write_cube(problem.instance)


def _party(problem: Any) -> str:
    from matheur.problems.party.formats.writer import write_puzzle

    return write_puzzle(problem.instance, _TABLE)[0]


def _quadratic_assignment(problem: Any) -> str:
    from matheur.problems.quadratic_assignment.formats import write_dat

    return write_dat(problem.instance)


_WRITERS: Mapping[str, Callable[[Any], str | None]] = {
    "cubical": _cubical,
    "edge-matching": _edge_matching,
    "lights-out": _lights_out,
    "max-clique": _max_clique,
    "party": _party,
    "quadratic-assignment": _quadratic_assignment,
    "rubik": _rubik,
    "sliding-tile": _sliding_tile,
    "sokoban": _sokoban,
}
