"""Tuning: ranges, criteria, candidates and presets."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from campaign.conftest import Write
from hypothesis import example, given
from hypothesis import strategies as st

from matheur.campaign import Campaign, Store, make_plan, read_campaign, read_records
from matheur.campaign.criteria import (
    CRITERIA,
    best_known,
    final_gap,
    horizons,
    par10,
    penalised_time,
    primal_gap,
    primal_integral,
    solved_at,
)
from matheur.campaign.instances import find_instances
from matheur.campaign.ranges import Choices, Interval, draw, parse_ranges
from matheur.campaign.running import Summary
from matheur.campaign.toml import to_toml
from matheur.campaign.tuning import Candidate, Tuned, tune, write_preset
from matheur.campaign.worker import make_run
from matheur.errors import ConfigurationError, MatheurError
from matheur.running.configuration import resolve

TEXT = """
instances = ["quadratic-assignment/grid30", "edge-matching/6x6"]
seeds = 4
[base]
construction = "random"
neighbourhoods = []
iterations = 1
[tune]
candidates = 4
factor = 2
ranges.restart_after = { low = 1, high = 50 }
"""


class InThisProcess:
    """Makes the runs of a tuning one after another, and counts them."""

    def __init__(self, folder: Path, most: int = 1000) -> None:
        self.store, self.made, self.most = Store(folder), 0, most
        self.seeds: list[int] = []

    def __call__(self, campaign: Campaign) -> Summary:
        plan = make_plan(campaign)
        self.store.prepare()
        self.store.save_plan(plan)
        self.seeds.append(len(campaign.seeds))
        for order in plan.orders():
            if self.made >= self.most:
                return Summary(len(plan), 0, 0, 0, interrupted=True)
            self.made += make_run(str(self.store.folder), order.to_dict())["outcome"] == "done"
        return Summary(len(plan), 0, 0, 0, interrupted=False)


def test_halving_gives_the_seeds_to_the_best(write: Write, tmp_path: Path) -> None:
    """Four candidates on two seeds, two on all four; nothing is run twice, and the configuration as it was is known."""
    campaign, run = read_campaign(write(TEXT)), InThisProcess(tmp_path / "out")
    rounds: list[list[str]] = []
    found = tune(campaign, tmp_path / "out", run, on_round=lambda shown: rounds.append([one.name for one in shown]))
    assert run.seeds == [2, 4]
    assert sorted(rounds[0]) == ["001", "002", "003", "base"]
    assert len(rounds[1]) == 2
    assert found.best.seeds == found.base.seeds == 4
    assert found.best.criterion is not None
    assert found.base.criterion is not None
    assert found.best.criterion <= found.base.criterion
    assert len({one.values["restart_after"] for one in found.candidates if one.name != "base"}) == 3
    assert run.made == len(Store(tmp_path / "out").finished())


def test_a_stopped_tuning_goes_on(write: Write, tmp_path: Path) -> None:
    """The same call draws the same candidates and makes only the runs that are left."""
    campaign = read_campaign(write(TEXT))
    stopped = InThisProcess(tmp_path / "out", most=7)
    assert tune(campaign, tmp_path / "out", stopped).interrupted
    again, calm = InThisProcess(tmp_path / "out"), InThisProcess(tmp_path / "calm")
    found = tune(campaign, tmp_path / "out", again)
    assert found.candidates == tune(campaign, tmp_path / "calm", calm).candidates
    assert stopped.made + again.made == calm.made


def test_optuna_is_asked_and_told(write: Write, tmp_path: Path) -> None:
    """With the other method every candidate has all seeds."""
    pytest.importorskip("optuna")
    campaign, run = read_campaign(write(TEXT), ["tune.method=optuna", "seeds=2"]), InThisProcess(tmp_path / "out")
    found = tune(campaign, tmp_path / "out", run)
    assert run.seeds == [2, 2]
    assert sorted(one.name for one in found.candidates) == ["001", "002", "003", "004", "base"]
    assert all(1 <= one.values["restart_after"] <= 50 for one in found.candidates if one.name != "base")


def test_the_preset_is_a_configuration(write: Write, tmp_path: Path) -> None:
    """What is written resolves with `--config`; limits of the tuning are not in it."""
    campaign, run = read_campaign(write(TEXT)), InThisProcess(tmp_path / "out")
    found = tune(campaign, tmp_path / "out", run)
    found = replace(found, variant=replace(found.variant, preset="paper"))
    write_preset(found, campaign, tmp_path / "tuned.toml")
    values = tomllib.loads((tmp_path / "tuned.toml").read_text())
    assert "iterations" not in values
    assert values["preset"] == "paper"
    assert resolve("edge-matching", file=tmp_path / "tuned.toml").construction["name"] == "random"
    assert (tmp_path / "tuned.toml").read_text().startswith("# Tuned by the campaign 'small': gap 0.")


def test_a_preset_names_the_files_of_the_campaign_from_anywhere(write: Write, tmp_path: Path) -> None:
    """`--config` looks for them in the current folder."""
    campaign, base = read_campaign(write(TEXT)), Candidate("base", {})
    network = campaign.folder / "network.npz"
    network.write_bytes(b"weights")
    settings = {"construction": {"name": "astar", "heuristic": "max(zero,network.npz)"}}
    variant = replace(campaign.used[0], settings=settings)
    write_preset(Tuned(base, base, [base], variant, False), campaign, tmp_path / "tuned.toml")
    values = tomllib.loads((tmp_path / "tuned.toml").read_text())
    assert values["construction"]["heuristic"] == f"max(zero,{network})"


def test_mistakes_are_said(write: Write, tmp_path: Path) -> None:
    """Nothing to tune, several variants, values that no option takes, and runs that all fail."""
    run = InThisProcess(tmp_path / "out")
    with pytest.raises(ConfigurationError, match="nothing to tune"):
        tune(read_campaign(write(TEXT.replace("ranges", "# ranges"))), tmp_path / "out", run)
    with pytest.raises(
        ConfigurationError, match=r"one variant is tuned at a time \(plain, again\). Maybe --only plain"
    ):
        tune(read_campaign(write()), tmp_path / "out", run)
    with pytest.raises(ConfigurationError, match="variant '001': unknown option 'restart_aftr'"):
        tune(read_campaign(write(TEXT.replace("restart_after", "restart_aftr"))), tmp_path / "out", run)

    def failing(campaign: Campaign) -> Summary:
        plan = make_plan(campaign)
        store = Store(tmp_path / "failed")
        store.prepare()
        store.save_plan(plan)
        for order in plan.orders():
            make_run(str(store.folder), order.to_dict() | {"code": "0", "labelled": False})
        return Summary(len(plan), 0, 0, len(plan), interrupted=False)

    with pytest.raises(MatheurError, match="all runs of the tuning failed: the code has changed"):
        tune(read_campaign(write(TEXT)), tmp_path / "failed", failing)


@pytest.mark.parametrize(
    "wrong",
    [
        {"low": 1},
        {"low": 2, "high": 1},
        {"low": 0, "high": 1, "log": True},
        [1],
        "x",
        3,
        {"low": 0, "high": 1, "by": 2},
        {"low": 0, "high": 8, "step": True},
    ],
)
def test_wrong_ranges_are_said(wrong: object) -> None:
    """The key and the value are named."""
    with pytest.raises(ConfigurationError, match=r"tune.ranges.a.b: not a range"):
        parse_ranges({"a": {"b": wrong}})


@pytest.mark.parametrize("wrong", [{"low": 0.5, "high": 9.5}, {"low": 1, "high": 9, "log": True}])
def test_a_step_that_would_not_count_is_refused(wrong: dict[str, object]) -> None:
    """Of real numbers and of logarithmic ranges."""
    with pytest.raises(ConfigurationError, match=r"tune.ranges.a: 'step' is for whole numbers without 'log'"):
        parse_ranges({"a": {**wrong, "step": 2}})


def test_values_lie_in_their_ranges() -> None:
    """Whole numbers in steps, logarithmic ranges over their orders of magnitude, every choice and both ends."""
    ranges = parse_ranges(
        {
            "a.k": [1, "two", True],
            "b": {"step": {"low": 3, "high": 11, "step": 4}, "log": {"low": 1e-4, "high": 1.0, "log": True}},
            "w": {"low": 1, "high": 2},
            "wl": {"low": 1, "high": 2, "log": True},
            "short": {"low": 1, "high": 10, "step": 4},
            "narrow": {"low": 0.12341, "high": 0.12344},
        }
    )
    assert isinstance(ranges["a.k"], Choices)
    assert ranges["b.step"] == Interval(3, 11, step=4)
    rng = np.random.default_rng(0)
    drawn = [draw(ranges, rng) for _ in range(300)]
    assert {one["a.k"] for one in drawn} == {1, "two"}
    assert {one["b.step"] for one in drawn} == {3, 7, 11}
    assert {one["w"] for one in drawn} == {one["wl"] for one in drawn} == {1, 2}
    assert {one["short"] for one in drawn} == {1, 5, 9}
    assert all(0.12341 <= one["narrow"] <= 0.12344 for one in drawn)
    logs = [one["b.log"] for one in drawn]
    assert all(1e-4 <= value <= 1 for value in logs)
    assert sum(value < 1e-2 for value in logs) > 100


def test_criteria(write: Write, tmp_path: Path) -> None:
    """The gap is of the score; the integral lies between the final gap and 1, and is 1 where nothing is found."""
    run = InThisProcess(tmp_path / "out")
    run(read_campaign(write(TEXT)))
    records = read_records(tmp_path / "out")
    best = best_known(records)
    assert best["edge-matching/6x6"] == max(r.score for r in records if r.problem == "edge-matching" and r.score)
    for record in records:
        gap, integral = final_gap(record, best[record.instance]), primal_integral(record, best[record.instance])
        assert 0 <= gap <= integral <= 1
        timed = replace(record, time_limit=1000.0)
        assert primal_integral(timed, best[record.instance]) == pytest.approx(gap, abs=0.05)
        nothing = replace(record, status="failed", score=None)
        assert final_gap(nothing, 5) == primal_integral(nothing, 5) == 1
        assert final_gap(replace(nothing, status="infeasible"), 5) == 0
    assert best_known([replace(records[0], reference_score=1)])[records[0].instance] == 1


def test_times_until_an_instance_is_solved(write: Write, tmp_path: Path) -> None:
    """To the target if there is one, else to a proof; without it the limit, or ten times the limit."""
    run = InThisProcess(tmp_path / "out")
    text = """
    instances = "quadratic-assignment/grid30"
    base = { construction = "random", neighbourhoods = ["swap"], iterations = 20 }
    """
    run(read_campaign(write(text)))
    record = read_records(tmp_path / "out")[0]
    incumbents = [event for event in record.events() if event["event"] == "incumbent"]
    assert len(incumbents) > 1
    assert record.score is not None
    first, best = incumbents[0], incumbents[-1]
    timed = replace(record, time_limit=100.0, target=None, status="feasible", seconds=7.0)
    assert solved_at(timed) is None
    assert solved_at(replace(timed, status="optimal")) == 7
    assert solved_at(replace(timed, status="infeasible", score=None)) == 7
    assert solved_at(replace(timed, target=first["score"])) == first["seconds"]
    assert solved_at(replace(timed, target=record.score, status="optimal")) == best["seconds"]
    assert solved_at(replace(timed, target=record.score - 1)) is None
    assert solved_at(replace(timed, target=first["score"], status="failed")) is None
    work = replace(record, target=record.score, status="feasible")
    assert solved_at(work) == best["work"]
    for name, factor in (("time-to-solve", 1), ("par10", 10)):
        measure = CRITERIA[name]
        assert measure(timed, 0.0, 5.0) == factor * 100
        assert measure(replace(timed, status="optimal"), 0.0, 5.0) == 7
        assert measure(replace(timed, status="optimal", seconds=101.0), 0.0, 5.0) == factor * 100
        assert measure(replace(work, target=None), 0.0, 10**9) == factor * 10**9
        assert measure(work, 0.0, 10**9) == best["work"]
    assert par10(timed, 3.0) == 1000
    assert par10(replace(timed, target=first["score"]), 3.0) == 3
    assert par10(replace(timed, target=first["score"]), math.inf) == 1000
    assert par10(work, 3.0) is None


def test_tuning_by_times_on_a_folder(write: Write, tmp_path: Path) -> None:
    """Candidates are ranked by the work until the target; where nothing is solved, tuning says so."""
    folder = tmp_path / "puzzles"
    (folder / "more").mkdir(parents=True)
    (folder / "one.txt").write_text("011\n110\n100\n")
    (folder / "more" / "two.txt").write_text("111\n010\n110\n")
    (folder / ".hidden").write_text("no board")
    text = """
    instances = "puzzles"
    seeds = 2
    base = { construction = { name = "beam", width = 8 }, neighbourhoods = [], work = 20000, target = 9 }
    tune = { criterion = "par10", candidates = 3, factor = 3, ranges = { construction.width = [1, 4096] } }
    """
    campaign, run = read_campaign(write(text)), InThisProcess(tmp_path / "out")
    assert [one.name for one in find_instances(campaign)] == ["two", "one"]
    found = tune(campaign, tmp_path / "out", run)
    values = {one.name: one.criterion for one in found.candidates}
    records = read_records(tmp_path / "out")
    most = horizons(records)
    for name, value in values.items():
        own = [penalised_time(solved_at(one), most[one.instance], 10) for one in records if one.variant == name]
        assert own == [] or value == pytest.approx(fmean(own))
    with pytest.raises(MatheurError, match=r"no run has solved its instance, so there is no par10 .*base.target"):
        tune(read_campaign(write(TEXT), ["tune.criterion=par10"]), tmp_path / "no", InThisProcess(tmp_path / "no"))


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
@example(5e-163, -2e-162)  # their product is too small to have a sign
def test_gaps_are_shares(score: float, reference: float) -> None:
    """Always from 0 to 1, the same seen from either direction, and 0 exactly for what is as good or better."""
    gap = primal_gap(score, reference)
    assert 0 <= gap <= 1
    assert gap == primal_gap(-score, -reference, "max")
    assert (gap == 0) == (score <= reference)


_PLAIN = st.recursive(
    st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), _PLAIN, max_size=4))
def test_toml_is_read_again_as_it_was(table: dict[str, object]) -> None:
    """Whatever plain table is written, `tomllib` reads the same."""
    assert tomllib.loads(to_toml(table)) == table


def test_none_is_left_out_of_toml() -> None:
    """TOML has no such value."""
    assert tomllib.loads(to_toml({"a": None, "b": {"c": None, "d": 1}, "e": [{"f": None}]})) == {
        "b": {"d": 1},
        "e": [{}],
    }


def test_candidates_are_plain() -> None:
    """A candidate that has not been tried has no criterion."""
    assert Candidate("001", {"a": 1}).criterion is None
