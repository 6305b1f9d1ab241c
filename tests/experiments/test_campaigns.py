"""The campaigns that reproduce the papers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from matheur.campaign import make_plan, read_campaign, read_records
from matheur.running.configuration import read_toml

ROOT = Path(__file__).resolve().parents[2] / "experiments"
CAMPAIGNS = sorted(ROOT.glob("*/campaigns/*.toml"))
NAMES = [f"{path.parents[1].name}-{path.stem}" for path in CAMPAIGNS]

every = pytest.mark.parametrize("path", CAMPAIGNS, ids=NAMES)


def test_there_is_a_campaign_for_every_table() -> None:
    """The tables of the papers are there by name."""
    assert {"eternity2-table1", "eternity2-table3", "eternity2-table4", "eternity2-table5"} <= set(NAMES)
    assert {"eternity2-solvers", "eternity2-ablation", "eternity2-comparators"} <= set(NAMES)
    assert {"cubical_puzzle-table2", "cubical_puzzle-table4", "cubical_puzzle-table5"} <= set(NAMES)
    assert {"party_building-table1", "party_building-figure5", "cubical_puzzle-figure7"} <= set(NAMES)
    assert {"cubical_puzzle-ball", "cubical_puzzle-hybrid"} <= set(NAMES)
    assert {f"deepcubea-{name}" for name in ("table1", "table4", "table5", "figure2", "supplement4")} <= set(NAMES)
    assert "ann_distance-table1" in NAMES


@pytest.fixture(scope="module")
def copied(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiments without their results, and with the instance files that are made of the public data."""
    folder = tmp_path_factory.mktemp("experiments")
    shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.campaign", "instances"))
    for name, options in (("deepcubea", ["--data", str(data)]), ("ann_distance", ["--boards=40", "--no-optima"])):
        script = folder / name / "instances.py"
        subprocess.run([sys.executable, str(script), *options], capture_output=True, check=True)
    return folder


@pytest.fixture(scope="module")
def fewer(copied: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with at most a hundred instance files of each kind."""
    folder = tmp_path_factory.mktemp("fewer")
    shutil.copytree(
        copied, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*-0[1-9]??.txt", "*-[1-9]???.txt")
    )
    return folder


@every
def test_every_size_is_declared(path: Path, data: Path, copied: Path, fewer: Path) -> None:
    """Each campaign resolves in its three sizes, and they grow. Table 5 of deepcubea reads all instance files."""
    path = (copied if path.parts[-3:] == ("deepcubea", "campaigns", "table5.toml") else fewer) / path.relative_to(ROOT)
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
    shutil.copytree(path.parents[1], folder, ignore=shutil.ignore_patterns("*.campaign", "*.jsonl", "instances"))
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


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "table", "shown"), [
    ("party_building", "figure4", "| type1 | `mixed` |"),
    ("deepcubea", "table3", "| lights-out/all-7x7 | network `small` |"),
    ("deepcubea", "supplement1", "| `two-moves` |"),
    ("deepcubea", "figure3", "| 8 | 30 | "),
    ("deepcubea", "figure4", "| `ida-star`, cubes and mirror images | 16 | "),
])  # fmt: skip
def test_scripts_of_tables_run(
    folder: str, table: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no campaign has the same command; its smallest size leaves the results alone."""
    monkeypatch.setenv("MATHEUR_SCRATCH", str(tmp_path))
    before = {path: path.read_bytes() for path in (ROOT / folder / "results").glob("*.md")}
    command = [sys.executable, str(ROOT / folder / "run.py"), table, "--size", "smoke"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert shown in done.stdout
    assert {path: path.read_bytes() for path in (ROOT / folder / "results").glob("*.md")} == before


def test_smoke_rows_are_not_kept_with_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts of learnt heuristics write what `smoke` makes into the folder that is not part of the repository."""
    here = ROOT / "ann_distance"
    monkeypatch.setenv("MATHEUR_SCRATCH", str(tmp_path / "scratch"))
    code = (
        "import protocol\n"
        "before = len(protocol.rows('labels'))\n"
        "for number in range(2):\n"
        "    protocol.append('labels', 'smoke', {'size': 'smoke', 'plans': number})\n"
        "print(protocol.rows('labels')[before:], protocol.model_path('smoke').parent == protocol.WORK)\n"
    )
    results = {path: path.read_bytes() for path in (here / "results").iterdir()}
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=False)
    assert done.stdout == "[{'size': 'smoke', 'plans': 0}, {'size': 'smoke', 'plans': 1}] True\n", done.stderr
    assert {path: path.read_bytes() for path in (here / "results").iterdir()} == results
    assert [path.name for path in (tmp_path / "scratch").iterdir()] == ["labels.jsonl"]


@pytest.mark.slow
def test_a_smoke_figure_leaves_the_results_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`run.py figure2` makes its labels and says so, and no tracked file changes."""
    monkeypatch.setenv("MATHEUR_SCRATCH", str(tmp_path))
    results = {path: path.read_bytes() for path in (ROOT / "ann_distance" / "results").iterdir()}
    command = [sys.executable, str(ROOT / "ann_distance" / "run.py"), "figure2", "--size", "smoke"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len((tmp_path / "labels.jsonl").read_text().splitlines()) == 1
    assert {path: path.read_bytes() for path in (ROOT / "ann_distance" / "results").iterdir()} == results


def test_every_script_of_a_table_is_there() -> None:
    """The names that `run.py` knows beside campaigns lead to scripts of its folder."""
    found = 0
    for path in ROOT.glob("*/run.py"):
        for script in re.findall(r'"(\w+\.py)"', path.read_text(encoding="utf-8")):
            assert (path.parent / script).exists(), f"{path}: {script}"
            found += 1
    assert found > 8


def test_the_page_names_every_campaign() -> None:
    """On the page about the papers, or in their rows, stands the command of every campaign, and no other."""
    files = [ROOT.parent / "docs" / "reproduce.md", *ROOT.glob("*/fidelity.toml")]
    page = "\n".join(file.read_text(encoding="utf-8") for file in files)
    named = {f"{folder}-{table}" for folder, table in re.findall(r"experiments/(\w+)/run\.py (\w+) --size", page)}
    scripts = {f"{path.parent.name}-{name}" for path in ROOT.glob("*/run.py") for name in _scripts(path)}
    assert named >= set(NAMES)
    assert named <= set(NAMES) | scripts


def _scripts(path: Path) -> list[str]:
    return re.findall(r'"(\w+)": \["', path.read_text(encoding="utf-8"))
