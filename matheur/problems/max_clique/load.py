"""One call from a file name to a problem."""

from __future__ import annotations

from pathlib import Path

from matheur.problems.max_clique.formats import read_graph
from matheur.problems.max_clique.problem import MaxClique
from matheur.problems.source import open_source

__all__ = ["load"]


def load(path: str | Path, *, complement: bool | None = None) -> MaxClique:
    """The problem in a graph file of any format, see `matheur.problems.max_clique.formats`.

    Raises
    ------
    InputError
        If it cannot be read or understood.
    """
    source = open_source(path)
    found = read_graph(source, complement=complement)
    return MaxClique(found.graph, Path(path).name, tuple(source.assumed), found.names)
