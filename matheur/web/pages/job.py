"""The page of a job: its live state, its picture, its operators, its files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import numpy as np

from matheur.campaign.report import words
from matheur.campaign.report.drawing import draw_plot, draw_swatch
from matheur.campaign.report.plots import Axis, Plot, Series
from matheur.engine.gap import optimality_gap
from matheur.engine.problem_types import registration_of, tool_of, with_tool
from matheur.web.event_feed import Course, Follower
from matheur.web.markup import Markup, join, named, tag
from matheur.web.pages.frame import button, delete_button, fields, frame
from matheur.web.pages.start import bound_as_score, reading_of, state_mark
from matheur.web.store import DAMAGED

__all__ = ["job_page", "plot_of", "series_of", "snapshot"]
"""Problems whose solutions are played step by step."""

_REFRESH = 5  # seconds between reloads without scripts
_PREPARING = "preparing (the first run on a machine compiles kernels)"
_SEARCHING = "searching for a first solution"
_HEADS = ("operator", "calls", "seconds", "successes", "gain", "gain/s", "proofs")


def snapshot(one: Follower, position: int | None = None) -> dict[str, Any]:
    """The content of a job's page that is updated, as plain text by position in the page."""
    order, course, state = one.job.order, one.course, one.state
    outcome = one.job.outcome() if not one.live else {}
    bound = bound_as_score(order, course.bound)
    of = "" if order["scores"][2] is None else f" of {words.number(order['scores'][2])}"
    running = state["state"] == "running"
    begun = bool(course.calls or course.scores)
    ticks = running and begun and not (one.preparing or course.stopped)
    waits = "" if position is None else f"{position} before it" if position else "next"
    inside = course.started and order["configuration"]["jobs"] == 1  # otherwise compilations are not reported
    doing = one.preparing or ((_SEARCHING if inside else _PREPARING) if running and not begun else "")
    stopped = outcome.get("stopped", "")
    ended = "" if stopped == outcome.get("status") else stopped  # the status already states it
    why = (waits, doing, ended, "" if state["state"] == DAMAGED else state.get("reason", ""))
    unit = abs(order["scores"][1] - order["scores"][0])
    rows = [
        [name, f"{row[0]:,}", words.seconds(row[1]), f"{row[2]:,}", words.number(row[3] * unit),
         words.significant(row[3] * unit / row[1]) if row[1] else "0", f"{row[4]:,}"]
        for name, row in course.operators.items()
    ]  # fmt: skip
    return {
        "state": state["state"],
        "live": one.live,
        "texts": {
            "score": "none yet" if course.score is None else words.number(course.score) + of,
            "bound": words.number(bound) if bound is not None else "none yet",
            "gap": words.percent(optimality_gap(course.score, bound)),
            "seconds": words.seconds(course.seconds),
            "calls": f"{course.calls:,}",
            "work": f"{course.work:,}",
            "why": " ".join(filter(None, why)),
        },
        "reason": "" if outcome.get("reason") == state.get("reason") else outcome.get("reason", ""),
        "rows": rows,
        "log": [[words.seconds(at), words.number(score), name] for at, score, name in reversed(course.log)],
        "clock": round(course.seconds + one.silent, 1) if ticks else None,
        "picture": one.picture,
        "has": course.score is not None,
        "plot": len(course.scores) * 100_000 + round(course.seconds),
    }


def series_of(
    order: Mapping[str, Any], course: Course, name: str, number: int, end: float | None = None
) -> list[Series]:
    """Score and bound of a run as lines up to its last event or to `end` (seconds); the bound is thin and grey."""
    found = []
    end = course.seconds if end is None else end
    if course.scores:
        at, score = np.array([*course.scores, (end, course.scores[-1][1])], dtype=float).T
        found.append(Series(name, at, score, "steps", number=number))
    bounds = [(at, bound_as_score(order, bound)) for at, bound in course.bounds]
    if bounds and number == 0:
        at, bound = np.array([*bounds, (end, bounds[-1][1])], dtype=float).T
        found.append(Series("bound", at, bound, "steps", number=None))
    return found


def plot_of(one: Follower) -> Markup:
    """Plot of the score over time."""
    running = one.state["state"] == "running" and not one.preparing
    end = one.course.seconds + (one.silent if running else 0.0)
    series = series_of(one.job.order, one.course, "score", 0, end)
    if not series:
        return tag("p", "Nothing to draw yet.", class_="note")
    said = f"{len(one.course.scores)} improvements in {words.seconds(one.course.seconds)} seconds"
    plot = Markup(draw_plot(Plot(Axis("seconds"), Axis("score"), series, said), "Score over time"))
    if len(series) == 1:
        return plot
    return join(plot, tag("ul", *(tag("li", Markup(draw_swatch(line)), line.name) for line in series), class_="legend"))


def job_page(one: Follower, position: int | None, companions: Sequence[str] = (), *, held: bool) -> str:
    """The page.

    Parameters
    ----------
    position
        Number of jobs ahead of a waiting job; None if it is not waiting.
    companions
        Names of the additional files of the instance.
    held
        Whether the job is waiting or running in the queue, whatever its files state.
    """
    job, order = one.job, one.job.order
    now = snapshot(one, position)
    status, damage = job.outcome().get("status", ""), job.damage()
    live = tag("div", id="live", data_events=f"/jobs/{job.id}/events", data_picture=f"/jobs/{job.id}/picture.svg",
               data_plot=f"/jobs/{job.id}/plot", data_version=one.picture, hidden=True)  # fmt: skip
    return frame(
        order["subject"]["name"],
        tag("h1", named(order["subject"]["name"])),
        tag(
            "p",
            tag("span", state_mark(now["state"], status), id="state"),
            " ",
            tag("span", now["texts"]["why"], data_text="why", class_="note"),
            class_="status",
        ),
        tag("p", "Read with ", named(reading, most=300), class_="note") if (reading := reading_of(order)) else None,
        tag("p", named(order["note"], most=200), class_="note") if order["note"] else None,
        tag("p", "Damaged: ", named(damage, most=300), class_="bad alert", role="alert") if damage else None,
        _buttons(one, status, held=held),
        _facts(now),
        tag("p", now["reason"], id="reason", class_="alert") if now["reason"] else None,
        tag("div", _picture(one, now), _progress(one, now), class_="two"),
        _player(one, status),
        _downloads(one, companions),
        _configuration(order, job.outcome()),
        live if one.live else None,
        refresh=_REFRESH if one.live else None,
    )


def _facts(now: Mapping[str, Any]) -> Markup:
    names = ("score", "bound", "gap", "seconds", "calls", "work")
    return fields(*((name, tag("span", now["texts"][name], data_text=name)) for name in names))


def _buttons(one: Follower, status: str, *, held: bool) -> Markup:
    job, order = one.job, one.job.order
    address, state = f"/jobs/{job.id}", one.state["state"]
    query = {"instance": order["instance"], "job": job.id}
    again = tag("a", "Change and run again", href=f"/new?{urlencode(query)}", class_="button")
    on = tag("a", "Improve its solution", href=f"/new?{urlencode({**query, 'start': 'yes'})}", class_="button")
    play = tag("a", "Try it yourself", href=f"/play?{urlencode({'job': job.id})}", class_="button")
    return tag(
        "div",
        button(f"{address}/stop", "Stop", class_="go") if one.live or held else None,
        button(f"{address}/resume", "Resume", class_="go")
        if state in ("stopped", "failed", DAMAGED) and not held
        else None,
        again,
        on if not one.live and one.course.score is not None and status != "optimal" else None,
        play if order["game"] else None,
        delete_button(job.id) if not (one.live or held) else None,
        class_="buttons",
    )


def _picture(one: Follower, now: Mapping[str, Any]) -> Markup:
    source = f"/jobs/{one.job.id}/picture.svg?v={one.picture}"
    alt = f"{one.job.order['problem']}: " + ("the best solution" if now["has"] else "the instance")
    image = tag("img", src=source, alt=alt, id="picture")
    return tag(
        "figure",
        tag("h2", "Best so far" if one.live else "Solution" if now["has"] else "Instance"),
        tag("div", image, class_="frame", tabindex="0", role="group", aria_label="Picture"),
        tag("button", "Full size", type="button", class_="zoom", aria_pressed="false"),
    )


def _progress(one: Follower, now: Mapping[str, Any]) -> Markup:
    head = tag("tr", *(tag("th", text, scope="col", class_="n" if text != "operator" else None) for text in _HEADS))
    rows = (
        tag("tr", *(tag("td", text, class_="n" if i else None) for i, text in enumerate(row))) for row in now["rows"]
    )
    logged = (
        tag("tr", *(tag("td", text, class_="n" if i < 2 else None) for i, text in enumerate(row))) for row in now["log"]
    )
    heads = tag("tr", *(tag("th", text, scope="col", class_="n" if i < 2 else None)
                        for i, text in enumerate(("seconds", "score", "operator"))))  # fmt: skip
    return tag(
        "div",
        tag("h2", "Score over time"),
        tag("div", plot_of(one), id="plot"),
        tag("h2", "Operators"),
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows, id="operators")), class_="wide", role="region",
            tabindex="0", aria_label="Operators"),
        tag("details", tag("summary", "Improvements, the last first"),
            tag("div", tag("table", tag("thead", heads), tag("tbody", *logged, id="log")), class_="wide tall",
                role="region", tabindex="0", aria_label="Improvements")),
    )  # fmt: skip


def _player(one: Follower, status: str) -> Markup | None:
    if one.live or one.job.outcome().get("solution") is None:
        return None
    address = f"/jobs/{one.job.id}/page"
    known = registration_of(one.job.order["problem"])
    if known is None or not known.plans:
        return tag("p", tag("a", "The solution as a page of its own", href=address))
    said = " (proved shortest)" if status == "optimal" else ""
    return join(
        tag("h2", f"Step by step{said}"),
        tag("iframe", src=address, title="The plan, step by step", class_="stage", sandbox="allow-scripts"),
        tag("p", tag("a", "As a page of its own", href=address)),
    )


def _downloads(one: Follower, companions: Sequence[str]) -> Markup:
    address, problem = f"/jobs/{one.job.id}/files", one.job.order["problem"]
    files = [("result.json", "result with solution (JSON)"), ("trace.jsonl", "event stream (JSON lines)"),
             ("picture.svg", "picture (SVG)"), ("instance.txt", "instance")]  # fmt: skip
    files += [(f"companion-{number}", named(name)) for number, name in enumerate(companions)]
    forms = tool_of(problem, "solution_files") if problem in with_tool("solution_files") else ()
    files += [(f"solution{ending}", f"solution ({ending})") for ending in forms]
    if problem in with_tool("graph"):
        files.append(("graph.clq", "clique graph (DIMACS)"))
    if problem in with_tool("nodes"):
        files.append(("nodes.csv", "its table of nodes (CSV)"))
    items = (tag("li", tag("a", what, href=f"{address}/{name}", download=True)) for name, what in files)
    return join(tag("h2", "Files"), tag("ul", *items, class_="files"))


def _configuration(order: Mapping[str, Any], outcome: Mapping[str, Any]) -> Markup:
    shown = {"preset": order["preset"], **order["configuration"]}
    parts = [tag("h3", "Configuration"), tag("pre", json.dumps(shown, indent=1), tabindex="0")]
    if outcome.get("certificate"):
        parts += [tag("h3", "Certificate"), tag("pre", json.dumps(outcome["certificate"], indent=1), tabindex="0")]
    if outcome.get("versions"):
        parts += [tag("h3", "Versions"), tag("pre", json.dumps(outcome["versions"], indent=1), tabindex="0")]
    return tag("details", tag("summary", "Configuration, certificate, versions"), *parts)
