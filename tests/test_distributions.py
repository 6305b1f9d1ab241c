"""The source distribution and the wheel: whole, valid, and the same from the same sources."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("build", reason="the extra 'dev' is not installed")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
FILES = [
    "pyproject.toml",
    "setup.py",
    "MANIFEST.in",
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    ".pre-commit-config.yaml",
]
FOLDERS = ["matheur", "models", "docs", "tests"]
REST = [".ci", ".github", "benchmarks", "examples", "experiments"]
LEAVINGS = shutil.ignore_patterns("api", "__pycache__", "*.py[cod]", "*.campaign", "*.egg-info", "scratch", "instances")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def build(folder: Path, minute: int, *options: str) -> dict[str, Path]:
    """Both distributions of a copy of the tree, with files as old as is asked for; the wheel is made of the archive.

    With the option `--wheel` there is only the wheel, made of the tree itself.
    """
    tree = folder / "tree"
    for name in (*FOLDERS, *REST):
        shutil.copytree(ROOT / name, tree / name, ignore=LEAVINGS)
    for name in FILES:
        shutil.copy(ROOT / name, tree)
    for path in tree.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.parent.name == ".ci" else 0o644)
        os.utime(path, (1_700_000_000 + 60 * minute,) * 2)
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(folder / "dist"), str(tree)],
        cwd=folder, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}, umask=0o022,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Deprecat" not in done.stdout + done.stderr
    assert "is absent from the `packages` configuration" not in done.stdout + done.stderr
    return {path.suffix: path for path in (folder / "dist").iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The two files, by suffix."""
    return build(tmp_path_factory.mktemp("once"), 0)


def names(folder: str) -> set[str]:
    """Files below a folder of the tree that are neither compiled nor left by a run."""
    ignored = re.compile(
        r"^docs/api/|^examples/[^/]+/build/|\.egg-info/|__pycache__|\.py[cod]$|\.campaign/|/scratch/|/instances/"
    )
    paths = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}
    return {path for path in paths if not ignored.search(path)}


def parse_metadata(text: str) -> Message:
    """Metadata of a distribution, which are written like the head of a letter."""
    return message_from_string(text)


def test_the_wheel_has_the_package_and_nothing_else(built: dict[str, Path]) -> None:
    """All files of `matheur/`, those of `models/` as `matheur/models/`, and no test, page or experiment."""
    with zipfile.ZipFile(built[".whl"]) as wheel:
        assert wheel.testzip() is None
        found = set(wheel.namelist())
    info = {name for name in found if name.startswith(f"matheur-{PROJECT['version']}.dist-info/")}
    assert found - info == names("matheur") | {f"matheur/{name}" for name in names("models")}
    for name in (
        "py.typed",
        "problems/rubik/presets/default.toml",
        "web/static/workbench.js",
        "methods/clique/adapters.toml",
    ):
        assert f"matheur/{name}" in found
    assert any(re.fullmatch(r"matheur/problems/\w+/trained/[\w-]+\.npz", name) for name in found)


def test_the_source_distribution_is_the_tree(built: dict[str, Path]) -> None:
    """Everything to build, test, document and reproduce is in it; nothing leads outside."""
    with tarfile.open(built[".gz"]) as archive:
        members = archive.getmembers()
    top = f"matheur-{PROJECT['version']}/"
    assert all(member.isfile() or member.isdir() for member in members)
    assert all((member.name + "/").startswith(top) and ".." not in member.name.split("/") for member in members)
    found = {member.name.removeprefix(top) for member in members if member.isfile()}
    wanted = set(FILES).union(*(names(folder) for folder in (*FOLDERS, *REST)))
    made = {"PKG-INFO", "setup.cfg"}
    assert {name for name in found if not name.startswith("matheur.egg-info/")} - made == wanted


def test_metadata_are_those_of_the_project(built: dict[str, Path]) -> None:
    """Both distributions say the same: name, version, licence, bounds, the README as their page."""
    stem = f"matheur-{PROJECT['version']}"
    with zipfile.ZipFile(built[".whl"]) as wheel:
        text = wheel.read(f"{stem}.dist-info/METADATA").decode()
        points = wheel.read(f"{stem}.dist-info/entry_points.txt").decode()
        tags = parse_metadata(wheel.read(f"{stem}.dist-info/WHEEL").decode())
    with tarfile.open(built[".gz"]) as archive:
        source = archive.extractfile(f"{stem}/PKG-INFO")
        assert source is not None
        assert source.read().decode() == text
    metadata = parse_metadata(text)
    assert metadata["Name"] == "matheur"
    assert metadata["Version"] == PROJECT["version"]
    assert metadata["License-Expression"] == "MIT"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(metadata.get_all("Provides-Extra") or ()) == set(PROJECT["optional-dependencies"])
    plain = [item for item in metadata.get_all("Requires-Dist") or () if "extra ==" not in item]
    assert len(plain) == len(PROJECT["dependencies"])
    assert tags["Root-Is-Purelib"] == "true"
    assert tags["Tag"] == "py3-none-any"
    commands = configparser.ConfigParser()
    commands.read_string(points)
    assert dict(commands["console_scripts"]) == PROJECT["scripts"]


def test_the_same_sources_make_the_same_wheel(built: dict[str, Path], tmp_path: Path) -> None:
    """With `SOURCE_DATE_EPOCH` the wheel is the same, bit for bit, whenever the files were written, and of the tree."""
    assert build(tmp_path, 7, "--wheel")[".whl"].read_bytes() == built[".whl"].read_bytes()


def test_lower_bounds_are_releases_that_can_be_pinned() -> None:
    """`.ci/oldest` finds a lower bound of everything that is asked for, once."""
    command = [sys.executable, str(ROOT / ".ci" / "oldest")]
    pins = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    wanted = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    wanted = [item for item in wanted if not item.startswith("matheur[")]
    assert [pin.partition("==")[0] for pin in pins] == [re.split(r"[^\w-]", item)[0] for item in wanted]
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins)
    assert len(set(pins)) == len(pins)


def test_the_lock_knows_every_dependency() -> None:
    """`.ci/constraints.txt` has one exact version of everything that is asked for."""
    lines = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)
    locked = {re.sub(r"[-_.]+", "-", pin.partition("==")[0]).lower() for pin in pins}
    wanted = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    assert {re.split(r"[^\w-]", item)[0] for item in wanted} - {"matheur"} <= locked
