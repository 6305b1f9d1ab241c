"""The page as a browser shows it: complete, quiet, sortable, on a phone, whatever things are called."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser
from campaign.report.conftest import HOSTILE, REASON, VARIANT

from matheur.campaign.report import Written

COLUMN = "[...document.querySelectorAll('#table-instances tbody tr')].map(row => row.cells[{}].dataset.v ?? null)"
BUTTON = "document.querySelectorAll('#table-instances thead button')[{}]"


@pytest.fixture
def page(browser: Browser, written: Written) -> Browser:
    """The report, opened."""
    browser.open(written.page.as_uri())
    return browser


def test_it_opens_without_a_word(page: Browser, written: Written) -> None:
    """Nothing is said on the console, and nothing is asked for but the page and what is in it."""
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.load_images() == page.evaluate("document.images.length") >= 3
    assert page.errors == []
    assert page.requests[0] == written.page.as_uri()
    assert all(address.startswith("data:image/svg+xml") for address in page.requests[1:])
    assert "violates" not in str(page.errors)


def test_plots_and_pictures_are_there(page: Browser) -> None:
    """Every plot has lines, ticks, a name; every picture has a size and words."""
    plots = page.evaluate(
        "[...document.querySelectorAll('svg.plot')].map(one => [one.querySelectorAll('.line, .dot').length,"
        " one.querySelectorAll('.tick').length, one.getAttribute('aria-label').length,"
        " one.getBoundingClientRect().width])"
    )
    assert len(plots) > 3
    for lines, ticks, label, width in plots:
        assert lines >= 1
        assert ticks >= 4
        assert label > 30
        assert width > 200
    page.load_images()
    pictures = page.evaluate("[...document.images].map(one => [one.getBoundingClientRect().width, one.alt.length])")
    assert len(pictures) >= 3
    assert all(width > 100 and words > 10 for width, words in pictures)


def test_tables_sort_by_click(page: Browser) -> None:
    """A click sorts numbers as numbers, a second one turns the order, and the heading and a live region say so."""
    before = page.evaluate(COLUMN.format(5))
    numbers = [float(text) for text in before]
    assert numbers not in (sorted(numbers), sorted(numbers, reverse=True))
    page.evaluate(BUTTON.format(5) + ".click()")
    assert [float(text) for text in page.evaluate(COLUMN.format(5))] == sorted(numbers)
    assert page.evaluate(BUTTON.format(5) + ".parentElement.getAttribute('aria-sort')") == "ascending"
    page.evaluate(BUTTON.format(5) + ".click()")
    assert [float(text) for text in page.evaluate(COLUMN.format(5))] == sorted(numbers, reverse=True)
    assert page.evaluate("document.getElementById('said').textContent") == "Sorted by median, descending"


def test_tables_sort_by_keyboard(page: Browser) -> None:
    """With Tab one comes from heading to heading, with Enter and the space bar one sorts."""
    page.evaluate(BUTTON.format(1) + ".focus()")
    page.press("Tab")
    assert page.evaluate("document.activeElement === " + BUTTON.format(2))
    page.press("Enter")
    assert page.evaluate(BUTTON.format(2) + ".parentElement.getAttribute('aria-sort')") == "ascending"
    page.press(" ")
    assert page.evaluate(BUTTON.format(2) + ".parentElement.getAttribute('aria-sort')") == "descending"
    assert page.evaluate("document.querySelectorAll('#table-instances [aria-sort=none]').length") == 15


def test_missing_values_stay_last(page: Browser) -> None:
    """Rows without a value are below the others in either order."""
    for _ in range(2):
        page.evaluate(BUTTON.format(3) + ".click()")
        found = page.evaluate(COLUMN.format(3))
        known = [text for text in found if text is not None]
        assert 0 < len(known) < len(found)
        assert found[: len(known)] == known


def test_hostile_names_are_text(page: Browser) -> None:
    """Names and reasons are shown as they are, none of them does anything."""
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    shown = page.evaluate("document.body.textContent")
    for text in (*HOSTILE[:4], REASON, VARIANT):
        assert text in shown
    assert "line\\nbreak \\u202egnp.exe \\x1b[31m" in shown
    assert page.evaluate("document.title").endswith(": report")
    assert page.evaluate("document.scripts.length") == 1
    assert page.evaluate("document.querySelectorAll('img:not([src^=\"data:\"]), [onclick], [onerror]').length") == 0


def test_links_lead_to_files_and_configurations(page: Browser, written: Written) -> None:
    """Every link inside the page finds its place, every other one an existing file of the campaign."""
    addresses = page.evaluate("[...document.querySelectorAll('a')].map(one => [one.getAttribute('href'), one.href])")
    inner = {href for href, _ in addresses if href.startswith("#")}
    files = {url for href, url in addresses if not href.startswith("#")}
    assert len(inner) > 10
    assert len(files) > 20
    for href in inner:
        assert page.evaluate(f"document.getElementById({href[1:]!r}) !== null"), href
    for url in files:
        assert Path(url.removeprefix("file://")).is_file(), url
    listed = page.evaluate("[...document.querySelectorAll('figure')].map(one => one.querySelectorAll('li a').length)")
    assert all(count >= 2 for count in listed)  # a configuration and a run, at least
    page.evaluate("document.querySelector('a[href=\"#configuration-1\"]').click()")
    page.evaluate("new Promise(done => setTimeout(done, 50))")
    assert page.evaluate("document.getElementById('configuration-1').closest('details').open")


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_all_of_it(browser: Browser, written: Written, dark: bool) -> None:
    """At the width of a phone nothing overflows sideways; wide tables scroll in their frames."""
    browser.open(written.page.as_uri(), width=360, height=740, dark=dark)
    browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert browser.evaluate("document.documentElement.scrollWidth") == 360
    framed = ".wide, .frame, pre, svg, .skip, .said"
    beyond = (
        f"[...document.querySelectorAll('body *')].filter(one => !one.closest('{framed}')"
        " && one.getBoundingClientRect().right > 361).map(one => one.outerHTML.slice(0, 80))"
    )
    assert browser.evaluate(beyond) == []
    sizes = browser.evaluate("[...document.querySelectorAll('svg.plot')].map(one => one.getBoundingClientRect().width)")
    assert min(sizes) > 280
    browser.evaluate("document.querySelector('.zoom').click()")
    assert browser.evaluate("document.documentElement.scrollWidth") == 360


def test_themes_differ_and_can_be_read(browser: Browser, written: Written) -> None:
    """Text stands out from its ground in both themes (contrast of at least 4.5 after WCAG 2)."""
    grounds = set()
    for dark in (False, True):
        browser.open(written.page.as_uri(), dark=dark)
        for selector in ("body", "a", ".note", "th button", ".good", ".bad", "summary"):
            ink, ground = browser.evaluate(
                f"[getComputedStyle(document.querySelector({selector!r})).color,"
                " getComputedStyle(document.body).backgroundColor]"
            )
            grounds.add(ground)
            assert contrast(ink, ground) >= 4.5, (dark, selector)
        for number in range(8):
            ink = browser.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--c{number}').trim()")
            assert contrast(ink, ground) >= 3, (dark, number)
    assert len(grounds) == 2


def test_a_large_board_can_be_read(browser: Browser, written: Written, tmp_path: Path) -> None:
    """A board of 16 x 16 pieces fills its card, and in full size it has 40 pixels a piece."""
    browser.open(written.page.as_uri(), width=1280)
    board = "[...document.images].find(one => one.alt.startsWith('edge-matching/16x16'))"
    browser.load_images()
    assert browser.evaluate(f"{board}.getBoundingClientRect().width") > 320
    browser.evaluate(f"{board}.closest('figure').querySelector('.zoom').click()")
    assert browser.evaluate(f"{board}.getBoundingClientRect().width") >= 640
    assert browser.evaluate(f"{board}.closest('figure').querySelector('.zoom').ariaPressed") == "true"
    assert browser.evaluate(f"{board}.closest('.frame').scrollWidth - {board}.closest('.frame').clientWidth") == 0
    browser.screenshot(tmp_path / "board.png")
    assert (tmp_path / "board.png").stat().st_size > 10_000


def contrast(one: str, other: str) -> float:
    """Ratio of the luminances of two colours, from 1 to 21."""
    low, high = sorted(luminance(colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance of `rgb(...)` or `#rrggbb` after WCAG 2."""
    if colour.startswith("#"):
        parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    else:
        parts = [int(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in (part / 255 for part in parts)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
