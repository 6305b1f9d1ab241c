"""Runs that have been made, and what is read of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from campaign.conftest import Write

from matheur.campaign import DamagedRun, Plan, Store, make_plan, read_campaign, read_records, worker
from matheur.campaign import records as module
from matheur.campaign.report import write_report
from matheur.campaign.report.reading import read_findings
from matheur.campaign.running import left_orders
from matheur.campaign.status import last_event, read_status
from matheur.campaign.worker import failure, make_run
from matheur.errors import InputError, MatheurError, SolverError
from matheur.problems.milp.operators.certifier import SecondSolver
from matheur.running.loading import load_instance, load_solution


@pytest.fixture
def made(write: Write, tmp_path: Path) -> tuple[Plan, Store]:
    """A small campaign with all runs made but two: one has failed, one is left."""
    plan, store = make_plan(read_campaign(write())), Store(tmp_path / "out")
    store.prepare()
    store.save_plan(plan)
    *most, failed, _left = plan.orders()
    for order in most:
        assert make_run(str(store.folder), order.to_dict()) == {"key": order.key, "outcome": "done"}
    store.fail(failed.key, failure(failed.to_dict(), "memory", "used\ntoo much", 1.5))
    return plan, store


def test_a_record_says_what_was_found(made: tuple[Plan, Store]) -> None:
    """Records come in the order of the plan, with re-evaluated objectives, references and paths."""
    plan, store = made
    records = read_records(store.folder)
    assert [record.key for record in records] == plan.keys[:-1]
    four = next(record for record in records if record.instance == "edge-matching/4x4")
    assert (four.problem, four.group, four.sense, four.score_sense) == ("edge-matching", "boards", "min", "max")
    assert (four.reference, four.reference_score, four.solver) == (0, 24, "highs")
    assert four.score == 24 - (four.objective or 0)
    assert four.feasible
    assert four.wall_seconds is not None
    assert four.wall_seconds >= four.seconds
    assert four.cpu_seconds is not None
    assert four.load()["campaign"]["host"]
    kinds = [event["event"] for event in four.events()]
    assert kinds[0] == "start"
    assert kinds[-1] == "end"


def test_a_result_file_is_one_of_the_command_line(made: tuple[Plan, Store]) -> None:
    """`matheur verify` and `show` read the result of a run as any other."""
    record = read_records(made[1].folder)[0]
    kind, problem = load_instance(record.instance)
    solution = load_solution(kind, problem, str(record.result_path))
    assert problem.evaluate(solution).objective == record.objective


def test_failures_are_records(made: tuple[Plan, Store]) -> None:
    """A failed run has a record with its reason in one line, and no events if there were none."""
    failed = read_records(made[1].folder)[-1]
    assert (failed.status, failed.stopped, failed.reason, failed.seconds) == ("failed", "memory", "used too much", 1.5)
    assert failed.objective is None
    assert not failed.feasible
    assert list(failed.events()) == []
    assert failed.load()["order"]["seed"] == failed.seed


def test_a_result_goes_before_a_failure(made: tuple[Plan, Store]) -> None:
    """Once a run has been made, its failure is gone."""
    plan, store = made
    key = plan.keys[-2]
    order = next(one for one in plan.orders() if one.key == key)
    assert store.failed() == {key}
    make_run(str(store.folder), order.to_dict())
    assert store.failed() == set()
    assert read_records(store.folder)[-1].status != "failed"
    assert make_run(str(store.folder), order.to_dict())["outcome"] == "there"


def test_a_run_is_at_work_from_its_beginning(made: tuple[Plan, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    """A run counts as running before its first event: while it is warmed up. If it fails then, it has no events."""
    plan, store = made
    *_, order = plan.orders()
    seen: list[int] = []

    def warm_up(*_: object) -> None:
        seen.append(read_status(store.folder).running)
        assert last_event(store.runs_at_work()[0]) == {}
        raise MatheurError("stopped here")

    monkeypatch.setattr(worker, "_warm_up", warm_up)
    assert make_run(str(store.folder), {**order.to_dict(), "warm_up": 1.0})["reason"] == "stopped here"
    assert seen == [1]
    assert read_status(store.folder).running == 0
    failed = next(record for record in read_records(store.folder) if record.key == order.key)
    assert failed.events_path is None
    assert not list(store.running.glob("*.jsonl"))


def test_a_second_proof_that_fails_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for two proofs gets no run with one, and the reason of the other method."""

    def fails(*_: Any, **__: Any) -> None:
        raise SolverError("'scip' could not confirm it")

    monkeypatch.setattr(SecondSolver, "certify", fails)
    file = tmp_path / "c.toml"
    file.write_text('instances = ["milp/demo"]\nseeds = 1\n[base]\ncertify = true\nseconds = 60\n[variants.one]\n')
    plan, store = make_plan(read_campaign(file)), Store(tmp_path / "c.campaign")
    store.prepare()
    store.save_plan(plan)
    answer = make_run(str(store.folder), plan.order(0).to_dict())
    assert (answer["outcome"], answer["reason"]) == ("failed", "'scip' could not confirm it")


def test_files_are_opened_once(made: tuple[Plan, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the index, no result file is opened again; without it, or damaged, all are, and the records are the same."""
    _, store = made
    first = read_records(store.folder)
    opened: list[Path] = []
    read = module._read
    monkeypatch.setattr(module, "_read", lambda path, how: opened.append(path) or read(path, how))
    assert read_records(store.folder) == first
    assert opened == []
    for content in (None, b"{", b"[]", b'{"format": 1, "columns": [], "rows": {}}'):
        (store.folder / "index.json").unlink()
        if content is not None:
            (store.folder / "index.json").write_bytes(content)
        opened.clear()
        assert read_records(store.folder) == first
        assert len(opened) == len(first)


def test_a_changed_file_is_read_again(made: tuple[Plan, Store]) -> None:
    """The index does not hide a file that has been replaced."""
    _, store = made
    record = read_records(store.folder)[0]
    values = record.load() | {"objective": 99, "score": -99}
    record.result_path.write_text(json.dumps(values))
    assert read_records(store.folder)[0].objective == 99


def test_files_that_are_being_written_are_not_seen(made: tuple[Plan, Store]) -> None:
    """Temporary neighbours of an atomic write are no results."""
    _, store = made
    before = read_records(store.folder)
    (store.results / ".half.json.tmp").write_text("{")
    (store.results / ".half.json").write_text("{")
    assert read_records(store.folder) == before


def test_a_half_written_event_is_left_out(made: tuple[Plan, Store]) -> None:
    """The events of a killed run end with its last whole line."""
    plan, store = made
    failed = plan.keys[-2]
    (store.failures / f"{failed}.jsonl").write_bytes(b'{"event": "start"}\n{"event": "incu')
    record = read_records(store.folder)[-1]
    assert [event["event"] for event in record.events()] == ["start"]


def test_all_runs_in_the_folder(made: tuple[Plan, Store], write: Write) -> None:
    """`planned=False` gives runs of former plans, too; names come from the plan where there is one."""
    _, store = made
    text = write().read_text().replace("variants.plain", "variants.simple").replace("seeds = 2", "seeds = 1")
    store.save_plan(make_plan(read_campaign(write(text))))
    assert {record.variant for record in read_records(store.folder)} == {"simple", "again"}
    assert len(read_records(store.folder)) == 5
    assert len(read_records(store.folder, planned=False)) == 9
    assert {record.variant for record in read_records(store.folder, planned=False)} == {"plain", "again"}


def test_mistakes_are_said(made: tuple[Plan, Store], tmp_path: Path) -> None:
    """A folder without a campaign, and a file that is no result."""
    with pytest.raises(InputError, match="no campaign has been run here"):
        read_records(tmp_path / "nothing")
    with pytest.raises(InputError, match="no campaign has been run here"):
        read_records(tmp_path / "nothing", planned=False)
    path = read_records(made[1].folder)[0].result_path
    path.write_text("{}")
    with pytest.raises(InputError, match=r"not a result of a campaign .*"):
        read_records(made[1].folder)


def test_errors_of_a_run_are_kept(made: tuple[Plan, Store]) -> None:
    """A run that cannot be made is a failure with the message, not an exception."""
    plan, store = made
    order = plan.order(len(plan) - 1).to_dict()
    order["instance"] |= {"fingerprint": "other"}
    answer = make_run(str(store.folder), order)
    assert answer["outcome"] == "failed"
    assert "the content has changed" in answer["reason"]
    assert "Traceback" in store.failure(order["key"])["traceback"]
    assert make_run(str(store.folder), {**order, "code": "0"})["reason"].startswith("the code has changed")
    assert store.failure(order["key"])["attempts"] == 2


DAMAGE: dict[str, Any] = {
    "seconds": {"seconds": "x"},
    "score": {"score": "x"},
    "no score": {"score": None},
    "status": {"status": "done"},
    "status of a failure": {"status": ["failed"]},
    "bound": {"bound": [1]},
    "infinite": {"objective": float("inf")},
    "work": {"work": 1.5},
    "truth": {"seconds": True},
    "negative": {"seconds": -1},
    "operators": {"operators": {"a": {"calls": "x"}}},
    "versions": {"versions": 3},
    "problem": {"problem": 3},
    "reason": {"reason": [1]},
    "configuration": {"configuration": None},
    "campaign": {"campaign": "x"},
    "key": {"campaign": {"key": "other"}},
    "seed": {"campaign": {"seed": "x"}},
    "finished": {"campaign": {"finished": None}},
    "sense": {"campaign": {"score_sense": "up"}},
    "a list": [],
    "nothing": None,
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_result_is_listed(made: tuple[Plan, Store], case: str) -> None:
    """It is named with its file, and refuses neither status nor report of the other runs."""
    _, store = made
    record, *others = read_records(store.folder)
    values, damage = record.load(), DAMAGE[case]
    if isinstance(damage, dict):
        own = {**values["campaign"], **damage["campaign"]} if isinstance(damage.get("campaign"), dict) else None
        damage = {**values, **damage, **({} if own is None else {"campaign": own})}
    record.result_path.write_text(json.dumps(damage))
    with pytest.raises(InputError, match=rf"{record.key}\.json: not a result of a campaign"):
        read_records(store.folder)
    found: list[DamagedRun] = []
    assert read_records(store.folder, damaged=found) == others
    assert [(one.key, one.path) for one in found] == [(record.key, record.result_path)]
    status = read_status(store.folder)
    assert (status.done, status.failed, status.left, len(status.damaged)) == (len(others) - 1, 1, 1, 1)
    assert sum(one.left for one in status.variants) == 1
    page = write_report(store.folder, pictures=0).page.read_text()
    assert "Files that cannot be read" in page
    assert record.result_path.name in page
    record.result_path.unlink()
    assert read_status(store.folder).left == 2


def test_a_damaged_event_stream_is_listed(made: tuple[Plan, Store]) -> None:
    """The report goes without its run."""
    _, store = made
    record = read_records(store.folder)[0]
    assert record.events_path is not None
    for content in (b"{}\n", b"[1]\n", b'{"event": "incumbent", "seconds": "x"}\n', b"\xff\n", b"[" * 10_000 + b"\n"):
        record.events_path.write_bytes(content)
        page = write_report(store.folder, pictures=0).page.read_text()
        assert record.events_path.name in page
        assert "not an event stream" in page
    record.events_path.unlink()
    findings = read_findings(store.folder, store.folder)
    assert record.key not in {run.record.key for run in findings.runs}
    ((path, reason),) = [(one.path, one.reason) for one in findings.damaged]
    assert reason == f"the event stream {record.events_path.name} is missing"
    path.unlink()  # as the report advises
    assert record.key in {order.key for order in left_orders(made[0], store)}


def test_a_damaged_index_is_no_source(made: tuple[Plan, Store]) -> None:
    """What it says is looked at as what the files say, which are read again then."""
    _, store = made
    first, path = read_records(store.folder), store.folder / "index.json"
    index = json.loads(path.read_text())
    for column, value in (("seconds", "x"), ("key", 3), ("status", "done"), ("score", [])):
        rows = {key: list(row) for key, row in index["rows"].items()}
        for row in rows.values():
            row[2 + index["columns"].index(column)] = value
        path.write_text(json.dumps({**index, "rows": rows}))
        assert read_records(store.folder) == first


@pytest.mark.parametrize(
    "content", ["[]", '{"process": "x"}', '{"process": 1e400}', '{"process": 1, "jobs": "x"}', "{"]
)
def test_a_damaged_session_is_none(made: tuple[Plan, Store], content: str) -> None:
    """Nobody is at work by what cannot be read."""
    store = made[1]
    (store.folder / "session.json").write_text(content)
    assert read_status(store.folder).jobs == 1
