"""Charts: the same data gives the same file."""

from __future__ import annotations

import pytest

from matheur.running.charts import chart_file, new_chart


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
