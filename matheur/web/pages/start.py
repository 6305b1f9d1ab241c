"""The start page: instances to choose, upload or paste, and the list of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from matheur.campaign.report import words
from matheur.web.limits import Limits
from matheur.web.markup import Markup, join, named, tag
from matheur.web.pages.frame import frame, reader_field
from matheur.web.workbench import Row

__all__ = ["Offer", "bound_as_score", "reading_of", "runs_table", "start_page", "state_mark"]


@dataclass(frozen=True, slots=True)
class Offer:
    """Facts about a kind of problem for the page.

    Attributes
    ----------
    summary
        One-line summary of the problem.
    builtins
        Built-in instances, with one line about each.
    scrambles
        Whether there is a button for random instances.
    """

    summary: str
    builtins: Mapping[str, str]
    scrambles: bool = False


def start_page(
    problems: Mapping[str, Offer],
    listed: Sequence[Row],
    count: int,
    limits: Limits,
    warnings: Sequence[str] = (),
) -> str:
    """The page.

    Parameters
    ----------
    problems
        Facts about each kind of problem, by name.
    listed
        Listed jobs, newest first; there may be more.
    count
        Number of all jobs.
    warnings
        Warnings about the folder, one sentence each.
    """
    cards = join(*(_card(name, offer) for name, offer in problems.items()))
    return frame(
        "Workbench",
        [tag("p", text, class_="bad alert", role="alert") for text in warnings],
        tag("h1", "Solve a problem"),
        tag(
            "p",
            "Bring a model or an instance of your own, or ",
            tag("a", "choose one that is built in", href="#choose"),
            "; then choose how it is solved, and watch. ",
            tag("a", f"{words.counted(count, 'run')} so far", href="#runs"),
            ".",
        ),
        tag("div", _upload(problems, limits), _paste(problems), class_="bring", id="bring"),
        tag("h2", "Built-in instances", id="choose"),
        tag("div", cards, class_="choose"),
        tag("h2", "Runs", id="runs"),
        runs_table(listed) if listed else tag("p", "None yet.", class_="note"),
        tag("p", f"The newest {len(listed)} of {count}.", class_="note") if len(listed) < count else None,
    )


def _card(name: str, offer: Offer) -> Markup:
    first = next(iter(offer.builtins), None)
    options = (tag("option", short, value=f"{name}/{short}", title=line) for short, line in offer.builtins.items())
    select = tag("select", *options, name="instance", id=f"choose-{name}")
    form = tag(
        "form",
        tag("label", "Instance of ", name, class_="said", for_=f"choose-{name}"),
        select,
        tag("button", "Open", class_="go"),
        method="get",
        action="/new",
    )
    scramble = tag(
        "form",
        tag("input", type="hidden", name="instance", value=f"{name}/{first}"),
        tag("button", "Random scramble"),
        method="post",
        action="/scramble",
    )
    picture = tag("img", src=f"/picture?instance={quote(f'{name}/{first}')}", alt="", loading="lazy") if first else None
    return tag(
        "section",
        tag("div", picture, class_="thumb"),
        tag("h3", name),
        tag("p", offer.summary, class_="note"),
        form if first else None,
        scramble if first and offer.scrambles else None,
        class_="card",
    )


def _kinds(problems: Iterable[str], own: str) -> Markup:
    """Selection of the kind of problem, for files whose content does not determine it."""
    options = (tag("option", name, value=name) for name in problems)
    select = tag("select", tag("option", "as it looks", value=""), *options, name="problem", id=own)
    return join(tag("label", "What it is ", for_=own), select, " ")


def _upload(problems: Iterable[str], limits: Limits) -> Markup:
    most = f"up to {limits.upload // 2**20} MiB" if limits.upload >= 2**20 else f"up to {limits.upload:,} bytes"
    return tag(
        "form",
        tag("label", "A file of any kind: drop it here, or choose it", for_="files"),
        tag("input", type="file", name="files", id="files", multiple=True, required=True),
        tag(
            "p",
            "A linear program (MPS or LP, from any modelling tool), a board, a graph, a puzzle: the content tells what "
            f"it is. {most[0].upper()}{most[1:]}, also compressed (.gz, .bz2, .xz). A file that names others (a table "
            "of items) comes with them. So do the weights of a graph, with the line weights=FILE in the options below.",
            class_="note",
        ),
        _kinds(problems, "kind-of-files"),
        tag("details", tag("summary", "Options of the reader"), reader_field("options-of-files")),
        tag("button", "Upload", class_="go"),
        method="post",
        action="/inputs",
        enctype="multipart/form-data",
        class_="drop",
    )


def _paste(problems: Iterable[str]) -> Markup:
    return tag(
        "form",
        tag("label", "Or paste it as a text, or the URL of a board", for_="text"),
        tag("textarea", name="text", id="text", rows=4, required=True, spellcheck="false"),
        _kinds(problems, "kind"),
        tag("details", tag("summary", "Options of the reader"), reader_field("options-of-text")),
        tag("button", "Read it", class_="go"),
        method="post",
        action="/inputs",
    )


def state_mark(state: str, status: str = "") -> Markup:
    """The state of a job with a symbol, so that it does not depend on colour alone."""
    word = status if state == "done" and status in ("optimal", "infeasible") else state
    signs = {"waiting": "…", "running": "▶", "stopped": "■", "done": "✓", "failed": "✗", "damaged": "✗",
             "optimal": "★"}  # fmt: skip
    sign = signs.get(word, "✓")
    look = {"failed": "bad", "damaged": "bad", "optimal": "good"}.get(word, "")
    return tag("span", f"{sign} {word}", class_=f"state {look}".strip())


def reading_of(order: Mapping[str, Any]) -> str:
    """Options of the reader with which the instance of a job was read; empty if there are none."""
    return ", ".join(f"{key} = {value!r}" for key, value in order["subject"]["options"].items())


def bound_as_score(order: Mapping[str, Any], bound: float | None) -> float | None:
    """A bound on the objective as a score, which is an affine function of the objective."""
    at_zero, at_one, _ = order["scores"]
    return None if bound is None else at_zero + bound * (at_one - at_zero)


def runs_table(listed: Sequence[Row], *, compare: bool = True) -> Markup:
    """A table of jobs; with `compare`, they can be selected for a comparison."""
    heads = [*(["compare"] if compare else []), "instance", "state", "score", "bound", "seconds", "seed", "how", "note"]
    numeric = ("score", "bound", "seconds", "seed")
    head = tag("tr", *(tag("th", one, scope="col", class_="n" if one in numeric else None) for one in heads))
    rows = join(*(_row(one, compare=compare) for one in listed))
    table = tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="wide", role="region", tabindex="0",
                aria_label="Runs")  # fmt: skip
    if not compare:
        return table
    return tag("form", table, tag("button", "Compare the chosen"), method="get", action="/compare")


def _row(one: Row, *, compare: bool) -> Markup:
    if one.order is None:
        return _damaged_row(one, compare=compare)
    order = one.order
    link = tag("a", named(order["subject"]["name"]), href=f"/jobs/{one.name}")
    reading = reading_of(order)
    said = f"compare {words.visible(order['subject']['name'])}"
    mark = tag("input", type="checkbox", name="job", value=one.name, aria_label=said)
    cells: list[Any] = [
        words.number(one.score),
        words.number(bound_as_score(order, one.bound)),
        words.seconds(one.seconds),
        str(order["configuration"]["seed"]),
    ]
    return tag(
        "tr",
        tag("td", mark) if compare else None,
        tag("th", link, tag("div", named(reading), class_="note") if reading else None, scope="row"),
        tag("td", state_mark(one.state, one.status)),
        *(tag("td", cell, class_="n") for cell in cells),
        tag("td", order["configuration"]["construction"]["name"]),
        tag("td", named(one.reason or order["note"]) if one.reason or order["note"] else ""),
    )


def _damaged_row(one: Row, *, compare: bool) -> Markup:
    """The row of a job with an unreadable order: its name and the reason."""
    return tag(
        "tr",
        tag("td") if compare else None,
        tag("th", tag("a", one.name, href=f"/jobs/{one.name}"), scope="row"),
        tag("td", state_mark(one.state)),
        *(tag("td", "-", class_="n") for _ in range(4)),
        tag("td"),
        tag("td", named(one.reason)),
    )
