"""Campaigns as TOML declares them."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign.conftest import Write

from matheur.campaign import make_plan, read_campaign
from matheur.errors import ConfigurationError, MatheurError


def test_a_file_becomes_a_campaign(write: Write) -> None:
    """Names, variants over the base, seeds and groups are as the file says."""
    campaign = read_campaign(write())
    assert campaign.name == "small"
    assert campaign.seeds == (0, 1)
    assert [variant.name for variant in campaign.variants] == ["plain", "again"]
    assert campaign.variants[0].settings["neighbourhoods"] == []
    assert campaign.variants[1].settings["neighbourhoods"] == ["swap-rotate"]
    assert campaign.variants[1].settings["construction"] == "random"
    assert campaign.variants[1].groups == ("boards",)


def test_dotted_keys_may_be_quoted(write: Write) -> None:
    """`"a.b" = 1` means the same as `a.b = 1`, in the base and in a variant."""
    text = 'instances = ["edge-matching/3x3"]\n[base]\n"neighbourhood.region.rows" = 3\n'
    text += '[variants.wide]\nneighbourhood.region.columns = 5\n"solver.name" = "scip"\n'
    (variant,) = read_campaign(write(text)).variants
    assert variant.settings["neighbourhood"] == {"region": {"rows": 3, "columns": 5}}
    assert variant.settings["solver"] == {"name": "scip"}


def test_options_of_another_construction_do_not_carry_over(write: Write) -> None:
    """A variant with another construction, or fewer neighbourhoods, does not inherit their options."""
    text = (
        'instances = ["edge-matching/3x3"]\n[base]\nconstruction.name = "milp-greedy"\nneighbourhoods = ["region"]\n'
        'construction.height = 2\nneighbourhood.region.rows = 3\n[variants.a]\nconstruction = "random"\n'
        "neighbourhoods = []\n"
    )
    (variant,) = read_campaign(write(text)).variants
    assert variant.settings["construction"] == {"name": "random"}
    assert variant.settings["neighbourhood"] == {}


def test_options_without_a_name_are_for_what_a_variant_uses(write: Write) -> None:
    """They are not dropped because the variant names the solver or the construction, also on some instances only."""
    text = (
        'instances = ["edge-matching/3x3"]\n[base]\nsolver.threads = 2\nconstruction.call_seconds = 5.0\n'
        '[variants.highs]\nsolver = "highs"\n[variants.scip]\nsolver.name = "scip"\nconstruction = "random"\n'
        '[variants.plain]\non."edge-matching/3x3".solver = "highs"\n'
    )
    highs, scip, plain = read_campaign(write(text)).variants
    assert highs.settings["solver"] == {"name": "highs", "threads": 2}
    assert scip.settings["solver"] == {"name": "scip", "threads": 2}
    assert scip.settings["construction"] == {"name": "random", "call_seconds": 5.0}
    plan = make_plan(read_campaign(write(text), ["only=['plain']"]))
    assert plan.configurations[0]["solver"] == {"name": "highs", "threads": 2}
    assert plain.settings["solver"] == {"threads": 2}


def test_options_of_the_base_belong_to_some_variant(write: Write) -> None:
    """They may be for some variants only; those that no variant uses are an error."""
    text = 'instances = ["edge-matching/3x3"]\n[base]\nneighbourhood.region.rows = 3\n[variants.a]\n'
    text += 'neighbourhoods = ["swap"]\n'
    with pytest.raises(
        ConfigurationError, match=r"'base' has options for the neighbourhood 'region', .* Maybe one of: swap"
    ):
        read_campaign(write(text))
    a, b = read_campaign(write(f"{text}[variants.b]\nneighbourhoods = [{{ name = 'region', columns = 2 }}]\n")).variants
    assert a.settings["neighbourhood"] == {}
    assert b.settings["neighbourhood"] == {"region": {"rows": 3}}


def test_settings_go_over_the_file(write: Write) -> None:
    """Dotted settings change what the file says."""
    campaign = read_campaign(write(), ["seeds=[7, 9]", "base.iterations=5", 'limits.memory="2 GB"'])
    assert campaign.seeds == (7, 9)
    assert campaign.variants[0].settings["iterations"] == 5
    assert campaign.limits.bytes == 2_000_000_000


SIZED = """
seeds = 5
[base]
seconds = 60
[variants.a]
[variants.b]
[sizes.small]
instances = ["edge-matching/3x3"]
seeds = 1
only = ["b"]
base.iterations = 2
[sizes.large]
instances = ["edge-matching/3x3", { pattern = "edge-matching/4x4", settings.seconds = 120 }]
"""


def test_sizes_go_over_the_file(write: Write, tmp_path: Path) -> None:
    """A size replaces lists and values and keeps the rest; each has a folder of its own."""
    path = write(SIZED)
    small, large = read_campaign(path, size="small"), read_campaign(path, size="large")
    assert (len(small.seeds), len(large.seeds)) == (1, 5)
    assert [variant.name for variant in small.used] == ["b"]
    assert [variant.name for variant in large.used] == ["a", "b"]
    assert small.variants[0].settings == {"seconds": 60, "iterations": 2}
    assert small.out == tmp_path / "small-small.campaign"
    assert large.out == tmp_path / "small-large.campaign"
    assert read_campaign(write()).out == tmp_path / "small.campaign"
    times = {row[1]: one.configurations[row[3]]["seconds"] for one in [make_plan(large)] for row in one.runs}
    assert times == {0: 60.0, 1: 120.0}


def test_mistakes_in_sizes_are_said(write: Write) -> None:
    """An unknown size, none where one is needed, and a variant that is not there."""
    with pytest.raises(MatheurError, match=r"there is no size 'smal'\. Maybe 'small'"):
        read_campaign(write(SIZED), size="smal")
    with pytest.raises(MatheurError, match=r"a size is needed\. Maybe --size small"):
        read_campaign(write(SIZED))
    with pytest.raises(MatheurError, match="there is no size 'small'"):
        read_campaign(write(), size="small")
    with pytest.raises(MatheurError, match="there is no variant 'c'"):
        read_campaign(write(SIZED.replace('only = ["b"]', 'only = ["c"]')), size="small")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "needs instances"),
        ("instances = []", "needs instances"),
        ('instances = ["a"]\ninstnces = 3', "unknown option 'instnces'. Maybe 'instances'?"),
        ('instances = ["a"]\njobs = 2', "unknown option 'jobs'. Maybe 'base.jobs'?"),
        ('instances = ["a"]\nfile = "x"', "unknown option 'file'. Maybe one of: base, code, data_source, groups, ins"),
        ('instances = ["a"]\nsize = "x"', "unknown option 'size'. Maybe --size NAME"),
        ('instances = ["a"]\n[siezs.small]', "unknown option 'siezs'. Maybe 'sizes'?"),
        ('instances = ["a"]\nlimits = 5', "'limits' must be a table of options, such as { seconds = VALUE } (5)"),
        ('instances = ["a"]\ntune = []', "'tune' must be a table of options, such as { ranges = VALUE } ([])"),
        ('instances = ["a"]\nonly = 5', "'only' must be a list (5)"),
        ("instances = [3]", "'instances' must be a table of options, such as { pattern = VALUE } (3)"),
        ('instances = ["a"]\nseeds = -1', "not seeds (-1)"),
        ('instances = ["a"]\nseeds = [1, 1]', "a seed is listed twice"),
        ('instances = ["a"]\nlimits.memory = "much"', "not an amount of memory ('much'). Maybe '4 GB'?"),
        ('instances = ["a"]\nlimits.seconds = 0', "limits.seconds must be a positive number"),
        ('instances = ["a"]\nlimits.retries = -1', "limits.retries must not be negative"),
        ('instances = ["a"]\nvariants = 3', "'variants' must be a table"),
        ('instances = ["a"]\nvariants.x.seed = 3', "'x' sets a seed. Maybe seeds = [3]"),
        ('instances = ["a"]\nbase.certify = 3', "'certify' of 'base' must be true or false"),
        ('instances = ["a"]\nbase.preset = 3', "'preset' of 'base' must be a name"),
        ('instances = ["a"]\ngroups.x = 3', "'groups.x' must be a list of texts"),
        ('instances = ["a"]\nrecycle = 0', "recycle must be at least 1"),
        ('instances = ["a"]\nwarm_up = -1', "warm_up must be a number of seconds"),
        ('instances = ["a"]\ntune.method = "luck"', "tune.method cannot be 'luck'"),
        ('instances = [{ path = "a" }]', "unknown option 'instances.path'"),
        ('instances = ["a"', "not TOML"),
    ],
)
def test_mistakes_are_said_in_one_line(write: Write, text: str, said: str) -> None:
    """The message names the file, what is wrong and the value."""
    path = write(text)
    with pytest.raises(MatheurError) as caught:
        read_campaign(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    """A file that is not there is bad input."""
    with pytest.raises(MatheurError, match=r"nothing\.toml: cannot read"):
        read_campaign(tmp_path / "nothing.toml")
