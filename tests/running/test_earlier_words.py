"""Options of a run in the words of an earlier version."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from matheur.engine.options import configure
from matheur.errors import ConfigurationError
from matheur.running.configuration import Configuration, resolve
from matheur.running.earlier_words import as_before, of_today, say_renamed
from matheur.running.solving import solve

NOW = """
neighbourhoods = ["region"]
seconds = 7.0

[construction]
name = "milp-greedy"
height = 2

[acceptance]
name = "annealing"
start = 3.0
"""
BEFORE = {
    "plain": """
        construct = "milp-greedy"
        neighbourhoods = ["region"]
        time = 7.0
        [construction]
        height = 2
        [accept]
        name = "annealing"
        start = 3.0
    """,
    "dotted": """
        time = 7.0
        construction.height = 2
        construct = "milp-greedy"
        accept.start = 3.0
        accept.name = "annealing"
        neighbourhoods = ["region"]
    """,
}


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Notes are said again in each test."""
    say_renamed.cache_clear()


def of(tmp_path: Path, text: str, **more: Any) -> Configuration:
    """The run of an edge-matching board that a file describes."""
    file = tmp_path / "run.toml"
    file.write_text(text)
    return resolve("edge-matching", file=file, **more)


@pytest.mark.parametrize("way", BEFORE)
def test_a_file_in_earlier_words_is_the_same_run(way: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each earlier word is noted once, with the file and the word of today."""
    assert of(tmp_path, BEFORE[way]) == of(tmp_path, NOW)
    of(tmp_path, BEFORE[way])
    said = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(said) == 3
    for before, now in (("construct", "construction"), ("accept", "acceptance"), ("time", "seconds")):
        assert sum(f"run.toml: '{before}' is called '{now}' now" in line for line in said) == 1


def test_words_of_today_are_not_noted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """There is nothing to say about a file of today, nor about presets."""
    of(tmp_path, NOW)
    assert not caplog.records


def test_settings_and_options_in_earlier_words(tmp_path: Path) -> None:
    """They are laid over a file in the words of today, and the other way round."""
    settings = ["time=3", "construct=random", "accept=record-to-record", "accept.deviation=2"]
    found = of(tmp_path, "seconds = 7.0\n", settings=settings)
    assert found.seconds == 3
    assert found.construction == {"name": "random"}
    assert found.acceptance == {"name": "record-to-record", "deviation": 2}
    over = of(tmp_path, BEFORE["plain"], settings=["seconds=3", "construction.height=4"])
    assert (over.seconds, over.construction) == (3, {"name": "milp-greedy", "height": 4})
    given = resolve("edge-matching", overrides={"construct": "random", "accept": "improving", "time": 1.0})
    assert given == resolve(
        "edge-matching", overrides={"construction": "random", "acceptance": "improving", "seconds": 1.0}
    )


@pytest.mark.parametrize(
    "text",
    ["time = 1.0\nseconds = 2.0", "accept = 'improving'\nacceptance = 'annealing'",
     "construct = 'random'\nconstruction = 'beam'", "construct = 'random'\n[construction]\nname = 'beam'"],
)  # fmt: skip
def test_one_thing_in_both_words_is_refused(text: str, tmp_path: Path) -> None:
    """Nobody can say which of the two is meant."""
    with pytest.raises(ConfigurationError, match=r"is the earlier name of '\w+'\. Maybe leave '\w+' out\?"):
        of(tmp_path, text)


@pytest.mark.parametrize("text", ["construct = 5", "time = 'soon'", "accept = ['annealing']", "construct = {a = 1}"])
def test_wrong_values_in_earlier_words_are_refused(text: str, tmp_path: Path) -> None:
    """The error is that of the word of today."""
    with pytest.raises(ConfigurationError, match=r"construction|seconds|acceptance"):
        of(tmp_path, text)


def test_a_preset_of_another_package_may_say_earlier_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The note names it."""
    files = {"mine": tmp_path / "mine.toml", "today": tmp_path / "today.toml"}
    files["mine"].write_text(BEFORE["plain"])
    files["today"].write_text(NOW)
    monkeypatch.setattr("matheur.running.configuration._presets", lambda _: files)
    assert resolve("edge-matching", preset="mine") == resolve("edge-matching", preset="today")
    assert "preset 'mine' of 'edge-matching': 'construct' is called 'construction' now" in caplog.text


def test_a_complete_configuration_goes_there_and_back() -> None:
    """What digests are made of is what an earlier version wrote, and it is read as the same configuration."""
    found = resolve("party", overrides={"construction": {"name": "islands", "islands": 3}})
    before = as_before(found.to_dict())
    assert before["construct"] == "islands"
    assert before["construction"]["islands"] == 3
    assert "name" not in before["construction"]
    assert before["time"] == found.seconds
    assert before["accept"] == found.acceptance
    assert configure(Configuration, of_today(before, None)) == found


def test_the_criterion_of_a_script_by_its_earlier_name(caplog: pytest.LogCaptureFixture) -> None:
    """`accept` of `solve` is `acceptance`, with a note."""
    way: dict[str, Any] = {"construction": "random", "neighbourhoods": ["swap-rotate"], "iterations": 2}
    found = solve("edge-matching/3x3", accept="improving", **way)
    assert found.configuration == solve("edge-matching/3x3", acceptance="improving", **way).configuration
    assert found.configuration["acceptance"] == {"name": "improving"}
    assert "'accept' is called 'acceptance' now" in caplog.text
