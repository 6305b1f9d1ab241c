"""Pictures of linear programs: the pattern of the coefficients (SVG, HTML, PNG), and sizes and types as text."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import printable
from matheur.linear.coupling import coupling_of
from matheur.linear.decimals import nearest_float
from matheur.linear.groups import Family
from matheur.problems.milp.problem import Milp
from matheur.problems.pictures import Pictures, blank_figure, png_of

__all__ = ["picture"]

_SIZE = 480  # points along the longer side
_CELLS = 120
_LINE = 84  # characters that fit under the picture
_FAMILIES = 6  # that are listed
_PLACES = 4
_PAPER, _INK = "f4f4f4", "20435c"


@dataclass(frozen=True, slots=True)
class _Scene:
    problem: Milp
    solution: NDArray[np.float64] | None


def _facts(scene: _Scene) -> list[tuple[str, str]]:
    """Facts about a model, as names and values."""
    model = scene.problem.model
    equal = model.row_lower == model.row_upper
    both = np.isfinite(model.row_lower) & np.isfinite(model.row_upper) & ~equal
    general = model.integral & ~model.binary
    size = np.abs(model.data)
    facts = [
        ("model", printable(model.title) or "without a name"),
        ("sense", "maximise" if model.maximise else "minimise"),
        ("rows", f"{model.height:,} ({int(equal.sum()):,} equations, {int(both.sum()):,} with two limits)"),
        (
            "columns",
            f"{model.width:,} ({int(model.binary.sum()):,} binary, {int(general.sum()):,} integer, "
            f"{int((~model.integral).sum()):,} continuous)",
        ),
        ("coefficients", f"{len(model.data):,}" + (f", {size.min():.3g} to {size.max():.3g}" if len(size) else "")),
    ]
    facts += _groups(scene.problem)
    if scene.solution is not None:
        found = scene.problem.assessed(scene.solution)
        facts += [("objective", repr(nearest_float(found.objective))), ("holds", found.level.value)]
        facts += [("off by most", printable(str(violation))) for violation in found.violations[:1]]
    return facts


def _groups(problem: Milp) -> list[tuple[str, str]]:
    """The families of columns, the ones that operators use first."""
    used = problem.families
    others = [family for family in problem.index.families if family not in used]
    facts = []
    if not problem.declared and not used[0].places:
        facts = [("groups", "the names show no useful ones: each integer column is one, in their order")]
        used = ()
    listed = [*used, *others]
    facts += [(f"groups {printable(family.name)}", _described(problem, family)) for family in listed[:_FAMILIES]]
    left = len(listed) - _FAMILIES
    return [*facts, *([("groups", f"and {left} more kinds")] if left > 0 else [])]


def _described(problem: Milp, family: Family) -> str:
    found = coupling_of(problem.model, family)
    also = [printable(place) for place in family.places if place != family.name]
    more = [f"{len(also) - _PLACES} more"] if len(also) > _PLACES else []
    columns = f"{int((family.of >= 0).sum()):,} columns ({found.integers:,} integer)"
    rows = f"{found.inside:,} rows inside, {found.across:,} across"
    return (
        (f"also {', '.join(also[:_PLACES] + more)}; " if also else "")
        + f"{len(family.values):,} values, {columns}, {rows}"
        + (", like periods" if found.time_like(family) else "")
    )


def _text(scene: _Scene) -> str:
    facts = _facts(scene)
    width = max(len(name) for name, _ in facts)
    return "".join(f"{name:<{width}}  {value}\n" for name, value in facts)


def _cells(problem: Milp) -> NDArray[np.int64]:
    """Coefficients in each cell of a grid over the matrix."""
    model = problem.model
    tall, wide = min(_CELLS, max(1, model.height)), min(_CELLS, max(1, model.width))
    row = model.rows * tall // max(1, model.height)
    column = model.columns.astype(np.int64) * wide // max(1, model.width)
    return np.bincount(row * wide + column, minlength=tall * wide).reshape(tall, wide)


def _wrapped(facts: list[tuple[str, str]]) -> list[str]:
    """The lines under the picture."""
    return [line for name, value in facts for line in wrap(f"{name}: {value}", _LINE, subsequent_indent="\N{EM SPACE}")]


def _svg(scene: _Scene) -> str:
    cells = _cells(scene.problem)
    tall, wide = cells.shape
    side = _SIZE / max(tall, wide)
    most = max(1, int(cells.max(initial=1)))
    parts = []
    for row, column in np.argwhere(cells).tolist():
        shade = float(_shade(cells[row, column], most))
        parts.append(
            f'<rect x="{column * side:.2f}" y="{row * side:.2f}" width="{side:.2f}" height="{side:.2f}" '
            f'fill-opacity="{shade:.2f}"/>'
        )
    facts = _facts(scene)
    lines = _wrapped(facts)
    height = tall * side + 20 * len(lines) + 16
    texts = "".join(
        f'<text x="0" y="{tall * side + 24 + 20 * number:.1f}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 {_SIZE + 96} {height + 8:.0f}" '
        f'font-family="sans-serif" font-size="13"><title>{escape(facts[0][1])}</title>'
        f'<rect x="0" y="0" width="{wide * side:.2f}" height="{tall * side:.2f}" fill="#{_PAPER}" stroke="#999"/>'
        f'<g fill="#{_INK}">{"".join(parts)}</g>{texts}</svg>\n'
    )


def _shade(cells: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """Opacity of the colour of cells with coefficients."""
    return 0.25 + 0.75 * np.log1p(cells) / np.log1p(most)


def _png(scene: _Scene) -> bytes:
    """The same picture as the SVG, drawn with matplotlib."""
    cells = _cells(scene.problem)
    tall, wide = cells.shape
    side = _SIZE / max(tall, wide)
    facts = _facts(scene)
    lines = _wrapped(facts)
    width, height = _SIZE + 96, tall * side + 20 * len(lines) + 24
    figure = blank_figure("linear programs", (width / 96, height / 96))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-8, width - 8), ylim=(height - 8, -8))
    axes.axis("off")
    strength = np.where(cells > 0, _shade(cells, max(1, int(cells.max(initial=1)))), 0)[:, :, None]
    paper, ink = (np.array([int(colour[i : i + 2], 16) for i in (0, 2, 4)]) / 255 for colour in (_PAPER, _INK))
    axes.imshow(
        paper + (ink - paper) * strength, extent=(0, wide * side, tall * side, 0), interpolation="nearest",
        aspect="auto",
    )  # fmt: skip
    for number, line in enumerate(lines):
        axes.text(0, tall * side + 24 + 20 * number, line, fontsize=0.72 * 13, va="baseline", parse_math=False)
    return png_of(figure, facts[0][1])


def _html(scene: _Scene) -> str:
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Linear program</title>'
        f"<body>{_svg(scene)}</body></html>\n"
    )


def _scene(problem: Any, solution: Any | None) -> _Scene:
    return _Scene(problem, solution)


picture = Pictures(_scene, html=_html, png=_png, svg=_svg, text=_text)
"""Where the coefficients of a model are, with its sizes; of a solution also what it is worth and how well it holds."""
