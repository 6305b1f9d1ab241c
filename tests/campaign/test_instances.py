"""Instances by pattern."""

from __future__ import annotations

from pathlib import Path

import pytest

from matheur.campaign.configuration import campaign_of, read_campaign
from matheur.campaign.instances import find_instances
from matheur.campaign.plan import make_plan
from matheur.errors import ConfigurationError, InputError


def names(folder: Path, *patterns: object, data: Path | None = None, **more: object) -> list[str]:
    """Names of the instances of patterns relative to a folder."""
    campaign = campaign_of({"instances": list(patterns), **more}, folder / "c.toml")
    return [one.name for one in find_instances(campaign, data)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two folders with files of the same name, and their hidden solutions."""
    for name in ("a/x.txt", "b/x.txt", "b/y.txt", "b/y.txt.solution.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("2 2\n")
    return tmp_path


def test_short_names_unless_two_files_share_one(folder: Path) -> None:
    """A file is named by its stem, or by its path where stems repeat; solutions of generated instances are left out."""
    assert names(folder, "*/*") == ["a/x.txt", "b/x.txt", "y"]
    assert names(folder, "b/*.txt") == ["x", "y"]
    assert names(folder, {"pattern": "a/x.txt", "name": "mine"}, "b/x.txt") == ["mine", "b/x.txt"]


def test_a_folder_means_its_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them and those below, without hidden ones; an empty folder is an error; --instances starts from here."""
    (folder / "b" / ".notes").write_text("x")
    (folder / "b" / "deep" / ".git").mkdir(parents=True)
    (folder / "b" / "deep" / ".git" / "z.txt").write_text("x")
    (folder / "b" / "deep" / "z.txt").write_text("x")
    assert names(folder, "b") == names(folder, "b/") == ["z", "x", "y"]
    (folder / "none").mkdir()
    with pytest.raises(InputError, match="no files in the folder 'none'"):
        names(folder, "none")
    (folder / "c.toml").write_text('instances = ["edge-matching/4x4"]')
    monkeypatch.chdir(folder / "a")
    for given, found in ((["."], ["x"]), (["../b/*.txt", "cubical/demo"], ["x", "y", "cubical/demo"])):
        assert [one.name for one in find_instances(read_campaign(folder / "c.toml", instances=given))] == found


def test_odd_names_of_instances(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets in names of files and folders are no globs; names that are empty or too long are errors."""
    odd = folder / "odd [1]"
    (odd / "lights-out").mkdir(parents=True)
    for name in ("v.txt", "w[2].txt"):
        (odd / name).write_text("x")
    (folder / "c.toml").write_text('instances = ["edge-matching/4x4"]')
    assert names(folder, "odd [1]/v.txt") == ["v"]
    assert names(odd, "*.txt") == names(folder, "$MATHEUR_DATA/*.txt", data=odd) == ["v", "w[2]"]
    monkeypatch.chdir(odd)

    def found(*given: str) -> list[str]:
        return [one.name for one in find_instances(read_campaign(folder / "c.toml", instances=given))]

    assert found("v.txt", "w[2].txt") == ["v", "w[2]"]
    assert found("*.txt") == ["v", "w[2]"]
    with pytest.raises(ConfigurationError, match="an empty name of an instance"):
        found("")
    with pytest.raises(ConfigurationError, match="an empty name of an instance"):
        names(folder, "")
    with pytest.raises(InputError, match="no built-in instance"):
        make_plan(read_campaign(folder / "c.toml", instances=["lights-out/" + "a" * 5000]))


def test_all_files_that_are_no_instances_are_named(folder: Path) -> None:
    """In one line, with what is wrong with each."""
    (folder / "b" / "y.txt").write_text("1 0 2\n3 4 5\n")
    for name in ("x.txt", "note.md"):
        (folder / "b" / name).write_text("hello\n")
    with pytest.raises(InputError, match=r"2 of 3 instances cannot be read: .*note.md: .*x.txt: .*a glob") as caught:
        make_plan(campaign_of({"instances": ["b"]}, folder / "c.toml"))
    assert "\n" not in str(caught.value)
    (folder / "b" / "x.txt").unlink()
    with pytest.raises(InputError, match=r"note.md: not an instance"):
        make_plan(campaign_of({"instances": ["b"]}, folder / "c.toml"))


def test_built_in_names_and_patterns(folder: Path) -> None:
    """Built-in instances by name and by pattern."""
    assert names(folder, "edge-matching/4x4") == ["edge-matching/4x4"]
    found = names(folder, "cubical/d3-*")
    assert len(found) > 3
    assert all(name.startswith("cubical/d3-") for name in found)


def test_parts_of_a_file(folder: Path) -> None:
    """`FILE#2-4` is three instances."""
    assert names(folder, "b/y.txt#2-4") == ["y#2", "y#3", "y#4"]
    with pytest.raises(ConfigurationError, match=r"'b/y.txt#4-2' is no instance. Maybe 'b/y.txt#2-4'"):
        names(folder, "b/y.txt#4-2")


def test_folders_named_as_a_problem(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Globs and parts of files in them are files; what fits no file is built in."""
    (folder / "milp").mkdir()
    for name in ("small.mps", "larger.mps"):
        (folder / "milp" / name).write_text("x")
    assert names(folder, "milp/*.mps") == ["larger", "small"]
    assert names(folder, "milp/small.mps#1-2") == ["small#1", "small#2"]
    assert names(folder, "milp/demo", "milp/job-*") == ["milp/demo", "milp/job-shop"]
    (folder / "c.toml").write_text('instances = ["edge-matching/4x4"]')
    monkeypatch.chdir(folder)
    found = find_instances(read_campaign(folder / "c.toml", instances=["milp/s*.mps", "milp/small.mps#1"]))
    assert [one.source for one in found] == [str(folder / "milp/small.mps"), str(folder / "milp/small.mps#1")]


def test_hashes_in_names_of_folders_and_files(folder: Path) -> None:
    """Only a number at the end is a part of a file."""
    odd = folder / "c#" / "#2"
    odd.mkdir(parents=True)
    for name in ("x.txt", "y#1.txt"):
        (odd / name).write_text("2 2\n")
    assert names(folder, "c#/#2/*.txt") == ["x", "y#1"]
    assert names(folder, "c#/#2/x.txt#1-2") == ["x#1", "x#2"]


def test_the_public_data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns of the public data are found in its folder, and where it can be had is said to those without it."""
    assert names(folder, "$MATHEUR_DATA/*.txt", data=folder / "b") == ["x", "y"]
    monkeypatch.setenv("MATHEUR_DATA", str(folder / "a"))
    assert names(folder, "$MATHEUR_DATA/*.txt") == ["x"]
    monkeypatch.delenv("MATHEUR_DATA")
    with pytest.raises(InputError, match=r"MATHEUR_DATA is not set. It is on the web. Maybe --data DIR"):
        names(folder, "$MATHEUR_DATA/*.txt", data_source="It is on the web.")


def test_groups_by_pattern_or_by_entry(folder: Path) -> None:
    """The first group that fits is taken; an entry's own goes before."""
    campaign = campaign_of(
        {"instances": ["b/*.txt", {"pattern": "a/x.txt", "group": "own"}], "groups": {"one": ["*/b/*"], "two": "*"}},
        folder / "c.toml",
    )
    assert [one.group for one in find_instances(campaign)] == ["one", "one", "own"]


def test_mistakes_are_said(folder: Path) -> None:
    """A pattern that fits nothing, and a name given twice."""
    with pytest.raises(InputError, match=r"no file fits 'c/\*'"):
        names(folder, "c/*")
    with pytest.raises(InputError, match="no built-in instance fits 'party/zzz"):
        names(folder, "party/zzz*")
    with pytest.raises(ConfigurationError, match="two instances are called 'edge-matching/4x4'"):
        names(folder, "edge-matching/4x4", "edge-matching/4x4")
