"""The tables of Salassa et al. 2017 in `experiments/eternity2/paper`, and campaigns and presets that follow them."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import matheur
from matheur.campaign import make_plan, read_campaign
from matheur.problems.edge_matching import Hint, load
from matheur.problems.edge_matching.clique_graph import build
from matheur.running.building import build_operator
from matheur.running.configuration import resolve

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
HERE = EXPERIMENTS / "eternity2"
PAGES = EXPERIMENTS.parent / "docs"
BOARDS = ("10x10", "12x12", "14x14", "16x16", "Eternity II")


def paper(name: str) -> list[dict[str, str]]:
    """A table of the paper."""
    with (HERE / "paper" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def joints(board: str) -> int:
    """Inner edges of a board."""
    size = 16 if board == "Eternity II" else int(board.partition("x")[0])
    return 2 * size * (size - 1)


def module(path: Path) -> ModuleType:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    found = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def full(table: str, data: Path) -> dict[tuple[str, str], Any]:
    """Configurations of a campaign's size `full` by variant and board of the paper."""
    plan = make_plan(read_campaign(HERE / "campaigns" / f"{table}.toml", size="full"), data)
    found = {}
    for order in plan.orders():
        size = order.instance.name.removeprefix("pieces_").partition("x")[0]
        board = f"{int(size)}x{int(size)}" if size.isdigit() else order.instance.name
        found[order.variant, board] = order.configuration
    return found


def seeds(table: str) -> int:
    """Runs of each variant on each board in the size `full`."""
    return len(read_campaign(HERE / "campaigns" / f"{table}.toml", size="full").seeds)


# The tables


def test_table1_agrees_with_what_follows_from_it() -> None:
    """Optima are all joints, densities are edges over pairs, and the MILP has 4 n^4 placements and a gap per joint."""
    rows = paper("table1")
    assert [row["board"] for row in rows] == [f"{n}x{n}" for n in range(3, 9)]
    for row in rows:
        n, nodes = int(row["board"].partition("x")[0]), int(row["nodes"])
        assert int(row["optimum"]) == joints(row["board"])
        density = 200 * int(row["edges"]) / (nodes * (nodes - 1))
        assert density == pytest.approx(float(row["density_percent"]), abs=0.06)  # 4x4: 70.95 is printed as 70.9
        assert int(row["variables"]) == 4 * n**4 + joints(row["board"])
        found = [int(row[f"clique_q{q}M"]) for q in (1, 10, 50)]
        assert found == sorted(found)
        assert max(*found, int(row["milp_1_thread"]), int(row["milp_4_threads"])) <= joints(row["board"])


def test_edges_of_which_the_paper_has_one_too_many(data: Path) -> None:
    """On 5 x 5, all pairs of vertices that fit are one fewer than in Table 1; on 4 x 4 as many as there."""
    printed = {row["board"]: int(row["edges"]) for row in paper("table1")}
    for size, more in ((4, 0), (5, 1)):
        file = data / "edge_matching" / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt"
        edges = build(load(file).instance, hints=[Hint(cell=0, piece=0)]).graph.edges
        assert printed[f"{size}x{size}"] - edges == more
    assert "5x5: 86,184 in the paper, 86,183 here" in (PAGES / "results.md").read_text()


def test_table3_is_whole_and_agrees_with_itself() -> None:
    """Four starts by two sizes of region on five boards; the search takes its limit and makes no board worse."""
    rows = paper("table3")
    keys = [(row["board"], row["construction"], row["region"][0], row["search"]) for row in rows]
    starts = [(start, search) for start in ("greedy", "backtracking") for search in ("no", "yes")]
    assert sorted(keys) == sorted(
        (board, start, n, search) for board in BOARDS for start, search in starts for n in "12"
    )
    assert len(rows) == 40
    limits = {row["board"]: row for row in paper("limits")}
    by = dict(zip(keys, rows, strict=True))
    for (board, start, region, search), row in by.items():
        assert int(row["min"]) <= float(row["mean"]) <= int(row["max"]) <= joints(board)
        alone = by[board, start, region, "no"]
        if search == "yes":
            assert all(float(row[key]) >= float(alone[key]) for key in ("max", "mean", "min"))
            spent = float(row["seconds"]) - float(alone["seconds"])
            assert spent == pytest.approx(float(limits[board]["search_seconds"]))
        elif start == "backtracking":
            assert float(row["seconds"]) >= float(limits[board]["backtracking_seconds"])


def test_means_that_are_not_of_twenty_runs() -> None:
    """Twenty whole scores have a mean in twentieths; eight means of Table 3 are none, and the results page says so."""
    odd = [row["mean"] for row in paper("table3") if round(100 * float(row["mean"])) % 5]
    assert odd == ["335.56", "340.69", "342.17", "342.33", "451.38", "451.88", "451.53", "453.69"]
    page = (PAGES / "results.md").read_text()
    assert all(f"{mean} (" in page for mean in odd)


def test_tables_4_and_5_agree_with_table_3() -> None:
    """Optima are all joints; the best of 20 runs is the best line of Table 3; 100 runs have twice the time."""
    assert [row["board"] for row in paper("table4")] == list(BOARDS)
    for row in paper("table4"):
        assert int(row["optimum"]) == joints(row["board"])
        assert int(row["min"]) <= float(row["mean"]) <= int(row["max"]) < int(row["optimum"])
    by = {(row["method"], row["board"]): row for row in paper("table5")}
    assert len({method for method, _ in by}) == 9
    for board in BOARDS:
        twenty, hundred = (by[f"Salassa et al. 2017 ({runs} runs)", board] for runs in (20, 100))
        assert int(twenty["best"]) == max(int(row["max"]) for row in paper("table3") if row["board"] == board)
        assert int(hundred["minutes"]) == 2 * int(twenty["minutes"])
        assert int(by["optimum", board]["best"]) == joints(board)


def test_pages_quote_the_times_of_the_paper() -> None:
    """Minutes of the best of 100 runs are on the page of backtracking as in Table 5, and their range in the README."""
    minutes = [row["minutes"] for row in paper("table5") if row["method"].endswith("(100 runs)")]
    quoted = f"best of 100 runs; a run took {', '.join(minutes[:-1])} and {minutes[-1]} minutes"
    for page in (EXPERIMENTS.parent / "benchmarks" / "backtracking_page.py", PAGES / "results-edge-matching.md"):
        text = page.read_text(encoding="utf-8").replace('"\n        "', "")
        assert quoted in text
    assert f"of 100 runs of {minutes[0]} to {minutes[-1]} minutes" in (HERE / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", ["report.py", "../summary.py"])
def test_the_pages_show_the_paper(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts that write results read the tables of the paper, the page all of them."""
    read: set[str] = set()
    found = module((HERE / script).resolve())
    if script == "report.py":
        original = found.paper

        def noted(name: str) -> Any:
            read.add(name)
            return original(name)

        monkeypatch.setattr(found, "paper", noted)
        page = "\n".join([*found.parameters(), *found.limits(), *found.best(), *found.table1(), *found.campaigns()])
        assert read | {"table3.csv"} == {path.name for path in (HERE / "paper").glob("*.csv")}
        assert "table3.csv" in read
        assert "| Wang and Chiang 2010 | 30 | 163 (20 min) |" in page
    else:
        assert found.printed("eternity2", "table3", "Eternity II") == ["443.75", "446.50", "449.00", "451.35"]
        assert found.printed("eternity2", "table5", "pieces_14x14") == ["347", "348"]
        assert found.printed("eternity2", "table4", "pieces_10x10") == ["163.2", "167"]
        assert found.printed("eternity2", "table1", "pieces_06x06") == ["60", "60", "60"]


# Campaigns of the size `full`


def test_full_table1_has_the_runs_of_the_paper(data: Path) -> None:
    """1, 10 and 50 million selections in ten runs each, and an hour for the MILP on one thread and on four."""
    runs = full("table1", data)
    assert seeds("table1") == 10
    assert {board for _, board in runs} == {row["board"] for row in paper("table1")}
    for (variant, _), values in runs.items():
        assert values["seconds"] >= 3600.0
        if variant.startswith("clique"):
            assert values["construction"]["selections"] == 10**6 * int(
                variant.removeprefix("clique-").removesuffix("M")
            )
    threads = {variant: values["solver"].get("threads", 1) for (variant, _), values in runs.items()}
    assert (threads["milp-gap"], threads["milp-gap-4-threads"]) == (1, 4)


def test_full_table3_has_the_limits_of_the_paper(data: Path) -> None:
    """Backtracking by the size of the board, nothing that ends a greedy construction, and the paper's whole times."""
    runs = full("table3", data)
    limits = {row["board"]: float(row["backtracking_seconds"]) for row in paper("limits")}
    assert seeds("table3") == 20
    printed = 0
    for row in paper("table3"):
        search = "-search" if row["search"] == "yes" else ""
        values = runs[f"{row['construction']}-{row['region'][0]}{search}", row["board"]]
        operator = built(values)
        assert operator.height == int(row["region"][0])
        assert operator.seconds is None
        assert (operator.formulation, operator.exhaust, operator.noise) == ("gap", 0, 0.0)
        assert values["acceptance"]["name"] == "improving"
        if row["construction"] == "backtracking":
            assert operator.backtracking_seconds == limits[row["board"]]
        assert bool(values["neighbourhoods"]) == (row["search"] == "yes")
        whole = float(row["seconds"])
        assert values["seconds"] == whole if search else values["seconds"] > 10 * whole
        printed += 1
    assert printed == len(runs)


def test_full_table4_has_the_limits_of_the_paper(data: Path) -> None:
    """Twenty runs from random boards, each as long as the paper's search."""
    limits = {row["board"]: float(row["search_seconds"]) for row in paper("limits")}
    assert seeds("table4") == 20
    for (_, board), values in full("table4", data).items():
        assert values["construction"]["name"] == "random"
        assert values["seconds"] == limits[board]


def test_full_table5_leaves_time_for_the_search(data: Path) -> None:
    """A hundred runs with the paper's limits; backtracking and what completes its board leave a fifth at least."""
    runs = full("table5", data)
    limits = {row["board"]: float(row["backtracking_seconds"]) for row in paper("limits")}
    minutes = {row["board"]: row["minutes"] for row in paper("table5") if row["method"].endswith("(100 runs)")}
    assert seeds("table5") == 100
    assert set(runs) == {(variant, board) for variant in ("ours", "paper") for board in BOARDS}
    for (variant, board), values in runs.items():
        assert values["seconds"] == 60.0 * int(minutes[board])
        if variant == "paper":
            share = values["neighbourhood_share"]
            assert built(values).backtracking_seconds == limits[board]
            assert limits[board] < (1 - share) * values["seconds"]
            assert share == 0.2
            assert values["acceptance"]["name"] == "improving"


def built(values: Any) -> Any:
    """The construction of a configuration."""
    options = dict(values["construction"])
    return build_operator("edge-matching", "construction", options.pop("name"), options, values["solver"])


# Presets


@pytest.mark.parametrize("preset", ["paper", "paper-strict"])
def test_presets_have_the_parameters_of_the_paper(preset: str) -> None:
    """Table 2, and the sequence of neighbourhoods of section 4."""
    values = {row["parameter"]: int(row["value"]) for row in paper("table2")}
    found = resolve("edge-matching", preset=preset)
    assert found.neighbourhoods == ("assignment", "border", "checkerboard", "swap-rotate", "region")
    assert found.schedule["name"] == "cycle"
    assignment, region = found.neighbourhood["assignment"], found.neighbourhood["region"]
    assert (assignment["k"], assignment["iterations"]) == (values["TA.K"], values["TA.N"])
    assert (region["columns"], region["rows"]) == (values["Clique.W"], values["Clique.H"])
    assert (region["iterations"], region["method"]) == (values["Clique.N"], "clique")
    assert (found.construction["name"], found.construction["height"]) == ("milp-greedy", 1)


def test_the_strict_preset_has_nothing_that_the_paper_has_not() -> None:
    """Only better boards are taken, nothing begins again, and the greedy construction is Algorithm 1 by model (15)."""
    found = resolve("edge-matching", preset="paper-strict")
    assert found.acceptance["name"] == "improving"
    assert found.restart_after is None
    greedy = built(found.to_dict())
    assert (greedy.formulation, greedy.exhaust, greedy.noise, greedy.passes, greedy.seconds) == ("gap", 0, 0.0, 1, None)
    options = found.neighbourhood
    assert not options["assignment"]["sideways"]
    assert not options["region"]["sideways"]
    assert options["border"]["formulation"] == options["region"]["formulation"] == "gap"


@pytest.mark.parametrize("preset", ["tabu", "gvns"])
def test_comparators_are_presets(preset: str) -> None:
    """Tabu search and general variable neighbourhood search begin with a random board and solve a small one."""
    found = resolve("edge-matching", preset=preset)
    assert found.construction["name"] == "random"
    result = matheur.solve("edge-matching/4x4", preset=preset, work=30_000, seed=1)
    assert result.score == 24


def test_comparators_stand_next_to_what_the_paper_quotes(data: Path) -> None:
    """Every line of Table 5 has a method of the campaign, which runs as long as those of the contest did."""
    campaign = read_campaign(HERE / "campaigns" / "comparators.toml", size="full")
    methods = module(HERE / "report.py").METHODS
    named = {methods[variant.name] for variant in campaign.variants}
    ours = {"Salassa et al. 2017 (100 runs)", "Salassa et al. 2017 (20 runs)", "optimum"}
    assert named | ours == {row["method"] for row in paper("table5")}
    limits = {row["board"]: float(row["search_seconds"]) for row in paper("limits")}
    assert all(values["seconds"] == limits[board] for (_, board), values in full("comparators", data).items())
    assert len(campaign.seeds) == 30
