"""Axes, ticks and lines of plots."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.campaign.report.drawing import draw_alone, draw_plot
from matheur.campaign.report.plots import Axis, Plot, Series, share_axis
from matheur.campaign.report.scales import linear_ticks, log_ticks, scale_of, tick_label

X = np.array([0.01, 0.1, 1.0, 10.0])
Y = np.array([4.0, 3.0, 2.0, 1.0])


def plot(*series: Series, log: bool = True) -> Plot:
    return Plot(Axis("seconds", log=log), Axis("score"), series, "Falls from 4 to 1.")


def paths(svg: str, kind: str) -> list[str]:
    """The `d` of the paths of a class."""
    return re.findall(rf'<path class="{kind}[^"]*" d="([^"]*)"', svg)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_linear_ticks_are_round_and_inside(low: float, width: float) -> None:
    """Two to some eleven ticks, evenly spaced, none outside."""
    high = low + width
    ticks = linear_ticks(low, high)
    if width < 1e-9 * abs(low):
        return
    assert 2 <= len(ticks) <= 11
    slack = 1e-6 * max(1.0, abs(low), width)
    assert low - slack <= ticks[0] < ticks[-1] <= high + slack
    steps = np.diff(ticks)
    assert steps == pytest.approx([steps[0]] * len(steps), rel=1e-3, abs=1e-9)


@given(st.floats(1e-6, 1e6), st.floats(5.0, 1e9))
def test_log_ticks_are_few_and_inside(low: float, ratio: float) -> None:
    """At least two and at most a dozen, ascending, none outside."""
    ticks = log_ticks(low, low * ratio)
    assert 2 <= len(ticks) <= 12
    assert list(ticks) == sorted(set(ticks))
    assert low * 0.99 <= ticks[0]
    assert ticks[-1] <= low * ratio * 1.01


def test_ticks_of_typical_axes() -> None:
    """What people would have written."""
    assert linear_ticks(0, 100) == (0, 20, 40, 60, 80, 100)
    assert linear_ticks(-481, -437) == (-480, -470, -460, -450, -440)
    assert log_ticks(0.001, 100) == (0.001, 0.01, 0.1, 1, 10, 100)
    assert log_ticks(3, 40) == (5, 10, 20)
    assert [tick_label(x) for x in (0.0, 1500.0, 20000.0, 3e6, 2e9)] == ["0", "1500", "20k", "3M", "2G"]


def test_scales_map_ends_to_ends() -> None:
    """Linear and logarithmic; without positive values or width a logarithmic axis is linear."""
    linear, log = scale_of(0, 10, 100, 300), scale_of(0.1, 1000, 0, 400, log=True)
    assert [linear(x) for x in (0, 5, 10)] == [100, 200, 300]
    assert [log(x) for x in (0.1, 1, 1000)] == pytest.approx([0, 100, 400])
    assert not scale_of(0, 10, 0, 1, log=True).log
    assert not scale_of(5, 6, 0, 1, log=True).log
    flat = scale_of(7, 7, 0, 100)
    assert flat(7) == 50
    assert len(flat.ticks) >= 2


def test_lines_go_through_their_points() -> None:
    """Evenly spaced points of a logarithmic axis are evenly spaced in the drawing, and high values are above."""
    (path,) = paths(draw_plot(plot(Series("a", X, Y)), "plot"), "line")
    points = [tuple(map(float, point.split())) for point in path[1:].split("L")]
    assert np.diff([x for x, _ in points]) == pytest.approx([points[1][0] - points[0][0]] * 3, abs=0.2)
    assert [y for _, y in points] == sorted(y for _, y in points)


def test_steps_hold_until_the_next_value() -> None:
    """Steps are drawn of horizontal and vertical pieces, and only where something changes."""
    y = np.array([4.0, 4.0, 2.0, 2.0])
    (path,) = paths(draw_plot(plot(Series("a", X, y, "steps")), "plot"), "line")
    assert set(re.findall("[A-Z]", path)) == {"M", "H", "V"}
    assert path.count("V") == 1


def test_what_is_not_finite_is_left_out() -> None:
    """Infinite values have no points, in bands they reach the edge; nothing becomes `nan` in the drawing."""
    y = np.array([np.inf, 3.0, np.nan, 1.0])
    band = Series("a", X, y, low=np.array([np.inf, 2.0, 1.0, 1.0]), high=np.array([np.inf, np.inf, 3.0, 2.0]))
    svg = draw_plot(plot(band), "plot")
    assert "nan" not in svg
    assert "inf" not in svg.replace('aria-label="plot. Falls from 4 to 1."', "")
    assert len(paths(svg, "line")[0].split("L")) == 2
    assert len(paths(svg, "band")) == 1
    nothing = draw_plot(plot(Series("a", X, np.full(4, np.inf))), "plot")
    assert paths(nothing, "line") == []
    assert "tick" in nothing


def test_axes_of_shares_show_small_ones() -> None:
    """Up to 100 %, but not if nothing comes near."""
    assert share_axis("s", [np.array([0.1, 0.9])]).high == 1.0
    assert share_axis("s", [np.array([0.1, 0.2])]).high == pytest.approx(0.23)
    assert share_axis("s", [np.zeros(3)]).high == 0.05


def test_many_series_look_different() -> None:
    """Colour and dash together tell 32 lines apart."""
    svg = draw_plot(plot(*[Series(str(i), X, Y + i, number=i) for i in range(32)]), "plot")
    classes = re.findall(r'<path class="(line [^"]*)"', svg)
    assert len(classes) == len(set(classes)) == 32


@pytest.mark.parametrize("kind", ["line", "steps", "points"])
def test_a_file_of_its_own_is_whole(kind: str) -> None:
    """The figure's file is XML with title, legend and colours in it; hostile names stay text."""
    name = "<script>alert(1)</script> & \x00\x1b"
    many = [Series(f"{name} {i}", X, Y + i, kind, number=i) for i in range(10)]
    text = draw_alone(plot(*many), name)
    root = ElementTree.fromstring(text)
    ours = "{http://www.w3.org/2000/svg}"
    assert not list(root.iter(f"{ours}script"))
    words = ["".join(one.itertext()) for one in root.iter(f"{ours}text")]
    assert sum(word.startswith("<script>") for word in words) == 11
    assert "var(--" not in text
    height = float(root.attrib["height"])
    assert all(float(one.attrib.get("y", 0)) < height for one in root.iter(f"{ours}text"))
    assert math.isfinite(height)
