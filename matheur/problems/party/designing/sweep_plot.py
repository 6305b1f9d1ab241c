"""Plot of the curve of a sweep, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matheur.running.charts import chart_file, label, new_chart

if TYPE_CHECKING:
    from matheur.problems.party.designing.sweep import Sweep

__all__ = ["plot"]

_INK, _MUTED, _PRICE, _BAD, _SHARE = "#1f2328", "#5b636c", "#1b5b9c", "#b3261e", "#a9530f"


def plot(curve: Sweep, kind: str) -> bytes:
    """Plot price and bound (above) and the share of feasible constructions (below) over the threshold.

    A filled dot is a proved optimum, an open dot the best known price with a bar down to the bound. A cross at the top
    is a threshold that no party meets.

    Parameters
    ----------
    kind
        File format: `svg` or `png`.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    figure = new_chart(7, 5)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    _prices(above, curve)
    _shares(below, curve)
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#e3e6ea", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(colors=_MUTED)
    above.set_title(label(curve.instance), loc="left", color=_INK, fontsize=11)
    below.set_xlabel(label(curve.demand), color=_INK)
    return chart_file(figure, kind)


def _prices(axes: Any, curve: Sweep) -> None:
    points = curve.points
    found = [point for point in points if point.price is not None]
    axes.plot([p.value for p in found], [p.price for p in found], color=_PRICE, linewidth=1.5, zorder=2)
    for point in found:
        solved = point.status == "optimal"
        if not solved and point.bound is not None:
            axes.vlines(point.value, point.bound, point.price, color=_PRICE, alpha=0.35, linewidth=5, zorder=1)
        face = _PRICE if solved else "white"
        axes.plot([point.value], [point.price], "o", markerfacecolor=face, markeredgecolor=_PRICE, zorder=3)
    prices = [point.price for point in found if point.price]
    if prices and max(prices) > 20 * min(prices):
        axes.set_yscale("log")
    elif prices:
        axes.set_ylim(bottom=0)
    for point in points:
        if point.status in ("infeasible", "unknown"):
            text = "none" if point.status == "infeasible" else "?"
            place = {"xycoords": axes.get_xaxis_transform(), "ha": "center", "va": "top", "fontsize": 9}
            axes.annotate(text, (point.value, 0.99), color=_BAD if text == "none" else _MUTED, **place)
    axes.set_ylabel("price", color=_INK)


def _shares(axes: Any, curve: Sweep) -> None:
    shown = [point for point in curve.points if point.share is not None]
    axes.plot([p.value for p in shown], [100 * (p.share or 0) for p in shown], "o-", color=_SHARE, linewidth=1.5)
    axes.set_ylim(-5, 105)
    axes.set_ylabel("% feasible", color=_INK)
