"""Headers of edge lists: the words that name the two ends of an edge."""

from __future__ import annotations

import re

__all__ = ["header_columns", "is_title"]

_PAIRS = {
    "source": "target", "sourceid": "targetid", "sourcenode": "targetnode", "src": "dst",
    "sourcevertex": "targetvertex",
    "from": "to", "fromnode": "tonode", "fromid": "toid", "fromnodeid": "tonodeid", "fromvertex": "tovertex",
    "u": "v", "i": "j", "node1": "node2", "vertex1": "vertex2", "v1": "v2", "n1": "n2", "id1": "id2",
    "nodea": "nodeb", "vertexa": "vertexb", "start": "end", "tail": "head", "nodeid1": "nodeid2", "name1": "name2",
}  # fmt: skip


def header_columns(row: list[str]) -> tuple[int, int] | None:
    """The columns of a header that names the two ends of an edge, such as `source,target,weight`."""
    said = [re.sub(r"[^a-z0-9]", "", word.lower()) for word in row]
    for first, word in enumerate(said):
        other = _PAIRS.get(word)
        if other is not None and other in said:
            return first, said.index(other)
    if "src" in said and "dest" in said:
        return said.index("src"), said.index("dest")
    return None


def is_title(row: list[str]) -> tuple[int, int] | None:
    """The columns of the ends for a header in front of rows of numbers: the named ones, else the first two columns.

    None if the row may be an edge.
    """
    columns = header_columns(row)
    if columns is None and len(row) > 1 and not any(any(c.isdigit() for c in word) for word in row[:2]):
        columns = (0, 1)
    return columns
