"""The campaigns that reproduce the papers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from matheur.campaign import make_plan, read_campaign, read_records
from matheur.configuration import read_toml

ROOT = Path(__file__).resolve().parents[2] / "experiments"
CAMPAIGNS = sorted(ROOT.glob("*/campaigns/*.toml"))
NAMES = [f"{path.parents[1].name}-{path.stem}" for path in CAMPAIGNS]

every = pytest.mark.parametrize("path", CAMPAIGNS, ids=NAMES)


def test_there_is_a_campaign_for_every_table() -> None:
    """The tables of the papers are there by name."""
    assert {"eternity2-table1", "eternity2-table3", "eternity2-table4", "eternity2-table5"} <= set(NAMES)
    assert {"eternity2-solvers", "eternity2-ablation"} <= set(NAMES)
    assert {"cubical_puzzle-table2", "cubical_puzzle-table4", "cubical_puzzle-table5"} <= set(NAMES)
    assert {"party_building-table1", "party_building-figure5", "deepcubea-table1", "deepcubea-table5"} <= set(NAMES)


@pytest.fixture(scope="module")
def copied(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiments without their results, and with the instance files that are made of the public data."""
    folder = tmp_path_factory.mktemp("experiments")
    shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.campaign", "instances"))
    script = folder / "deepcubea" / "instances.py"
    subprocess.run([sys.executable, str(script), "--data", str(data)], capture_output=True, check=True)
    return folder


@every
def test_every_size_is_declared(path: Path, data: Path, copied: Path) -> None:
    """Each campaign resolves in its three sizes, and they grow."""
    path = copied / path.relative_to(ROOT)
    runs = [len(make_plan(read_campaign(path, size=size), data)) for size in ("smoke", "bench", "full")]
    assert 0 < runs[0] < runs[1] < runs[2]
    assert list(read_toml(path)["sizes"]) == ["smoke", "bench", "full"]


@every
def test_smoke_campaigns_need_no_data(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest size runs on what is built in, in at most a minute of limits."""
    monkeypatch.delenv("MATHEUR_DATA", raising=False)
    plan = make_plan(read_campaign(path, size="smoke"))
    assert all("/" not in one.source.partition("/")[2] for one in plan.instances)
    assert len(plan) <= 40


@pytest.mark.slow
@every
def test_smoke_campaigns_run(path: Path, tmp_path: Path) -> None:
    """`run.py TABLE --size smoke` makes all runs, without a failure, and keeps a row of each."""
    folder = tmp_path / path.parents[1].name
    shutil.copytree(path.parents[1], folder, ignore=shutil.ignore_patterns("*.campaign", "results", "instances"))
    command = [sys.executable, str(folder / "run.py"), path.stem, "--size", "smoke", "--keep"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    records = read_records(folder / "campaigns" / f"{path.stem}-smoke.campaign")
    assert records
    assert not [record.reason for record in records if record.status == "failed"]
    assert sum(record.status in ("optimal", "feasible", "infeasible") for record in records) * 2 > len(records)
    rows = (folder / "results" / f"{path.stem}-smoke.csv").read_text().splitlines()
    assert len(rows) == len(records) + 1
    assert (folder / "results" / f"{path.stem}-smoke.about.json").exists()
