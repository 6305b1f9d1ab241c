"""Pictures of parties: well-formed, complete, exact, and safe with any name."""

from __future__ import annotations

import builtins
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.errors import ConfigurationError
from matheur.problems.party import (
    Catalogue,
    Constraint,
    CountConstraint,
    DistinctConstraint,
    Instance,
    MaxSameConstraint,
    Measure,
    Party,
    SumConstraint,
    Synergy,
    Term,
    Trait,
)
from matheur.problems.party.picture import picture
from matheur.problems.party.picture.palette import DARK, LEVELS, LIGHT, level_of
from matheur.problems.party.picture.phrases import demand_words, share_words
from matheur.problems.party.picture.scene import scene_of
from matheur.problems.party.picture.words import amount, fitted, width_of, wrapped

SVG = "{http://www.w3.org/2000/svg}"
NASTY = [
    "<script>alert(1)</script>",
    "</style><!--",
    "&\"'`${x}",
    "$\\frac$",
    "鳥🐦",
    "]]>",
    "\x1b[31m\u202e\ud800\n",
    "w" * 200,
]


def trait(cells: list[str]) -> Trait:
    values = sorted({cell for cell in cells if cell})
    codes = np.array([values.index(cell) if cell else -1 for cell in cells], dtype=np.int32)
    return Trait(tuple(values), codes)


def small(**changes: Any) -> Party:
    """Four slots in a ring, six items; the party 0 1 2 3 has the synergy 5/8."""
    catalogue = Catalogue(
        ["a", "b", "c", "d", "e", "f"],
        np.array([10, 20, 30, 1000, 0, -1], dtype=np.int64),
        {
            "race": trait(["Elf", "Elf", "Orc", "Orc", "Elf", "Elf"]),
            "realm": trait(["North", "North", "North", "North", "", "South"]),
        },
        {"level": Measure(np.array([75, 80, 85, 905, 700, 0], dtype=np.int64), np.array([0, 0, 0, 0, 0, 1], bool), 10)},
    )
    demands: tuple[Constraint, ...] = (
        SumConstraint("level", ">=", Fraction(100)),
        CountConstraint("race", ("Elf", "Dwarf"), "==", Fraction(2)),
        DistinctConstraint("race", ">=", Fraction(2)),
        MaxSameConstraint("realm", Fraction(3)),
    )
    fits = np.ones((4, 6), dtype=bool)
    fits[3, :3] = False
    terms = (Term("race", Fraction(3)), Term("realm", Fraction(1)))
    edges = np.array([[0, 1], [1, 2], [2, 3], [0, 3]], dtype=np.int32)
    instance = Instance(
        catalogue, ("N", "E", "S", "W"), fits, edges, Synergy(terms, Fraction(3, 5)), demands, name="ring"
    )
    return Party(replace(instance, **changes))


def party(*items: int) -> np.ndarray:
    return np.array(items, dtype=np.int32)


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[Party, np.ndarray | None]:
    """Small puzzles with any names, and any choice of items."""
    text = st.text(max_size=12)
    slots, items = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    number = st.integers(0, items - 1)
    codes = st.lists(st.integers(-1, 2), min_size=items, max_size=items)
    names = draw(st.lists(text.filter(bool), min_size=3, max_size=3, unique=True))
    traits = {name: Trait(("x", "y<", "z" * 99), np.array(draw(codes), dtype=np.int32)) for name in names[:2]}
    missing = np.array(draw(st.lists(st.booleans(), min_size=items, max_size=items)))
    amounts = np.array(draw(st.lists(st.integers(-999, 999), min_size=items, max_size=items)), dtype=np.int64)
    prices = np.array(draw(st.lists(st.integers(-1, 5000), min_size=items, max_size=items)), dtype=np.int64)
    catalogue = Catalogue(
        [f"{i}{draw(text)}" for i in range(items)], prices, traits, {names[2]: Measure(amounts, missing, 10)}
    )
    share = st.fractions(0, 1, max_denominator=7)
    terms = tuple(
        Term(name, draw(share) + 1, pairs={("x", "y<"): draw(share)}) for name in names[: draw(st.integers(1, 2))]
    )
    op: Any = draw(st.sampled_from([">=", "<=", "=="]))
    limit = draw(st.fractions(-9, 30, max_denominator=4))
    demands = (
        SumConstraint(names[2], op, limit),
        CountConstraint(names[0], ("x", "q"), op, limit),
        DistinctConstraint(names[1], op, limit),
        MaxSameConstraint(names[0], limit),
    )
    every = [(a, b) for a in range(slots) for b in range(a + 1, slots)]
    edges = draw(st.lists(st.sampled_from(every), unique=True, max_size=6)) if every else []
    one = Instance(
        catalogue,
        tuple(f"{i}{draw(text)}" for i in range(slots)),
        np.array(draw(st.lists(st.booleans(), min_size=slots * items, max_size=slots * items))).reshape(slots, items),
        np.array(edges, dtype=np.int32).reshape(-1, 2),
        draw(st.none() | st.just(Synergy(terms, draw(st.none() | share)))),
        demands[: draw(st.integers(0, 4))],
        {0: draw(number)} if draw(st.booleans()) else {},
        frozenset(draw(st.lists(number, max_size=2))),
        draw(text),
    )
    chosen = draw(st.none() | st.lists(number, min_size=slots, max_size=slots))
    return Party(one), None if chosen is None else party(*chosen)


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
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(max_examples=20)
@given(puzzles())
def test_everything_can_be_drawn(drawn: tuple[Party, np.ndarray | None]) -> None:
    """Any puzzle and any choice of items has an SVG that parses, a page that closes its elements, and text."""
    problem, solution = drawn
    root = ElementTree.fromstring(picture(problem, solution, "svg"))
    kinds = [group.get("class") for group in root.iter(f"{SVG}g")]
    assert kinds.count("card") == len(problem.instance.slots)
    assert kinds.count("link") == len(problem.instance.edges)
    page = Page(picture(problem, solution, "html").decode())
    assert not page.open
    assert not [tag for tag, _ in page.elements if tag == "script"]
    text = picture(problem, solution, "text").decode()
    assert all(letter.isprintable() for letter in text.replace("\n", ""))


@settings(max_examples=40)
@given(puzzles())
def test_figures_agree_with_the_evaluator(drawn: tuple[Party, np.ndarray | None]) -> None:
    """Edges add up to the synergy, and without wrong cards and failing demands the evaluator accepts the party."""
    problem, solution = drawn
    scene = scene_of(problem, solution)
    if solution is None:
        assert all(demand.value is demand.slack is demand.ok is None for demand in scene.demands)
        assert scene.price == problem.trivial_bound
        return
    evaluation = problem.evaluate(solution)
    assert scene.price == evaluation.objective
    if problem.instance.synergy is not None and scene.links:
        shares = [link.synergy for link in scene.links if link.synergy is not None]
        assert sum(shares, Fraction(0)) / len(scene.links) == problem.synergy(solution) == scene.synergy
    lacking = [
        c for c in problem.instance.constraints if isinstance(c, SumConstraint) and missing(problem, c, solution)
    ]
    sound = all(demand.ok for demand in scene.demands) and not any(card.wrong for card in scene.cards) and not lacking
    assert sound == evaluation.feasible
    assert all((demand.slack >= 0) == demand.ok for demand in scene.demands if demand.slack is not None)


def missing(problem: Party, constraint: SumConstraint, solution: np.ndarray) -> bool:
    return bool(problem.instance.catalogue.measures[constraint.column].missing[solution].any())


def test_edges_with_their_terms() -> None:
    """An edge has its share of the greatest synergy, and says which terms match with which values."""
    scene = scene_of(small(), party(0, 1, 2, 3))
    assert [link.synergy for link in scene.links] == [1, Fraction(1, 4), 1, Fraction(1, 4)]
    assert [(m.column, m.one, m.two, m.match) for m in scene.links[1].matches] == [
        ("race", "Elf", "Orc", 0),
        ("realm", "North", "North", 1),
    ]
    root = ElementTree.fromstring(picture(small(), party(0, 1, 2, 3), "svg"))
    titles = [group.findtext(f"{SVG}title") for group in root.iter(f"{SVG}g") if group.get("class") == "link"]
    assert titles[1] == "E – S: synergy 0.25\nrace: 0 (Elf and Orc)\nrealm: 1 (North)"
    labels = [group for group in root.iter(f"{SVG}g") if group.get("class") == "label"]
    assert [label.findtext(f"{SVG}text") for label in labels] == ["4/4", "1/4", "4/4", "1/4"]
    colours = [label.find(f"{SVG}rect").get("class") for label in labels]  # type: ignore[union-attr]
    assert colours == ["f-paper s-edge6", "f-paper s-edge2", "f-paper s-edge6", "f-paper s-edge2"]


def test_demands_with_their_slack() -> None:
    """Each demand has its value, limit and slack; violated ones are marked, and so are wrong cards."""
    scene = scene_of(small(), party(0, 1, 2, 3))
    assert [(demand.name, demand.value, demand.slack, demand.ok) for demand in scene.demands] == [
        ("synergy >= 0.6", Fraction(5, 8), Fraction(1, 40), True),
        ("sum of level >= 100", Fraction(229, 2), Fraction(29, 2), True),
        ("count of race Elf or Dwarf == 2", 2, 0, True),
        ("distinct race >= 2", 2, 0, True),
        ("at most 3 of the same realm", 4, -1, False),
    ]
    assert demand_words(scene.demands[0]) == "is 0.625, slack 0.025; 10 of 16 points, 10 needed"
    assert demand_words(scene.demands[1]) == "is 114.5, slack 14.5; ≈ 28.62 on average"
    assert demand_words(scene.demands[4]) == "is 4, exceeds by 1; of 'North'"
    wrong = scene_of(small(excluded=frozenset({0}), fixed={1: 2}), party(0, 0, 5, 1))
    assert [card.wrong for card in wrong.cards] == [
        ("is excluded", "is used 2 times"),
        ("is excluded", "another is fixed here", "is used 2 times"),
        ("has no price",),
        ("does not fit",),
    ]
    svg = picture(small(excluded=frozenset({0}), fixed={1: 2}), party(0, 0, 5, 1), "svg").decode()
    assert svg.count('class="f-card s-bad"') == 4
    assert "has no price" in svg


def test_text_is_a_table() -> None:
    """The terminal gets slots with items, edges with what matches, demands with marks, and the violations."""
    lines = picture(small(), party(0, 1, 2, 3), "text").decode().splitlines()
    assert lines[:2] == ["ring: 4 slots, 4 edges, 6 items", "price 1,060, synergy 0.625, not valid: 1 violation"]
    assert lines[3].split() == ["slot", "item", "price", "level", "race", "realm"]
    assert lines[7].split() == ["W", "d", "1,000", "90.5", "Orc", "North"]
    assert lines[9:12] == ["edge   synergy  matches", "N – E  4/4      race, realm", "E – S  1/4      realm"]
    assert lines[15] == "✓ synergy >= 0.6: is 0.625, slack 0.025; 10 of 16 points, 10 needed"
    assert lines[19].startswith("✗ at most 3 of the same realm: is 4")
    assert lines[-1].startswith("✗ at most 3 of the same realm fails")


def test_without_a_party() -> None:
    """The formation shows candidates and demands; what is fixed is named."""
    problem = small(fixed={3: 4})
    lines = picture(problem, None, "text").decode().splitlines()
    assert lines[1] == "price at least 30, the sum of the cheapest candidates"
    assert lines[3].split() == ["slot", "candidates", "from", "fixed", "neighbours"]
    assert lines[4].split() == ["N", "4", "10", "E,", "W"]
    assert lines[7].split() == ["W", "1", "0", "e", "S,", "N"]
    assert "· sum of level >= 100" in lines
    page = Page(picture(problem, None, "html").decode())
    assert "4 candidates" in page.text
    assert "fixed: e" in page.text
    closed = picture(small(fits=np.zeros((4, 6), dtype=bool)), None, "text").decode()
    assert "cannot be solved: " in closed


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("kind", ["svg", "html", "png", "text"])
def test_names_cannot_break_a_picture(name: str, kind: str) -> None:
    """Markup, formulas, control characters and letters without glyphs are shown harmlessly, and long names cut."""
    if kind == "png":
        pytest.importorskip("matplotlib")
    one = small().instance
    nasty = trait([name, "a", name, "b", "c", "d"])
    column = f"{name}2"
    catalogue = replace(one.catalogue, ids=[name, *"bcdef"], traits={**one.catalogue.traits, column: nasty})
    demand = CountConstraint(column, (name,), ">=", Fraction(3))
    problem = Party(
        replace(
            one, catalogue=catalogue, slots=(name, "E", "S", "W"), name=name * 30, constraints=(demand,),
            synergy=Synergy((Term(column),), Fraction(1)),
        )
    )  # fmt: skip
    drawn = picture(problem, party(0, 1, 2, 3), kind)
    if kind == "png":
        assert drawn.startswith(b"\x89PNG")
        return
    assert b"\x1b" not in drawn
    assert len(drawn) < 30_000
    assert "w" * 210 not in drawn.decode()
    if kind == "svg":
        ElementTree.fromstring(drawn)
    if kind == "html":
        page = Page(drawn.decode())
        assert not [tag for tag, _ in page.elements if tag == "script"]
        assert not [attrs for _, attrs in page.elements if any(key.startswith("on") for key in attrs)]
        assert name[:6] in page.text or not name.isprintable()


def test_the_page_loads_nothing() -> None:
    """The policy forbids everything but the page's style, there is no script, and no address is named."""
    page = picture(small(), party(0, 1, 2, 3), "html").decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1] == "default-src 'none'; style-src 'unsafe-inline'"
    assert page.count("http") == 1  # http-equiv
    for forbidden in ("src=", "href=", "@import", "url(", "<script"):
        assert forbidden not in page.replace("default-src", "").replace("style-src", "")


def test_the_page_needs_no_mouse() -> None:
    """Each edge is a stop of the keyboard with its own hint, and the tables hold all that the hints say."""
    page = picture(small(), party(0, 1, 2, 3), "html").decode()
    elements = Page(page).elements
    stops = [attrs for tag, attrs in elements if tag == "g" and attrs.get("tabindex") == "0"]
    assert [stop["id"] for stop in stops] == ["e0", "e1", "e2", "e3"]
    assert stops[1]["aria-label"] == "E – S: synergy 0.25; race: 0 (Elf and Orc); realm: 1 (North)"
    hints = {attrs["id"] for tag, attrs in elements if attrs.get("class") == "tip"}
    assert hints == {"t0", "t1", "t2", "t3"}
    for i in range(4):
        assert f"#e{i}:focus~#t{i}" in page
    assert [attrs["aria-label"] for _, attrs in elements if attrs.get("role") == "region"] == [
        "demands",
        "slots",
        "edges",
    ]


def test_both_themes_are_whole() -> None:
    """Light and dark paper name the same colours, and every colour that the drawing uses is one of them."""
    assert LIGHT.keys() == DARK.keys()
    svg = picture(small(), party(0, 1, 2, 3), "svg").decode()
    used = set(re.findall(r'[ "][fs]-([a-z0-9]+)', svg.split("</style>")[1]))
    assert {"ink", "edge6", "group1"} <= used <= LIGHT.keys()


def test_png_has_the_size_of_the_svg() -> None:
    """The image is one and a half times as large as the SVG, and the same each time."""
    pytest.importorskip("matplotlib")
    from io import BytesIO

    from matplotlib.image import imread

    first = picture(small(), party(0, 1, 2, 3), "png")
    image = imread(BytesIO(first))
    root = ElementTree.fromstring(picture(small(), party(0, 1, 2, 3), "svg"))
    assert image.shape[1] == pytest.approx(1.5 * float(root.get("width", 0)), abs=2)
    assert image.shape[0] == pytest.approx(1.5 * float(root.get("height", 0)), abs=2)
    assert first == picture(small(), party(0, 1, 2, 3), "png")


def test_png_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where matplotlib is missing, the error names the extra."""
    real = builtins.__import__

    def refuse(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ConfigurationError, match=r"matheur\[plot\]"):
        picture(small(), None, "png")


def test_an_unknown_kind_is_refused() -> None:
    """A misspelt kind names the nearest one."""
    with pytest.raises(ConfigurationError, match="Maybe 'svg'"):
        picture(small(), None, "svgz")


def test_what_is_no_party_is_said() -> None:
    """Items that do not exist, or too few, leave the formation and the reason."""
    for items in (party(0, 1), party(0, 1, 2, 99)):
        text = picture(small(), items, "text").decode()
        assert "not valid: a party has one existing item for each of the 4 slots" in text
        assert "candidates" in text


def test_many_demands_are_cut() -> None:
    """Hundreds of demands make no picture of hundreds of lines; the page has them all."""
    demands = tuple(DistinctConstraint("race", ">=", Fraction(number, 1000)) for number in range(300))
    problem = small(constraints=demands)
    assert b"and 277 more demands" in picture(problem, None, "svg")
    assert picture(problem, None, "html").count(b"<tr>") > 300


def test_words() -> None:
    """Numbers are exact or marked as rounded; texts keep to their room."""
    assert [amount(value) for value in (9000, Fraction(4, 5), Fraction(41, 51), Fraction(-1, 7000), 10**5000)] == [
        "9,000",
        "0.8",
        "≈ 0.8039",
        "≈ -0.00014",
        "≈ 2^16609",
    ]
    assert [share_words(Fraction(1, 3), 3), share_words(Fraction(1, 7), 0), share_words(Fraction(1, 999), 0)] == [
        "1/3",
        "14%",
        "<1%",
    ]
    assert fitted("Brotherhood of the Long Name", 60, 11).endswith("…")
    assert width_of(fitted("Brotherhood of the Long Name", 60, 11), 11) <= 60
    assert wrapped("one two three four", 50, 11, 2)[1].endswith("…")
    assert [level_of(Fraction(number, 6)) for number in range(7)] == [0, 1, 2, 3, 4, 5, LEVELS]
