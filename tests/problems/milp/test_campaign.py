"""A campaign over a folder of models."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from matheur.campaign import read_records
from matheur.campaign.references import read_references
from matheur.campaign.report import write_report
from matheur.cli import run
from matheur.errors import InputError

_MAXIMUM = """Maximize
 worth: 5 a + 4 b + 3 c
Subject To
 room: 4 a + 3 b + 2 c <= 6
Binary
 a b c
End
"""
_MINIMUM = """Minimize
 price: 2.5 a + 2 b + 2 c
Subject To
 r1: a + b >= 1
 r2: b + c >= 1
 r3: a + c >= 1
Binary
 a b c
End
"""
_CAMPAIGN = """
instances = ["models/*"]
references = "known.solu"
seeds = 2

[base]
seconds = 20

[variants.solver]
construction = "solver"
neighbourhoods = []

[variants.to-the-best]
target = "reference"
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A maximum and a minimum in files of their own, and what is known of them as MIPLIB writes it."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "maximum.lp.gz").write_bytes(gzip.compress(_MAXIMUM.encode()))
    (tmp_path / "models" / "minimum.lp").write_text(_MINIMUM, encoding="utf-8")
    (tmp_path / "known.solu").write_text("=best= maximum 8\n=opt= minimum 3.9999999999\n=unkn= other\n")
    path = tmp_path / "compare.toml"
    path.write_text(_CAMPAIGN, encoding="utf-8")
    return path


def test_rows_are_in_the_sense_of_each_model(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Score, bound and gap as the model has them, and the best known value; objectives are minimised."""
    assert run(["campaign", "run", str(campaign), "--jobs", "1"]) == 0
    records = read_records(campaign)
    assert len(records) == 8
    for record in records:
        maximum = record.instance == "maximum"
        assert record.instance in ("maximum", "minimum")  # without .lp.gz
        assert record.score == (8 if maximum else 4)
        assert record.objective == (-8 if maximum else 4)
        assert (record.score_sense, record.sense) == ("max" if maximum else "min", "min")
        assert (record.reference_score, record.reference) == ((8, -8) if maximum else (3.9999999999, 3.9999999999))
        if record.status == "optimal":
            assert (record.bound_score, record.gap) == (record.score, 0)
            assert record.bound == record.objective
    page = write_report(campaign.with_suffix(".campaign"), pictures=0).page.read_text(encoding="utf-8")
    assert "gap to bound" in page
    assert "New best known" not in page
    assert run(["campaign", "status", str(campaign)]) == 0
    assert "8" in capsys.readouterr().out


def test_known_values_of_miplib(tmp_path: Path) -> None:
    """Optima and best values; lines without a value are passed over, others are errors with their line."""
    path = tmp_path / "known.solu"
    path.write_text("=opt=  a 1.5\n\n=inf=  b\n=best= c -3\n=unkn= d\n", encoding="utf-8")
    found = read_references(path)
    assert {name: (one.value, one.kind) for name, one in found.items()} == {
        "a": (1.5, "objective"),
        "c": (-3, "objective"),
    }
    for text, said in (("=opt= a\n", ":1: not a line"), ("=opt= a 1\n=best= a 2\n", ":2: 'a' has two values")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=said):
            read_references(path)
