"""Pictures of quadratic assignment: heat maps as SVG, PNG, a page of HTML, and text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, nearest
from matheur.problems.quadratic_assignment.picture.html import draw_html
from matheur.problems.quadratic_assignment.picture.png import draw_png
from matheur.problems.quadratic_assignment.picture.scene import scene_of
from matheur.problems.quadratic_assignment.picture.svg import draw_svg
from matheur.problems.quadratic_assignment.picture.terminal import draw_text
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

__all__ = ["KINDS", "picture"]

KINDS = ("html", "png", "svg", "text")


def picture(problem: QuadraticAssignment, solution: NDArray[np.int32] | None, kind: str) -> bytes:
    """The matrices as heat maps, `svg`, `png`, `html` or `text` (UTF-8); those of a solution in facility order.

    Raises
    ------
    ConfigurationError
        If the kind is unknown, or matplotlib is missing for a `png`.
    """
    if kind not in KINDS:
        raise ConfigurationError(f"unknown kind of picture {kind!r}. {nearest(kind, KINDS)}")
    scene = scene_of(problem, solution)
    if kind == "png":
        return draw_png(scene)
    return {"svg": draw_svg, "html": draw_html, "text": draw_text}[kind](scene).encode("utf-8")
