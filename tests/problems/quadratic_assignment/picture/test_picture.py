"""Heat maps: well-formed, exact, bounded in size, and safe with any name."""

from __future__ import annotations

import builtins
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.errors import ConfigurationError
from matheur.problems.quadratic_assignment import Instance, QuadraticAssignment, builtin, generate
from matheur.problems.quadratic_assignment.builtin import builtin_solution
from matheur.problems.quadratic_assignment.picture import picture
from matheur.problems.quadratic_assignment.picture.heatmap import CELLS_MAX, LEVELS, heat_map
from matheur.problems.quadratic_assignment.picture.palette import DARK, LIGHT, colour_of
from matheur.problems.quadratic_assignment.picture.scene import scene_of

SVG = "{http://www.w3.org/2000/svg}"


def demo() -> tuple[QuadraticAssignment, np.ndarray]:
    return QuadraticAssignment(builtin("demo")), builtin_solution("demo")


@st.composite
def instances(draw: st.DrawFn) -> tuple[QuadraticAssignment, np.ndarray | None]:
    """Any small instance, with no solution, a permutation, or any list of numbers."""
    n = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    most = 10 ** draw(st.integers(0, 7))
    flows, distances = (rng.integers(draw(st.sampled_from([0, -most])), most + 1, (n, n)) for _ in range(2))
    kinds = [
        None,
        rng.permutation(n),
        rng.integers(0, n, n),
        rng.integers(-2, n + 2, n),
        np.zeros(n + 1, dtype=np.int32),
    ]
    problem = QuadraticAssignment(Instance(flows, distances, draw(st.text(max_size=10))))
    return problem, draw(st.sampled_from(kinds))


class Page(HTMLParser):
    """Elements with their attributes, and all text, of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(max_examples=40)
@given(instances())
def test_everything_can_be_drawn(drawn: tuple[QuadraticAssignment, np.ndarray | None]) -> None:
    """Any instance with any solution, also one that is none, has an SVG that parses, a page, and text."""
    problem, solution = drawn
    root = ElementTree.fromstring(picture(problem, solution, "svg"))
    maps = [group for group in root.iter(f"{SVG}g") if group.get("class") == "map"]
    scene = scene_of(problem, solution)
    assert len(maps) == len(scene.maps) == (3 if scene.places else 2)
    page = Page(picture(problem, solution, "html").decode())
    assert not page.open
    text = picture(problem, solution, "text").decode()
    assert all(letter.isprintable() for letter in text.replace("\n", ""))
    if solution is not None:
        valid = problem.evaluate(solution).feasible
        assert ("not valid" in text) != valid
        assert scene.cost is None or scene.cost == problem.evaluate(solution).objective


def test_costs_are_exact() -> None:
    """Costs of facilities and pairs are sums of flow times distance, and what is shown adds up to the objective."""
    problem, solution = demo()
    scene = scene_of(problem, solution)
    one = problem.instance
    costs = one.flows * one.distances[np.ix_(solution, solution)]
    assert scene.cost == costs.sum() == sum(int(number) for number in scene.maps[2].numbers)
    assert scene.places == tuple(problem.encode(solution))
    assert scene.burdens[4] == costs[4].sum() + costs[:, 4].sum()
    first = scene.pairs[0]
    assert first.cost == (costs + costs.T).max() == costs[first.one - 1, first.two - 1] * 2
    assert [pair.cost for pair in scene.pairs] == sorted((pair.cost for pair in scene.pairs), reverse=True)
    assert scene.maps[1].columns == scene.places


def test_asymmetric_pairs_show_both_ways() -> None:
    """Flow and distance there and back are told apart, and a diagonal counts once."""
    flows = np.array([[5, 2], [3, 0]])
    distances = np.array([[4, 10], [7, 0]])
    scene = scene_of(QuadraticAssignment(Instance(flows, distances)), np.array([0, 1], dtype=np.int32))
    assert [(pair.one, pair.two, pair.flows, pair.distances, pair.cost) for pair in scene.pairs] == [
        (1, 2, "2 / 3", "10 / 7", 41),
        (1, 1, "5", "4", 20),
    ]
    assert scene.cost == 61
    assert scene.burdens == (61, 41)
    assert "asymmetric, with a diagonal" in scene.maps[0].note


def test_levels() -> None:
    """Zero has a colour of its own, signs are kept, and large ranges are logarithmic."""
    plain = heat_map(np.array([[0, 1], [-6, 12]]), "", "", "")
    assert plain.levels.tolist() == [[0, 1], [-6, LEVELS]]
    assert (plain.low, plain.high, plain.logarithmic) == ("-12", "12", False)
    wide = heat_map(np.array([[0, 1, 1], [1, 10, 10], [100, 1, 10**6]]), "", "", "")
    assert wide.logarithmic
    assert wide.levels.tolist() == [[0, 1, 1], [1, 2, 2], [4, 1, LEVELS]]
    assert (wide.low, wide.high) == ("1", "1,000,000")
    assert heat_map(np.zeros((3, 3), dtype=np.int64), "", "", "").levels.max() == 0


def test_large_matrices_are_drawn_in_blocks() -> None:
    """Beyond a hundred facilities cells are means of blocks, so that the picture stays small."""
    matrix = np.arange(250 * 250).reshape(250, 250)
    one = heat_map(matrix, "", "", "")
    assert (one.size, one.block) == (84, 3)
    assert one.size <= CELLS_MAX
    assert one.high == f"{matrix[249:, 249:].mean():,.0f}"
    instance, solution = generate("uniform", 250, seed=1)
    problem = QuadraticAssignment(instance)
    svg = picture(problem, solution, "svg")
    assert len(svg) < 500_000
    assert b"means of 3 x 3" in svg
    text = picture(problem, solution, "text").decode()
    assert max(map(len, text.splitlines())) < 120


def test_small_matrices_have_numbers_and_hints() -> None:
    """Up to 16 facilities each cell shows its number, up to 24 it has a hint."""
    problem, solution = demo()
    root = ElementTree.fromstring(picture(problem, solution, "svg"))
    hints = [title.text for title in root.iter(f"{SVG}title")]
    assert f"flow from 1 to 11: {problem.instance.flows[0, 10]}" in hints
    assert len(hints) == 1 + 3 * 144
    instance, _ = generate("uniform", 20, seed=1)
    one = heat_map(instance.flows, "", "", "")
    assert (one.numbers, len(one.hints)) == ((), 400)


def test_areas_are_the_levels() -> None:
    """The rectangles of the large maps cover each level where it is, and nothing else."""
    instance, _ = generate("clustered", 40, seed=2)
    root = ElementTree.fromstring(picture(QuadraticAssignment(instance), None, "svg"))
    drawn = np.zeros((40, 40), dtype=int)
    first = next(group for group in root.iter(f"{SVG}g") if group.get("class") == "map")
    names = {colour_of(level): level for level in range(-LEVELS, LEVELS + 1)}
    for path in first.iter(f"{SVG}path"):
        for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1", path.get("d", "")):
            drawn[int(y), int(x) : int(x) + int(width)] += names[path.get("class", "")]
    assert (drawn == heat_map(instance.flows, "", "", "").levels).all()


def test_text_shows_the_permutation() -> None:
    """The terminal gets facilities above their locations, the matrices, and the dearest pairs."""
    lines = picture(*demo(), "text").decode().splitlines()
    assert lines[:2] == ["demo: 12 facilities", "cost 436"]
    assert lines[3].split() == ["facility", *map(str, range(1, 13))]
    assert lines[4].split()[1:] == [str(place) for place in scene_of(*demo()).places]
    assert lines[7].split() == [str(flow) for flow in demo()[0].instance.flows[0]]
    assert "dearest pairs" in lines


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "</style><!--", "&\"'", "$\\frac$", "鳥🐦", "\x1b[31m\ud800" * 99]
)
@pytest.mark.parametrize("kind", ["svg", "html", "png", "text"])
def test_names_cannot_break_a_picture(name: str, kind: str) -> None:
    """Markup, formulas, control characters and letters without glyphs are shown harmlessly, and long names cut."""
    if kind == "png":
        pytest.importorskip("matplotlib")
    problem = QuadraticAssignment(Instance(np.ones((2, 2), dtype=np.int64), np.ones((2, 2), dtype=np.int64), name))
    drawn = picture(problem, np.array([1, 0], dtype=np.int32), kind)
    if kind == "png":
        assert drawn.startswith(b"\x89PNG")
        return
    assert b"\x1b" not in drawn
    assert len(drawn) < 20_000
    if kind == "svg":
        ElementTree.fromstring(drawn)
    if kind == "html":
        assert not [tag for tag, _ in Page(drawn.decode()).elements if tag == "script"]


def test_the_page_loads_nothing() -> None:
    """The policy forbids everything but the page's style, there is no script, and no address is named."""
    page = picture(*demo(), "html").decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1] == "default-src 'none'; style-src 'unsafe-inline'"
    assert page.count("http") == 1  # http-equiv
    for forbidden in ("src=", "href=", "@import", "url(", "<script"):
        assert forbidden not in page.replace("default-src", "").replace("style-src", "")
    regions = [attrs["aria-label"] for _, attrs in Page(page).elements if attrs.get("role") == "region"]
    assert regions == ["Facilities", "Dearest pairs"]


def test_both_themes_are_whole() -> None:
    """Light and dark paper have all levels."""
    assert LIGHT.keys() == DARK.keys()
    assert {colour_of(level) for level in range(-LEVELS, LEVELS + 1)} < LIGHT.keys()
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in (*LIGHT.values(), *DARK.values()))


def test_png_shows_the_levels() -> None:
    """The image has one and a half times the size of the SVG, the colours of the maps, and is the same each time."""
    pytest.importorskip("matplotlib")
    from io import BytesIO

    from matplotlib.image import imread

    first = picture(*demo(), "png")
    image = imread(BytesIO(first))
    root = ElementTree.fromstring(picture(*demo(), "svg"))
    assert image.shape[1] == pytest.approx(1.5 * float(root.get("width", 0)), abs=2)
    strongest = [int(LIGHT[f"p{LEVELS}"][i : i + 2], 16) for i in (1, 3, 5)]
    assert (abs(image[..., :3] * 255 - strongest).max(axis=2) < 1).sum() > 1000
    assert first == picture(*demo(), "png")


def test_png_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where matplotlib is missing, the error names the extra."""
    real = builtins.__import__

    def refuse(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ConfigurationError, match=r"matheur\[plot\]"):
        picture(*demo(), "png")


def test_an_unknown_kind_is_refused() -> None:
    """A misspelt kind names the nearest one."""
    with pytest.raises(ConfigurationError, match="Maybe 'svg'"):
        picture(demo()[0], None, "svgz")
