"""What a report says, against the records it is made of."""

from __future__ import annotations

import json
import math
import shutil
import statistics
from pathlib import Path

import pytest
from campaign.report.conftest import HOSTILE, REASON, VARIANT

from matheur.campaign import Store, make_plan, read_campaign, read_records
from matheur.campaign.instances import Found, problem_of
from matheur.campaign.report import Report, build_report, reading
from matheur.campaign.report.document import Block, Figure, Listing, Paragraph, Picture, Table
from matheur.campaign.report.reading import read_findings
from matheur.campaign.report.sections import solutions
from matheur.campaign.report.words import visible
from matheur.campaign.statistics import course_of
from matheur.campaign.worker import make_run
from matheur.errors import InputError
from matheur.problems.edge_matching import EdgeMatching, builtin
from matheur.problems.edge_matching.builtin import builtin_solution


@pytest.fixture(scope="module")
def report(campaign: Path) -> Report:
    """The report as data."""
    return build_report(campaign, campaign)


def block(report: Report, name: str) -> Block:
    """A block by its name."""
    return next(one for section in report.sections for one in section.blocks if getattr(one, "name", "") == name)


def table(report: Report, name: str) -> list[dict[str, object]]:
    """The values of a table, row by row."""
    found = block(report, name)
    assert isinstance(found, Table)
    names = [column.name for column in found.columns]
    return [dict(zip(names, [cell.value for cell in row], strict=True)) for row in found.rows]


def test_the_sections(report: Report) -> None:
    """In the order in which people read them."""
    assert [section.title for section in report.sections] == [
        "Overview", "Instances", "Comparison of variants", "Time to target", "Convergence", "Operators",
        "Best solutions", "Failures", "Configurations", "Runs",
    ]  # fmt: skip
    assert report.title == HOSTILE[0]
    assert report.state == "38 runs of 40 finished, 1 failed, 1 left."


def test_names_of_files_and_anchors_are_unique(report: Report) -> None:
    """No block takes the place of another one, whatever things are called."""
    blocks = [one for section in report.sections for one in section.blocks]
    tables = [one.name for one in blocks if isinstance(one, Table)]
    names = [f"table-{name}" for name in tables] + [one.name for one in blocks if isinstance(one, Figure | Picture)]
    names += [one.anchor for one in blocks if isinstance(one, Listing)] + [one.anchor for one in report.sections]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalnum() and name.isascii() for name in names)


def test_the_overview_counts_runs(report: Report, campaign: Path) -> None:
    """Runs, failures, solutions, mean gaps and seconds by variant and group, as the records have them."""
    rows = table(report, "variants")
    boards = [row for row in rows if row["group"] == "boards"]
    assert [row["variant"] for row in boards] == ["random", VARIANT]
    records = [one for one in read_records(campaign) if one.group == "boards" and one.variant == VARIANT]
    records = [one for one in records if one.status != "failed"]
    assert boards[1]["runs"] == len(records) == boards[1]["solved"] == 6
    gaps = [(one.reference_score - one.score) / one.reference_score for one in records]  # type: ignore[operator]
    assert boards[1]["mean gap"] == pytest.approx(statistics.fmean(gaps))
    assert boards[1]["median gap"] == pytest.approx(statistics.median(gaps))
    assert boards[1]["mean seconds"] == pytest.approx(statistics.fmean(one.seconds for one in records))
    assert sum(int(str(row["failed"])) for row in rows) == 1


def test_instances_have_best_median_and_worst(report: Report, campaign: Path) -> None:
    """Scores by instance and variant; the best of an instance is marked, new records have negative gaps only."""
    rows = [row for row in table(report, "instances") if row["instance"] == "edge-matching/16x16"]
    assert [row["variant"] for row in rows] == ["random", VARIANT]
    scores = sorted(
        float(one.score or 0)
        for one in read_records(campaign)
        if (one.instance, one.variant) == ("edge-matching/16x16", VARIANT)
    )
    assert (rows[1]["best"], rows[1]["median"], rows[1]["worst"]) == (
        scores[-1], statistics.median(scores), scores[0],
    )  # fmt: skip
    assert (rows[1]["best known"], rows[1]["target"], rows[1]["runs"]) == (480, 480, 4)
    assert rows[1]["bound"] == 480  # as a score, like all others
    assert rows[1]["gap of best"] == pytest.approx((480 - scores[-1]) / 480)
    assert rows[1]["median time to target"] is None
    found = block(report, "instances")
    assert isinstance(found, Table)
    marks = {(row[0].value, row[1].value): row[4].mark for row in found.rows}
    assert marks["edge-matching/16x16", VARIANT] == "good"
    assert marks["edge-matching/16x16", "random"] == ""


@pytest.mark.parametrize(("best", "noise", "status"), [(100.25, 1e-11, "feasible"), (100.0, 2e-8, "optimal")])
def test_the_best_of_all_runs_is_reached_but_for_noise(
    campaign: Path, tmp_path: Path, best: float, noise: float, status: str
) -> None:
    """The last digit of a solver is no difference between runs where the best of them is the target."""
    folder = tmp_path / "noisy.campaign"
    shutil.copytree(campaign, folder)
    (folder / "index.json").unlink(missing_ok=True)
    runs = [one for one in read_records(folder) if one.instance == "quadratic-assignment/tiny8"]
    assert len(runs) > 2
    for number, run in enumerate(runs):
        score = best + (number % 2) * noise
        changed = {"score": score, "objective": score, "bound": best, "status": status}
        run.result_path.write_text(json.dumps({**run.load(), **changed}))
        told = [{**one, "score": score} if one["event"] == "incumbent" else one for one in run.events()]
        assert run.events_path is not None
        run.events_path.write_text("".join(json.dumps(one) + "\n" for one in told))
    found = [one for one in read_findings(folder, folder).runs if one.record.instance == runs[0].instance]
    assert all(one.to_target is not None and math.isfinite(one.to_target) for one in found if one.record.feasible)


def test_a_run_is_measured_by_its_own_target_where_targets_differ(campaign: Path, tmp_path: Path) -> None:
    """PAR10 counts the time to it; what instances are compared by is the easiest of all."""
    folder = tmp_path / "targets.campaign"
    shutil.copytree(campaign, folder)
    (folder / "index.json").unlink(missing_ok=True)
    runs = [one for one in read_records(folder) if one.group == "" and one.status != "failed"]
    for number, run in enumerate(runs):
        told = run.load()
        target = (120, 100)[number % 2] if run.score_sense == "min" else 50
        given = {**told["configuration"], "target": target, "seconds": 50.0}
        run.result_path.write_text(json.dumps({**told, "status": "feasible", "score": 95, "configuration": given}))
        found = {"event": "incumbent", "work": 1, "operator": "random"}
        events = [{**found, "seconds": at, "score": value, "objective": value} for at, value in ((1, 110), (3, 95))]
        assert run.events_path is not None
        run.events_path.write_text("".join(json.dumps(one) + "\n" for one in events))
    findings = read_findings(folder, folder)
    minimised = [one for one in findings.runs if one.record.score_sense == "min" and one.record.target is not None]
    assert len(minimised) > 2
    assert all(one.to_target == 1 for one in minimised)
    assert all(one.to_own_target == (1 if one.record.target == 120 else 3) for one in minimised)
    (row,) = [one for one in table(build_report(folder, folder), "variants") if one["group"] == "(none)"]
    times = [3 if run.score_sense == "min" and number % 2 else 1 for number, run in enumerate(runs)]
    assert row["PAR10"] == pytest.approx(statistics.fmean(times))


def test_times_to_the_target_are_exact(campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the expected time of runs with many more solutions than plots need."""
    folder = tmp_path / "long.campaign"
    shutil.copytree(campaign, folder)
    (folder / "index.json").unlink(missing_ok=True)
    runs = [one for one in read_records(folder) if one.instance == "quadratic-assignment/tiny8"]
    for number, run in enumerate(runs):
        told = run.load()
        given = {**told["configuration"], "target": 105}
        run.result_path.write_text(json.dumps({**told, "status": "feasible", "score": 95, "configuration": given}))
        found = {"event": "incumbent", "work": 1, "operator": "random"}
        course = ((1, 110), (2, 105), (3, 100), (4, 95)) if number else ((1, 110), (6, 108))
        events = [{**found, "seconds": at, "score": value, "objective": value} for at, value in course]
        assert run.events_path is not None
        run.events_path.write_text("".join(json.dumps(one) + "\n" for one in events))
    monkeypatch.setattr(reading, "_INCUMBENTS", 2)
    rows = [row for row in table(build_report(folder, folder), "instances") if row["instance"] == runs[0].instance]
    reached = len(runs) - 1
    assert [row["expected time to target"] for row in rows] == [pytest.approx((6 + 2 * reached) / reached)]
    assert rows[0]["median time to target"] == 2


def test_comparisons_are_of_what_both_have(report: Report) -> None:
    """The two variants meet on the boards alone."""
    (row,) = table(report, "comparison")
    assert (row["first"], row["second"]) == ("random", VARIANT)
    assert row["pairs"] == 6
    assert row["first better"] == 0
    assert float(str(row["effect"])) > 0


def test_operators_are_those_of_the_events(report: Report, campaign: Path) -> None:
    """Calls, gains and work summed over the event streams of a variant."""
    rows = {
        (row["operator"], row["variant"]): row
        for row in table(report, "operators")
        if row["problem"] == "edge-matching"
    }
    swaps = rows["swap-rotate", VARIANT]
    told = [course_of(one.events()).operators for one in read_records(campaign) if one.variant == VARIANT]
    figures = [one["swap-rotate"] for one in told if one is not None]
    assert swaps["calls"] == sum(one.calls for one in figures)
    assert swaps["gain"] == sum(one.gain for one in figures) > 0
    assert swaps["work"] == sum(one.work for one in figures)
    assert swaps["runs"] == len(figures)


def test_figures_name_their_runs(report: Report) -> None:
    """Every figure and picture lists runs with seed, result file and configuration."""
    blocks = [one for section in report.sections for one in section.blocks if isinstance(one, Figure | Picture)]
    assert {type(one) for one in blocks} == {Figure, Picture}
    for one in blocks:
        assert one.sources is not None
        assert one.sources.runs
        for _, anchor, seeds in one.sources.runs:
            assert anchor.startswith("configuration-")
            assert all(href.startswith("results/") for _, href in seeds)


def test_failures_say_why(report: Report) -> None:
    """With kind, seed and reason."""
    (row,) = table(report, "failures")
    assert (row["kind"], row["reason"]) == ("memory", REASON)


def test_invisible_characters_are_shown(report: Report) -> None:
    """Line breaks, escapes and turned writing direction in a name are written out."""
    names = {str(row["instance"]) for row in table(report, "runs")}
    assert visible(HOSTILE[4]) in names
    assert all(name.isprintable() for name in names)


def test_times_to_target(campaign: Path) -> None:
    """A run's time to the target is that of the first incumbent as good; the primal integral is a share."""
    findings = read_findings(campaign, campaign)
    for run in findings.made:
        facts = findings.instances[run.record.instance]
        assert facts.target is not None
        scores = [(e["seconds"], e["score"]) for e in run.record.events() if e["event"] == "incumbent"]
        hits = [at for at, score in scores if facts.sign * score <= facts.target]
        assert run.to_target == (hits[0] if hits else math.inf)
        assert (run.integral is None) is (facts.horizon == 0)  # where all runs ended within a millisecond
        assert run.integral is None or 0 <= run.integral <= 1
    assert any(run.integral is not None for run in findings.made)
    tiny = findings.instances["quadratic-assignment/tiny8"]
    assert (tiny.sign, tiny.reference) == (1.0, None)
    assert tiny.best == min(run.value for run in findings.made if run.record.instance == tiny.name)
    assert min(run.gap for run in findings.made if run.record.instance == tiny.name and run.gap is not None) == 0


def test_what_cannot_be_drawn_is_said(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is gone, a picture that is too large and instances beyond the number each leave a remark."""

    def gone(found: Found) -> object:
        if found.name == "edge-matching/16x16":
            raise InputError("cannot read", source="gone.txt")
        return problem_of(found)

    findings = read_findings(campaign, campaign)
    monkeypatch.setattr(solutions, "problem_of", gone)
    section = solutions.solutions_section(findings, most=6)
    assert section is not None
    drawn = [one.title for one in section.blocks if isinstance(one, Picture)]
    remarks = " ".join(one.text for one in section.blocks if isinstance(one, Paragraph))
    assert len(drawn) == 6
    assert "edge-matching/16x16" not in drawn
    assert "edge-matching/16x16 is not drawn: gone.txt: cannot read" in remarks
    assert "Solutions of 1 further instance are left out." in remarks
    assert "'matheur show RESULT' draws" in remarks
    monkeypatch.setattr(solutions, "_BYTES", 100)
    section = solutions.solutions_section(findings)
    assert section is not None
    assert not [one for one in section.blocks if isinstance(one, Picture)]
    assert str(section.blocks).count("its picture would be too large") == 7


def test_solutions_are_drawn_on_the_instance_of_their_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variants may read an instance in different ways."""
    (piece, rotation), *_ = EdgeMatching(builtin("4x4")).encode(builtin_solution("4x4"))
    (tmp_path / "c.toml").write_text(
        'instances = ["edge-matching/4x4"]\n[base]\nneighbourhoods = []\nwork = 100_000\n'
        '[variants.free]\nconstruction = "random"\n'
        f'[variants.pinned]\nconstruction = "backtracking"\ninstance.hints = [[0, 0, {piece}, {rotation}]]\n'
    )
    plan, store = make_plan(read_campaign(tmp_path / "c.toml")), Store(tmp_path / "c.campaign")
    store.prepare()
    store.save_plan(plan)
    for order in plan.orders():
        assert make_run(str(store.folder), order.to_dict())["outcome"] == "done"
    read: list[Found] = []

    def noted(found: Found) -> object:
        read.append(found)
        return problem_of(found)

    monkeypatch.setattr(solutions, "problem_of", noted)
    section = solutions.solutions_section(read_findings(store.folder, store.folder))
    assert section is not None
    (picture,) = section.blocks
    assert isinstance(picture, Picture)
    assert "pinned" in picture.note
    assert [one.options for one in read] == [{"hints": [[0, 0, piece, rotation]]}]


def test_no_campaign(tmp_path: Path) -> None:
    """A folder without one is said."""
    with pytest.raises(InputError, match="no campaign has been run here"):
        build_report(tmp_path, tmp_path)
