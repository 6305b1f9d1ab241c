"""Names of vertices in a file: numbers other than 1 to n, or words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, printable, shown
from matheur.methods.clique.formats.whole_numbers import whole_numbers
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["GraphFile", "Names", "names_of", "spoken"]


@dataclass(frozen=True, eq=False, slots=True)
class Names:
    """The name of each vertex.

    Attributes
    ----------
    labels
        Distinct names: whole numbers, ascending; or words in the order of the vertices.
    """

    labels: NDArray[np.int64] | tuple[str, ...]
    _places: dict[str, int] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.labels)

    def name(self, vertex: int) -> int | str:
        """The name of a vertex."""
        found = self.labels[vertex]
        return found if isinstance(found, str) else int(found)

    def vertex(self, name: object) -> int | None:
        """The vertex of this name, None if there is none; a number also matches a word of the same digits."""
        if isinstance(self.labels, tuple):
            if not self._places:
                self._places.update((label, place) for place, label in enumerate(self.labels))
            word = str(name) if type(name) is int else name
            return self._places.get(word) if isinstance(word, str) else None
        if type(name) is not int or not -(1 << 63) <= name < 1 << 63:
            return None
        place = int(np.searchsorted(self.labels, name))
        return place if place < len(self.labels) and self.labels[place] == name else None

    @property
    def words(self) -> bool:
        """Whether the names are words."""
        return isinstance(self.labels, tuple)

    def hint(self, name: object) -> str:
        """Hint for a name that no vertex has: the range of names, or the nearest name."""
        if not len(self.labels):
            return "there are none"
        if isinstance(self.labels, tuple):
            close = get_close_matches(str(name)[:100], self.labels[:10_000], n=1, cutoff=0.6)
            return f"Maybe {shown(close[0])}?" if close else f"they are named, such as {shown(self.labels[0])}"
        low, high = int(self.labels[0]), int(self.labels[-1])
        whole = high - low + 1 == len(self.labels)
        return f"they are {low} to {high}" if whole else f"they are {len(self.labels):,} numbers from {low} to {high}"

    def digest(self) -> bytes:
        """The names as bytes, for a fingerprint."""
        if isinstance(self.labels, tuple):
            return "\0".join(self.labels).encode("utf-8", "surrogatepass")
        return self.labels.tobytes()


@dataclass(frozen=True, eq=False, slots=True)
class GraphFile:
    """Contents of a graph file.

    Attributes
    ----------
    graph
        The graph.
    names
        Names of the vertices; None if they are 1 to n.
    weights
        Weights of vertices as written in the file, each with its line number if it is known; None if there are none.
    conflicts
        Whether the edges of the file are the pairs that are not joined.
    demands
        Whether the weights look like numbers of colours, as in a colouring problem whose edges have distances.
    by_edges
        Whether the vertices are those that edges name, so that there may be others, which have no edge.
    """

    graph: AnyGraph
    names: Names | None = None
    weights: Mapping[int, tuple[str, int | None]] | None = None
    conflicts: bool = False
    demands: bool = False
    by_edges: bool = False

    def vertex(self, word: str) -> int | None:
        """The vertex with a name given as text, None if there is none."""
        whole = re.fullmatch(r"-?[0-9]{1,18}", word) is not None
        if self.names is not None:
            return self.names.vertex(int(word) if whole and not self.names.words else word)
        return int(word) - 1 if whole and 1 <= int(word) <= self.graph.n else None


def spoken(name: Any) -> str:
    """A name for display, in quotes (doubled inside) if it would be ambiguous in a list of names."""
    text = printable(str(name))
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if isinstance(name, str) and (not text or any(c in text for c in ' ,;"')) else text


def names_of(
    source: Source, keys: Sequence[object], labels: Sequence[object]
) -> tuple[NDArray[np.int64], Names | None]:
    """The vertex of each node of a file, and the names of the vertices.

    Parameters
    ----------
    keys
        Identifier of each node.
    labels
        Label of each node, None if it has none. The names are the labels if all nodes have one and all differ.

    Raises
    ------
    InputError
        If two identifiers are the same.
    """
    words = [str(key) for key in keys]
    said = [str(label).strip() for label in labels if label is not None]
    if len(said) == len(words) and all(said) and len(set(said)) == len(said) and said != words:
        words = said
        source.assume("vertices are named by their labels")
    if len(set(words)) < len(words):
        raise InputError("two vertices have the same identifier")
    numbers = whole_numbers(words)
    if numbers is None:
        return np.arange(len(words), dtype=np.int64), Names(tuple(words))
    order = np.argsort(numbers)
    rank = np.empty(len(words), dtype=np.int64)
    rank[order] = np.arange(len(words))
    names = None if np.array_equal(numbers[order], np.arange(1, len(words) + 1)) else Names(numbers[order])
    return rank, names
