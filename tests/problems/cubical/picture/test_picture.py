"""Pictures: well-formed, complete, and safe with any name."""

from __future__ import annotations

import builtins
import json
import re
import xml.etree.ElementTree as ElementTree
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import combinations
from math import dist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.cubical.strategies import instances

from matheur.errors import ConfigurationError
from matheur.problems.cubical import Cubical, Instance, builtin, generate, picture
from matheur.problems.cubical.picture.geometry import edges, hull, project
from matheur.problems.cubical.picture.palette import colours_of, dark_text, marks_of

SVG = "{http://www.w3.org/2000/svg}"
PLAN = ["blue:7", "red:5", "green:4", "blue:6"]


def small() -> tuple[Cubical, np.ndarray]:
    problem = Cubical(builtin("d3-k1-level0"))
    return problem, problem.decode(PLAN)


class Page(HTMLParser):
    """Elements with their attributes, and the text inside scripts, of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "script"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data


@pytest.mark.parametrize("d", range(2, 8))
def test_no_two_vertices_coincide(d: int) -> None:
    """In every dimension the vertices lie apart, and no edge runs through a vertex that it does not touch."""
    points, (width, height) = project(d)
    assert len(points) == 1 << d
    assert min(dist(a, b) for a, b in combinations(points, 2)) > 0.4
    assert all(0 <= x <= width and 0 <= y <= height for x, y in points)
    for a, b, _ in edges(d):
        (ax, ay), (bx, by) = points[a], points[b]
        length = dist(points[a], points[b])
        for vertex, (x, y) in enumerate(points):
            along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
            if vertex not in (a, b) and 0 < along < length:
                assert abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length > 0.085


def test_edges_and_hull() -> None:
    """A cube has d 2**(d-1) edges; the hull of a square's points is its corners."""
    assert len(edges(4)) == 32
    assert len(edges(4, [0, 1, 2, 3])) == 4
    assert sorted(hull([(0, 0), (1, 1), (0, 1), (1, 0), (0.5, 0.5), (0.5, 0)])) == [(0, 0), (0, 1), (1, 0), (1, 1)]


@settings(max_examples=40)
@given(instances(largest=6), st.lists(st.integers(-3, 2000), max_size=6) | st.none())
def test_everything_can_be_drawn(instance: Instance, numbers: list[int] | None) -> None:
    """Any puzzle and any plan, wrong moves included, has an SVG that parses, a page, and text."""
    problem = Cubical(instance)
    plan = None if numbers is None else np.array(numbers, dtype=np.int32)
    root = ElementTree.fromstring(picture(problem, plan, "svg"))
    frames = [group for group in root.iter(f"{SVG}g") if (group.get("class") or "").startswith("frame")]
    assert len(frames) == 1 + len(numbers or [])
    for frame in frames:
        used = [one.get("href") for one in frame.iter(f"{SVG}use")]
        assert [name for name in used if name and name.startswith("#r")] == [
            f"#r{i}" for i in range(len(instance.rings))
        ]
    page = Page(picture(problem, plan, "html").decode())
    tags = [tag for tag, _ in page.elements]
    assert tags.count("svg") == 1
    assert tags.count("script") == (0 if plan is None else 2)
    text = picture(problem, plan, "text").decode()
    assert text.count("✗") == sum(frame.get("class") == "frame wrong" for frame in frames)


def test_frames_follow_the_plan() -> None:
    """Each frame shows the moved ring on its new vertex, the face that it crossed, and an arrow."""
    problem, plan = small()
    root = ElementTree.fromstring(picture(problem, plan, "svg"))
    frames = [group for group in root.iter(f"{SVG}g") if (group.get("class") or "").startswith("frame")]
    assert len(frames) == 5
    blue = [next(one for one in frame.iter(f"{SVG}use") if one.get("href") == "#r3") for frame in frames]
    places = [(one.get("x"), one.get("y")) for one in blue]
    assert places[0] != places[1] == places[2] == places[3] != places[4]
    for frame, faces in zip(frames, (0, 1, 1, 1, 1), strict=True):
        classes = [path.get("class") for path in frame.iter(f"{SVG}path")]
        assert classes.count("face") == classes.count("rim") == classes.count("arrow") == faces
    captions = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "caption"][-5:]
    assert captions == ["start", "1: blue 5 → 7", "2: red 4 → 5", "3: green 6 → 4", "4: blue 7 → 6"]


def test_wrong_moves_are_marked() -> None:
    """A move that no face allows, and a ring that is not there, are drawn as wrong, and the title says so."""
    problem, _ = small()
    plan = np.array([8 * 3 + 1, 99], dtype=np.int32)
    svg = picture(problem, plan, "svg").decode()
    assert svg.count('class="frame wrong"') == 2
    assert "not valid: move 1: no face of dimension 1" in svg
    text = picture(problem, plan, "text").decode()
    assert "no ring number 12  ✗ not allowed" in text


def test_text_shows_vertices_and_moves() -> None:
    """The terminal gets a table with numbers and bits, where the rings are now, and the plan."""
    problem, plan = small()
    lines = picture(problem, plan[:2], "text").decode().split("\n")
    assert lines[0] == "d3-k1-level0: dimension 3, faces of dimension 1, 4 rings"
    assert lines[1].startswith("2 moves, not valid: at the end")
    assert lines[3].split() == ["ring", "start", "target", "now"]
    assert lines[7].split() == ["blue", "5", "101", "6", "110", "7", "111"]
    assert lines[-2] == "2  red 4 → 5"
    assert "now" not in picture(problem, None, "text").decode()


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "</script><!--", "&\"'`${x}", "$\\frac$", "鳥🐦", "]]>"])
@pytest.mark.parametrize("kind", ["svg", "html", "png", "text"])
def test_names_cannot_break_a_picture(name: str, kind: str) -> None:
    """Markup, formulas and letters without glyphs are shown harmlessly, in names and titles."""
    if kind == "png":
        pytest.importorskip("matplotlib")
    problem = Cubical(Instance(2, 1, (name, "b"), (0, 1), (2, 3), title=name + "\x00\x1b[31m\ud800\n" + "x" * 5000))
    drawn = picture(problem, problem.decode([f"{name}:2", "b:3"]), kind)
    if kind == "png":
        assert drawn.startswith(b"\x89PNG")
        return
    assert b"\x1b" not in drawn
    assert len(drawn) < 40_000
    if kind == "svg":
        ElementTree.fromstring(drawn)
    if kind == "html":
        page = Page(drawn.decode())
        assert len(page.scripts) == 2
        json.loads(page.scripts[0])
        assert "alert" not in page.scripts[1]
        assert not [attrs for _, attrs in page.elements if any(key.startswith("on") for key in attrs)]


def test_the_page_loads_nothing_and_runs_its_own_script_only() -> None:
    """The policy forbids all but the hash of the page's script, and no address is named."""
    page = picture(*small(), "html").decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    digest = b64encode(sha256(Page(page).scripts[1].encode()).digest()).decode()
    assert policy[1] == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert page.count("http") == 1  # http-equiv
    body = page.replace("default-src", "").replace("script-src", "").replace("style-src", "")
    for forbidden in ("src=", "href=", "@import", "url(http", "fetch(", "innerHTML", "eval("):
        assert forbidden not in body


def test_the_page_holds_the_plan() -> None:
    """The data of the script give the start, each move with its face, and the points of all vertices."""
    problem, plan = small()
    page = Page(picture(problem, plan, "html").decode())
    data: dict[str, Any] = json.loads(page.scripts[0])
    assert data["start"] == list(problem.instance.start)
    assert [8 * ring + vertex for ring, vertex, *_ in data["moves"]] == plan.tolist()
    assert [wrong for *_, wrong in data["moves"]] == [0, 0, 0, 0]
    assert {face for _, _, face, *_ in data["moves"]} == set(range(len(data["faces"])))
    assert len(data["points"]) == 8
    identifiers = {attrs["id"] for _, attrs in page.elements if "id" in attrs}
    assert set(re.findall(r'find\("([a-z]+)"\)', page.scripts[1])) <= identifiers
    sliders = [attrs for tag, attrs in page.elements if tag == "input"]
    assert [slider["max"] for slider in sliders] == ["4"]


def test_long_plans_stay_small() -> None:
    """300 moves are a few hundred kilobytes; of longer plans SVG leaves frames out and says so, the page does not."""
    instance, _ = generate(5, 3, 6, seed=1)
    problem = Cubical(instance)
    there = (instance.start[0] + 1) % 32
    plan = np.array([there, instance.start[0]] * 150, dtype=np.int32)
    svg = picture(problem, plan, "svg")
    assert len(svg) < 500_000
    assert b"not drawn" not in svg
    assert len(picture(problem, plan, "html")) < 100_000
    long = np.tile(plan, 20)
    svg = picture(problem, long, "svg")
    assert svg.count(b'class="frame') == 400
    assert b"5601 moves before the last are not drawn" in svg
    assert picture(problem, long, "html").count(b"<li") > 6000


def test_png_shows_the_colours() -> None:
    """The image has the size of the SVG, and the colours of the rings at their places."""
    pytest.importorskip("matplotlib")
    from io import BytesIO

    from matplotlib.image import imread

    problem, plan = small()
    image = imread(BytesIO(picture(problem, None, "png")))
    size = ElementTree.fromstring(picture(problem, None, "svg"))
    assert image.shape[1] == pytest.approx(1.5 * float(size.get("width", 0)), abs=2)
    assert image.shape[0] == pytest.approx(1.5 * float(size.get("height", 0)), abs=2)
    for colour in ((0, 128, 0), (128, 0, 128), (255, 0, 0), (0, 0, 255)):
        assert (abs(image[..., :3] * 255 - colour).max(axis=2) < 1).sum() > 100
    assert picture(problem, plan, "png") == picture(problem, plan, "png")


def test_png_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where matplotlib is missing, the error names the extra."""
    real = builtins.__import__

    def refuse(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ConfigurationError, match=r"matheur\[plot\]"):
        picture(*small(), "png")


def test_colours() -> None:
    """A ring called after a colour has it; the others get colours of their own, also many of them."""
    assert colours_of(["green", "Red", "REBECCAPURPLE"]) == ("#008000", "#ff0000", "#663399")
    many = colours_of([*(f"ring{i}" for i in range(38)), "red"])
    assert len(set(many)) == 39
    assert len(colours_of([f"ring{i}" for i in range(128)])) == 128
    assert dark_text("#ffff00")
    assert not dark_text("#0000ff")


def test_marks() -> None:
    """First letters if they differ, two letters if those do, else numbers."""
    assert marks_of(["green", "red"]) == ("G", "R")
    assert marks_of(["green", "gold"]) == ("Gr", "Go")
    assert marks_of(["green", "grey"]) == ("1", "2")


def test_an_unknown_kind_is_refused() -> None:
    """A misspelt kind names the nearest one."""
    with pytest.raises(ConfigurationError, match="Maybe 'svg'"):
        picture(small()[0], None, "svgz")


def test_a_puzzle_without_title_has_its_problem_as_name() -> None:
    """The head of a picture is never empty."""
    problem = Cubical(replace(builtin("demo"), title=""))
    assert picture(problem, None, "text").decode().startswith("cubical: dimension 4")
