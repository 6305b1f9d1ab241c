"""Commands and scripts in the documentation work."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from docs.pages import ROOT, Block, Run, blocks, quick, run, run_here, run_python

from matheur.problems.milp.generator import KINDS

EXTENDING = sorted((ROOT / "docs" / "extending").glob("*.md"))
LINES = 40
_PLAYED = (
    "who-is-this-for.md",
    "tutorial.md",
    "tutorials/your-own-model.md",
    "modelling-tools.md",
    "campaigns.md",
    "long-runs.md",
)


def play(page: Path, folder: Path, run: Run = run) -> list[str]:
    """Run the blocks of a page, with short limits where it shows no output, and return the output of its scripts."""
    printed = []
    for block in blocks(page):
        if block.file is not None:
            file = folder / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(quick(block.text), encoding="utf-8")
        elif block.language == "python":
            printed.append(run_python(quick(block.text), folder))
        elif block.language == "console":
            for command, shown in block.commands():
                output = run(command if shown else quick(command), folder)
                if shown:
                    assert output.splitlines() == shown, command
    return printed


def install(page: Path, folder: Path) -> None:
    """Make the entry points on a page available to processes that search the folder."""
    tables = [tomllib.loads(b.text) for b in blocks(page) if b.text.startswith("# pyproject.toml")]
    assert tables
    lines = ""
    for table in tables:
        for group, points in table["project"]["entry-points"].items():
            lines += f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in points.items())
    info = folder / "example-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: example\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(lines, encoding="utf-8")


def modules(page: Path) -> list[Block]:
    return [block for block in blocks(page) if block.language == "python" and block.file]


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", *(ROOT / "docs" / name for name in _PLAYED)],
    ids=lambda page: page.stem,
)
def test_every_command_works(page: Path, tmp_path: Path) -> None:
    """The commands and scripts of these pages succeed and print the output that is shown.

    Those of the README start as processes; most of the others run in this one.
    """
    assert any(block.language in ("console", "python") for block in blocks(page))
    assert all(play(page, tmp_path, run if page.stem == "README" else run_here))


def test_every_kind_of_extension_has_a_page() -> None:
    """There is one page each for domains, operators, problems and solvers."""
    assert [page.stem for page in EXTENDING] == ["domain", "operator", "problem", "solver"]


@pytest.mark.parametrize("page", EXTENDING, ids=lambda page: page.stem)
def test_examples_are_short(page: Path) -> None:
    """Each module on a page about extensions has less than forty lines of code."""
    assert modules(page)
    for block in modules(page):
        assert len([line for line in block.text.splitlines() if line.strip()]) < LINES, block.file


def test_operator_example(tmp_path: Path) -> None:
    """The operator of the example improves a random board and is found through its entry point."""
    page = ROOT / "docs" / "extending" / "operator.md"
    printed, _ = play(page, tmp_path)
    assert int(printed.split()[1]) > 0
    install(page, tmp_path)
    assert "block-swap" in run("matheur operators edge-matching", tmp_path)
    options = "--construction random --neighbourhoods block-swap --iterations 3 --out s.json"
    run(f"matheur solve edge-matching/4x4 {options}", tmp_path)
    run("matheur verify edge-matching/4x4 s.json", tmp_path)


def test_domain_example(tmp_path: Path) -> None:
    """Two searches solve the examples to the optima that their page shows."""
    printed, _, assigned = play(ROOT / "docs" / "extending" / "domain.md", tmp_path)
    assert printed.split() == ["49", "True", "49"]
    assert assigned.split()[:2] == ["14", "True"]


def test_problem_example(tmp_path: Path) -> None:
    """The problem of the example keeps its contracts; its instances are solved and verified."""
    page = ROOT / "docs" / "extending" / "problem.md"
    assert play(page, tmp_path) == [""]
    install(page, tmp_path)
    (tmp_path / "three.numbers").write_text("3 1 2", encoding="utf-8")
    for instance in ("three.numbers", "number-partitioning/demo"):
        run(f"matheur solve {instance} --iterations 9 --seed 1 --out s.json", tmp_path)
        run(f"matheur verify {instance} s.json", tmp_path)
        assert "number-partitioning" in run("matheur show s.json", tmp_path)
    assert "signs by chance" in run("matheur operators number-partitioning", tmp_path)
    code = """
import matheur
from partition import Partition, RandomSigns
matheur.register_operator("number-partitioning", "construction", "chance", RandomSigns)
print(matheur.solve(Partition((3, 1, 2)), construction="chance", iterations=9, seed=1).objective)
"""
    assert int(run_python(code, tmp_path)) % 2 == 0


def test_problem_example_is_short() -> None:
    """A problem with all parts that the command line needs has less than forty lines of code and settings."""
    shown = [one for one in blocks(ROOT / "docs" / "extending" / "problem.md") if one.text.startswith("# ")]
    assert sum(bool(line.strip()) and line[0] != "#" for one in shown for line in one.text.splitlines()) < LINES


def test_solver_example(tmp_path: Path) -> None:
    """The page shows the code of the example package; the backend finds the optimum, and a run can use it."""
    page = ROOT / "docs" / "extending" / "solver.md"
    for block in modules(page):
        if "/" in str(block.file):
            text = (ROOT / "examples" / "backend-package" / str(block.file)).read_text(encoding="utf-8")
            assert text.partition("\n\n")[2] == block.text.partition("\n")[2], block.file
    printed, arrays = play(page, tmp_path)
    assert printed.split() == ["MilpStatus.OPTIMAL", "10.0", "10.0"]
    assert arrays.split() == ["10.0", "9.0"]
    install(page, tmp_path)
    assert "scipy" in run("matheur solvers", tmp_path)
    run("matheur solve edge-matching/4x4 --solver scipy --neighbourhoods border --iterations 2 --out s.json", tmp_path)
    run("matheur verify edge-matching/4x4 s.json", tmp_path)


def test_models_page(tmp_path: Path) -> None:
    """A model is generated, solved and verified; the page lists the kinds of models with their sizes and options."""
    page = ROOT / "docs" / "models.md"
    (printed,) = play(page, tmp_path, run_here)
    assert printed.split()[0] == "optimal"
    text = page.read_text(encoding="utf-8")
    (tmp_path / "gap.txt").write_text(blocks(page)[-1].text, encoding="utf-8")
    run_here("matheur solve gap.txt --seconds 20", tmp_path)
    for name, kind in KINDS.items():
        sizes = ", ".join(f"{size} `{key}`" for key, size in kind.sizes.items())
        assert f"| `milp/{name}` | `{name}` | {sizes} |" in text
        assert f"](../models/{kind.module}.py)" in text
        for option, value in kind.options.items():
            assert f"`{option}` {str(value).lower().removesuffix('.0')}" in text


def test_networkx_page(tmp_path: Path) -> None:
    """Graphs are converted to networkx and back as the page shows, and a formation is drawn."""
    cliques, matrices, placements, formations = play(ROOT / "docs" / "networkx.md", tmp_path)
    page = (ROOT / "docs" / "networkx.md").read_text(encoding="utf-8")
    assert f"```\n{cliques.strip()}\n```" in page
    assert all(f"`{line}`" in page for line in matrices.splitlines())
    assert placements.split()[-1] == "4"
    assert formations.splitlines()[1] == "3"
    assert (tmp_path / "party.png").stat().st_size > 1000
