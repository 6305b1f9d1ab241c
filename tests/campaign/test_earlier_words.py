"""Campaigns in the words of an earlier version, and the folder of one that it has run (`earlier_files`)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from matheur.campaign.configuration import read_campaign
from matheur.campaign.plan import Plan, make_plan
from matheur.campaign.ranges import parse_ranges
from matheur.campaign.records import read_records
from matheur.errors import InputError

FILES = Path(__file__).parent / "earlier_files"
TODAY = """
instances = [{ pattern = "edge-matching/3x3", settings.seconds = 3.0 }, "edge-matching/4x4"]

[base]
seconds = 60.0
acceptance.name = "annealing"

[base.construction]
name = "milp-greedy"
height = 2

[variants.a]
construction.height = 3

[variants.b]
construction = "random"
acceptance = "improving"

[sizes.small]
base.seconds = 2.0
variants.b.construction = "beam"
"""
BEFORE = """
instances = [{ pattern = "edge-matching/3x3", settings.time = 3.0 }, "edge-matching/4x4"]

[base]
construct = "milp-greedy"
time = 60.0
"accept.name" = "annealing"

[base.construction]
height = 2

[variants.a]
construction.height = 3

[variants.b]
construct = "random"
accept = "improving"

[sizes.small]
base.time = 2.0
variants.b.construct = "beam"
"""


@pytest.mark.parametrize("size", [None, "small"])
def test_a_file_in_earlier_words_makes_the_same_plan(tmp_path: Path, size: str | None) -> None:
    """In base, variants, instances and sizes; settings may be in either words."""
    plans = []
    for name, text, setting in (("today", TODAY, "base.seconds=5"), ("before", BEFORE, "base.time=5")):
        file = tmp_path / name / "c.toml"
        file.parent.mkdir()
        file.write_text(text)
        plans += [make_plan(read_campaign(file, size=size)), make_plan(read_campaign(file, [setting], size=size))]
        plans.append(make_plan(read_campaign(file, ["base.seconds=5", "variants.b.construct=random"], size=size)))
    assert plans[0].to_json() == plans[3].to_json()
    assert plans[1].to_json() == plans[4].to_json()
    assert plans[2].to_json() == plans[5].to_json()
    assert plans[0].to_json() != plans[1].to_json()


def test_the_runs_of_an_earlier_version_are_found(tmp_path: Path) -> None:
    """Its plan is read in the words of today; the keys of its runs are those of the same file now."""
    folder = shutil.copytree(FILES, tmp_path / "files")
    source = folder / "c_results" / "plan.json"
    plan = Plan.from_json(source.read_bytes(), str(source))
    assert plan == make_plan(read_campaign(folder / "c.toml"))
    assert {one["construction"]["name"] for one in plan.configurations} == {"random"}
    assert {one["seconds"] for one in plan.configurations} == {60.0}
    records = read_records(folder / "c_results")
    assert sorted(record.key for record in records) == sorted(plan.keys)
    assert {record.time_limit for record in records} == {60.0}


def test_a_plan_with_both_words_is_none(tmp_path: Path) -> None:
    """It is refused like any other damaged plan."""
    source = FILES / "c_results" / "plan.json"
    damaged = source.read_bytes().replace(b'"time":', b'"seconds":1.0,"time":')
    with pytest.raises(InputError, match="not a plan of a campaign"):
        Plan.from_json(damaged, "plan.json")


def test_ranges_in_earlier_words() -> None:
    """Those of `tune.ranges` are read by the keys of today."""
    found = parse_ranges({"construct": ["random", "beam"], "construction": {"width": [1, 2]}, "accept.start": [1, 2]})
    assert list(found) == ["construction", "construction.width", "acceptance.start"]
