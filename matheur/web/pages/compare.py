"""The page that compares several runs side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from matheur.campaign.report import words
from matheur.campaign.report.drawing import draw_plot, draw_swatch
from matheur.campaign.report.plots import Axis, Plot
from matheur.web.event_feed import Follower
from matheur.web.markup import Markup, named, tag
from matheur.web.pages.frame import frame
from matheur.web.pages.job import series_of
from matheur.web.pages.start import runs_table
from matheur.web.workbench import Row

__all__ = ["compare_page"]


def compare_page(followers: Sequence[Follower], listed: Sequence[Row]) -> str:
    """The page: values, scores over time, differences between the configurations, and the pictures."""
    names = (words.visible(one.job.order["subject"]["name"]) for one in followers)
    labels = [f"{number}: {name}" for number, name in enumerate(names, start=1)]
    series = [
        line
        for number, (one, label) in enumerate(zip(followers, labels, strict=True))
        for line in series_of(one.job.order, one.course, label, number)
        if line.number is not None
    ]
    plot = tag("p", "No solutions to draw yet.", class_="note")
    if series:
        said = f"{len(series)} runs"
        plot = Markup(draw_plot(Plot(Axis("seconds"), Axis("score"), series, said), "Score over time"))
    legend = tag("ul", *(tag("li", Markup(draw_swatch(one)), named(one.name)) for one in series), class_="legend")
    figures = (
        tag(
            "figure",
            tag("h3", tag("a", named(label), href=f"/jobs/{one.job.id}")),
            tag("div", tag("img", src=f"/jobs/{one.job.id}/picture.svg?v={one.picture}", alt=f"run {number}"),
                class_="frame", tabindex="0", role="group", aria_label=label),
        )
        for number, (one, label) in enumerate(zip(followers, labels, strict=True), start=1)
    )  # fmt: skip
    return frame(
        "Compare",
        tag("h1", f"{words.counted(len(followers), 'run')} compared"),
        runs_table(listed, compare=False),
        tag("h2", "Score over time"),
        tag("div", plot, legend),
        tag("h2", "What differs"),
        _differences(followers),
        tag("h2", "Solutions"),
        tag("div", *figures, class_="cards"),
    )


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", "-" if value is None else value if isinstance(value, str) else json.dumps(value)


def _differences(followers: Sequence[Follower]) -> Markup:
    tables = [dict(_flat(one.job.order["configuration"])) for one in followers]
    keys = dict.fromkeys(key for table in tables for key in table)
    different = [key for key in keys if len({table.get(key) for table in tables}) > 1]
    if not different:
        return tag("p", "Nothing: they have the same configuration.", class_="note")
    head = tag("tr", tag("th", "option", scope="col"), *(tag("th", f"run {n}", scope="col")
                                                         for n in range(1, len(tables) + 1)))  # fmt: skip
    rows = (
        tag("tr", tag("th", key, scope="row"), *(tag("td", table.get(key, "-")) for table in tables))
        for key in different
    )
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="wide", role="region", tabindex="0",
               aria_label="What differs")  # fmt: skip
