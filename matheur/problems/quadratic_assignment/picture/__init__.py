"""Pictures of quadratic assignment: heat maps as SVG, PNG, a page of HTML, and text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.pictures import drawn
from matheur.problems.quadratic_assignment.picture.html import draw_html
from matheur.problems.quadratic_assignment.picture.png import draw_png
from matheur.problems.quadratic_assignment.picture.scene import scene_of
from matheur.problems.quadratic_assignment.picture.svg import draw_svg
from matheur.problems.quadratic_assignment.picture.terminal import draw_text
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

__all__ = ["picture"]


def picture(problem: QuadraticAssignment, solution: NDArray[np.int32] | None, kind: str) -> bytes:
    """The matrices as heat maps, `svg`, `png`, `html` or `text` (UTF-8); those of a solution in facility order.

    Raises
    ------
    ConfigurationError
        If the kind is unknown, or matplotlib is missing for a `png`.
    """
    return drawn(lambda: scene_of(problem, solution), kind, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
