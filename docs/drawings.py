"""Draw the pictures of docs/problems/edge-matching.md: the cells that neighbourhoods and region models free.

    python docs/drawings.py

The pictures are written to docs/images. The operators themselves select the cells. The pictures correspond to Figures 2
and 3 of Salassa et al. 2017.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from matheur.models.edge_matching.border import ring
from matheur.problems.edge_matching import Instance, generate
from matheur.problems.edge_matching.operators.board_tools import cell_groups
from matheur.problems.edge_matching.operators.milp_greedy import Regions
from matheur.problems.edge_matching.operators.proof_windows import window_cells
from matheur.problems.edge_matching.picture.palette import BACKGROUND, EMPTY_CELL, colour_of

__all__ = ["drawings", "figure2", "figure3"]

IMAGES = Path(__file__).resolve().parent / "images"
SIZE = 8
CELL, MARGIN, TEXT = 20, 10, 20
TRIANGLES = ("h20l-10 10z", "m20 0v20l-10-10z", "m20 20h-20l10-10z", "m0 20v-20l10 10z")  # up, right, down, left


def figure2(instance: Instance) -> dict[str, list[int]]:
    """Return the cells that the region model treats as filled before (`laid`) and as free; the others stay empty."""
    blocks = Regions("blocks", 4, 4).cut(instance, np.random.default_rng(0))
    return {"laid": blocks[0].tolist(), "free": blocks[1].tolist()}


def figure3(instance: Instance) -> dict[str, list[int]]:
    """Return the cells that one call of each neighbourhood frees, by name of the neighbourhood."""
    window = window_cells(instance, 6, 6)
    row, column = np.divmod(np.arange(instance.cells), instance.columns)
    inner = np.flatnonzero(cell_groups(instance) == 0)
    apart = _apart(instance, inner, 8)
    return {
        "border [BO]": sorted(ring(instance).tolist()),
        "region [RO]": window[len(window) // 2].tolist(),
        "assignment [TA]": apart,
        "checkerboard [BW]": np.flatnonzero((row + column) % 2 == 0).tolist(),
        "swap-rotate [TSR]": [int(inner[7]), int(inner[28])],
    }


def _apart(instance: Instance, cells: np.ndarray, count: int) -> list[int]:
    """Choose cells of which no two are adjacent."""
    chosen: list[int] = []
    for cell in np.random.default_rng(4).permutation(cells).tolist():
        if not set(instance.neighbours[cell].tolist()) & set(chosen):
            chosen.append(cell)
    return sorted(chosen[:count])


def drawings() -> Mapping[str, str]:
    """Return the SVG texts by file name."""
    instance, board = generate(SIZE, SIZE, seed=2)
    two, three = figure2(instance), figure3(instance)
    shown = {**two, "later": sorted(set(range(instance.cells)) - set(two["laid"]) - set(two["free"]))}
    return {
        "region-model.svg": _page(
            "The region model: 16 of the 48 pieces that are left fill the outlined cells",
            instance, board, [("", shown["free"], shown["free"] + shown["later"])],
        ),
        "neighbourhoods.svg": _page(
            "What each neighbourhood frees of a board; the veiled pieces stay where they are",
            instance, board, [(name, cells, []) for name, cells in three.items()],
        ),
    }  # fmt: skip


def _page(title: str, instance: Instance, board: np.ndarray, panels: Iterable[tuple[str, list[int], list[int]]]) -> str:
    """Draw boards in a row, each with a heading, outlined cells and empty cells."""
    panels = list(panels)
    side = SIZE * CELL
    width, height = len(panels) * (side + MARGIN) + MARGIN, side + 2 * MARGIN + TEXT
    colours = sorted({int(colour) for colour in np.unique(instance.sides[board])})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img">',
        f"<title>{title}</title>",
        "<style>"
        + "".join(f".k{colour}{{fill:{colour_of(colour)}}}" for colour in colours)
        + "path{stroke:#222;stroke-width:.3}text{font:12px sans-serif}.veil{fill:#fff;fill-opacity:.68}"
        f".hole{{fill:{EMPTY_CELL};stroke:#bbb;stroke-width:.5}}.free{{fill:none;stroke:#c00000;stroke-width:2}}"
        ".way{fill:none;stroke:#c00000;stroke-width:2;marker-start:url(#tip);marker-end:url(#tip)}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" '
        'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="#c00000" stroke="none"/></marker><g id="board">',
        *(_piece(instance, board, cell) for cell in range(instance.cells)),
        "</g></defs>",
        f'<rect width="{width}" height="{height}" fill="{BACKGROUND}"/>',
    ]
    for number, (name, free, empty) in enumerate(panels):
        x, y = MARGIN + number * (side + MARGIN), MARGIN + TEXT
        parts.append(f'<text x="{x}" y="{MARGIN + 12}">{name or "rows 1-4, columns 5-8"}</text>')
        parts.append(f'<g transform="translate({x} {y})"><use href="#board"/>')
        parts += [_square("veil", cell, 0) for cell in range(instance.cells) if cell not in free + empty]
        parts += [_square("hole", cell, 0) for cell in empty]
        parts += [_square("free", cell, 1) for cell in free]
        if len(free) == 2:
            (r, c), (s, d) = (divmod(cell, SIZE) for cell in free)
            middle = CELL // 2
            start, end = (c * CELL + middle, r * CELL + middle), (d * CELL + middle, s * CELL + middle)
            parts.append(f'<path class="way" d="M{start[0]} {start[1]}Q{end[0]} {start[1]} {end[0]} {end[1]}"/>')
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _piece(instance: Instance, board: np.ndarray, cell: int) -> str:
    row, column = divmod(cell, SIZE)
    sides = instance.sides[board[cell]].tolist()
    return "".join(
        f'<path class="k{colour}" d="M{column * CELL} {row * CELL}{shape}"/>'
        for colour, shape in zip(sides, TRIANGLES, strict=True)
    )


def _square(kind: str, cell: int, inset: int) -> str:
    row, column = divmod(cell, SIZE)
    size = CELL - 2 * inset
    return f'<rect class="{kind}" x="{column * CELL + inset}" y="{row * CELL + inset}" width="{size}" height="{size}"/>'


def main() -> None:
    """Write the files."""
    for name, text in drawings().items():
        (IMAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
