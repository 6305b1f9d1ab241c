"""Charts: the same data gives the same file."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

import pytest

from matheur.running.charts import chart_file, new_chart
from matheur.running.fronts import FrontPoint, ParetoFront


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_same_data_gives_the_same_file(kind: str) -> None:
    """Without a date and random names, also where the font lacks a character."""
    files = []
    for _ in range(2):
        figure = new_chart(4, 3)
        axes = figure.subplots()
        axes.plot([0, 1, 2], [0, 1, 4], label="平方")
        axes.legend()
        files.append(chart_file(figure, kind))
    assert files[0] == files[1]
    assert len(files[0]) > 1000


def test_names_that_are_no_text_are_drawn() -> None:
    """A name with a byte that is no UTF-8, a control character and dollars gives a well-formed SVG."""
    pytest.importorskip("matplotlib")
    point = FrontPoint((Fraction(1), Fraction(2)), None)
    front = ParetoFront(None, "caf\udce9\x1b$a$", ("pr\x01ce", "$x$"), ("min", "max"), "m", (point,), True, 0.0, 0)
    assert ElementTree.fromstring(front.plot("svg")).tag.endswith("svg")
    assert front.plot("png").startswith(b"\x89PNG")
