"""The page of an instance: its picture, its editor, and the form for a new job."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from matheur.web.limits import Limits
from matheur.web.markup import Markup, join, named, tag
from matheur.web.pages.frame import alert, frame, reader_field
from matheur.web.workbench import Brought

__all__ = ["form_page"]

_SCHEDULES = ("cycle", "descent", "gvns", "roulette", "gain-per-second", "q-learning")
_CRITERIA = ("improving", "non-worsening", "annealing", "late-acceptance", "record-to-record")


def form_page(
    one: Brought,
    facts: Mapping[str, Any],
    operators: Mapping[str, Any],
    limits: Limits,
    *,
    options: str = "",
    filled: Mapping[str, Any] | None = None,
    wrong: str = "",
) -> str:
    """The page.

    Parameters
    ----------
    one, facts, operators
        The instance, facts about it, and the operators of its problem.
    options
        Options of the reader, as given by the user.
    filled
        Values of the form by name, from an earlier attempt or a job that is repeated.
    wrong
        Error message of the earlier attempt; empty if there is none.
    """
    filled = filled or {}
    query = urlencode({"instance": one.name, "options": options})
    play = tag("p", tag("a", "Try to solve it yourself", href=f"/play?{query}")) if facts["game"] else None
    picture = tag("img", src=f"/picture?{query}", alt=f"{facts['problem']}: the instance", class_="instance")
    return frame(
        one.subject["name"],
        alert(wrong, "bad alert") if wrong else None,
        tag("h1", named(one.subject["name"])),
        tag("p", f"{facts['problem']}: {facts['summary']}", class_="note"),
        [tag("p", named(f"assumed: {text}", most=300), class_="note") for text in facts["assumptions"]],
        tag(
            "div",
            tag("div", tag("div", picture, class_="frame", tabindex="0", role="group", aria_label="Picture"), play,
                _scramble(one, facts, options), _editor(one, facts, options), _reader(one, options)),
            _job_form(one, operators, limits, options, filled),
            class_="two",
        ),
    )  # fmt: skip


def _reader(one: Brought, options: str) -> Markup:
    form = tag(
        "form",
        tag("input", type="hidden", name="instance", value=one.name),
        reader_field("reader", options),
        tag("button", "Read it again"),
        method="get",
        action="/new",
    )  # fmt: skip
    return tag("details", tag("summary", "Options of the reader"), form, open=bool(options))


def _scramble(one: Brought, facts: Mapping[str, Any], options: str) -> Markup | None:
    if not facts["scrambled_by"]:
        return None
    form = tag(
        "form",
        tag("input", type="hidden", name="instance", value=one.name),
        tag("input", type="hidden", name="options", value=options),
        _number("length", f"Random {facts['scrambled_by']} (empty: as many as usual)", ""),
        _number("seed", "Seed (empty: a fresh one)", "", id_="scramble-seed"),
        tag("button", "Scramble", class_="go"),
        method="post",
        action="/scramble",
    )
    return tag("details", tag("summary", "A random scramble of this size"), form)


def _editor(one: Brought, facts: Mapping[str, Any], options: str) -> Markup | None:
    if facts["text"] is None:
        return None
    cells = None
    if facts["editor"] is not None:
        cells = tag("div", class_="editor", data_editor=json.dumps(facts["editor"]))
    form = tag(
        "form",
        cells,
        tag("label", "As a file", for_="edited"),
        tag("textarea", facts["text"], name="text", id="edited", rows=10, spellcheck="false", class_="code"),
        tag("input", type="hidden", name="problem", value=facts["problem"]),
        tag("input", type="hidden", name="base", value=one.name),
        tag("input", type="hidden", name="options", value=options),
        tag("button", "Use the edited instance", class_="go"),
        method="post",
        action="/inputs",
    )
    return tag("details", tag("summary", "Edit the instance"), form, class_="edit")


def _job_form(
    one: Brought, operators: Mapping[str, Any], limits: Limits, options: str, filled: Mapping[str, Any]
) -> Markup:
    def value(name: str, default: Any = "") -> Any:
        return filled.get(name, default)

    jobs = f"Processes (up to {limits.cores})"
    return tag(
        "form",
        tag("h2", "How it is solved"),
        tag("input", type="hidden", name="instance", value=one.name),
        tag("input", type="hidden", name="options", value=options),
        tag("input", type="hidden", name="start", value=value("start")) if value("start") else None,
        tag("p", "It begins with the solution of an earlier run.", class_="note") if value("start") else None,
        tag("input", type="hidden", name="moves", value=value("moves")) if value("moves") else None,
        tag("p", "It begins with the edited solution.", class_="note") if value("moves") else None,
        _select("preset", "Preset", operators["presets"] or [""], value("preset", "default")),
        _number(
            "seconds",
            f"Seconds (up to {limits.seconds:g})",
            value("seconds", f"{min(60.0, limits.seconds):g}"),
            step="any",
        ),
        tag("button", "Solve", class_="go big"),
        tag(
            "details",
            tag("summary", "Operators"),
            _select("construction", "Construction", _listed(operators["construction"]), value("construction")),
            _neighbourhoods(operators["neighbourhood"], filled),
            _select("schedule", "Schedule", _plain(_SCHEDULES), value("schedule")),
            _select("acceptance", "Acceptance", _plain(_CRITERIA), value("acceptance")),
            _select("solver", "MILP solver", _plain(operators["solvers"]), value("solver")),
            open=bool(value("construction") or value("chosen") == "these" or value("solver")),
        ),
        tag(
            "details",
            tag("summary", "Budget, seed, proof"),
            _number("iterations", "Operator calls", value("iterations")),
            _number("work", "Work units", value("work")),
            _number("target", "Score at which to stop", value("target"), step="any", least=None),
            _number("seed", "Seed", value("seed", 0)),
            _number("jobs", jobs, value("jobs", 1), least=1),
            _check("certify", "Prove an optimum again with a second method", checked=bool(value("certify"))),
        ),
        tag(
            "details",
            tag("summary", "Options and note"),
            tag("label", "Settings, one a line, such as neighbourhood.region.rows=5", for_="settings"),
            tag(
                "textarea", value("settings"), name="settings", id="settings", rows=4, spellcheck="false", class_="code"
            ),
            _options(operators),
            tag("label", "Note", for_="note"),
            tag("input", name="note", id="note", value=value("note"), maxlength=200),
            open=bool(value("settings")),
        ),
        method="post",
        action="/jobs",
        class_="job",
    )


def _listed(operators: list[dict[str, Any]]) -> list[Any]:
    return [("", "of the preset"), *((one["name"], f"{one['name']}: {one['summary']}") for one in operators)]


def _plain(names: Any) -> list[Any]:
    return [("", "of the preset"), *((name, name) for name in names)]


def _select(name: str, label: str, options: Any, chosen: str) -> Markup:
    pairs = [one if isinstance(one, tuple) else (one, one) for one in options]
    inner = (tag("option", shown, value=value, selected=value == chosen) for value, shown in pairs)
    return tag("p", tag("label", label, for_=name), tag("select", *inner, name=name, id=name), class_="field")


def _number(
    name: str, label: str, value: Any, *, step: str = "1", least: int | None = 0, id_: str | None = None
) -> Markup:
    own = id_ or name
    box = tag("input", type="number", name=name, id=own, value=value, step=step, min=least, inputmode="decimal")
    return tag("p", tag("label", label, for_=own), box, class_="field")


def _check(
    name: str, label: str, *, checked: bool, value: str = "yes", kind: str = "checkbox", prefix: str = ""
) -> Markup:
    box = tag("input", type=kind, name=name, id=f"{prefix}{name}-{value}", value=value, checked=checked)
    return tag("p", box, tag("label", label, for_=f"{prefix}{name}-{value}"), class_="check")


def _neighbourhoods(listed: list[dict[str, Any]], filled: Mapping[str, Any]) -> Markup:
    chosen = filled.get("neighbourhood", ())
    which = filled.get("chosen", "preset")
    boxes = (
        _check("neighbourhood", f"{one['name']}: {one['summary']}", checked=one["name"] in chosen, value=one["name"])
        for one in listed
    )
    return tag(
        "fieldset",
        tag("legend", "Neighbourhoods"),
        _check("chosen", "those of the preset", checked=which == "preset", value="preset", kind="radio"),
        _check("chosen", "these, in this order (none: construction alone):", checked=which == "these", value="these",
               kind="radio"),
        tag("div", *boxes, class_="inner"),
    )  # fmt: skip


def _options(operators: Mapping[str, Any]) -> Markup:
    rows = []
    for kind, prefix in (("construction", "construction"), ("neighbourhood", "neighbourhood.")):
        for one in operators[kind]:
            for name, default in one["options"].items():
                dotted = f"{prefix}.{name}" if kind == "construction" else f"{prefix}{one['name']}.{name}"
                rows.append(tag("tr", tag("td", one["name"]), tag("td", tag("code", dotted)), tag("td", default)))
    head = tag("tr", *(tag("th", text, scope="col") for text in ("operator", "option", "default")))
    table = tag("table", tag("thead", head), tag("tbody", join(*rows)))
    return tag(
        "details",
        tag("summary", "Options of the operators"),
        tag("div", table, class_="wide tall", role="region", tabindex="0", aria_label="Options"),
    )
