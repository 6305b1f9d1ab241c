"""The command `matheur solve`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Command

from matheur.engine import acceptance_criteria, schedules
from matheur.errors import SolverError
from matheur.problems.milp.operators.certifier import SecondSolver

WALK = (
    "--construction", "random", "--neighbourhoods", "swap-rotate,assignment",
    "--set", "neighbourhood.assignment.iterations=1000", "--set", "neighbourhood.assignment.temperature=0",
)  # fmt: skip
QUICK = (*WALK, "--work", "3000")
KEYS = {
    "problem", "instance", "objective", "score", "score_max", "bound", "status", "feasible", "seconds", "work", "seed",
    "solver", "versions", "operators", "solution",
}  # fmt: skip


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without its times."""
    operators = {
        name: {key: value for key, value in one.items() if "second" not in key}
        for name, one in result["operators"].items()
    }
    clock = dict.fromkeys(("seconds", "compile_seconds", "first_seconds", "trace"))
    return {**result, **clock, "operators": operators}


def test_json_is_one_object_with_everything(matheur: Command) -> None:
    """The object has all documented keys, with consistent values."""
    answer = matheur("solve", "edge-matching/5x5", *QUICK, "--seed", 3, "--json")
    assert answer.code == 0
    assert answer.err == ""
    result = answer.json
    assert result.keys() >= KEYS
    assert (result["problem"], result["instance"]) == ("edge-matching", "edge-matching/5x5")
    assert (result["seed"], result["solver"], result["feasible"]) == (3, "highs", True)
    assert result["status"] in ("feasible", "optimal")
    assert result["score"] == result["score_max"] - result["objective"] == 40 - result["objective"]
    assert len(result["solution"]) == 25
    assert result["work"] >= 3000
    assert result["versions"].keys() >= {"matheur", "python", "pyomo", "highspy", "numpy"}
    figures = result["operators"]["swap-rotate"]
    assert figures.keys() >= {"calls", "seconds", "successes", "gain"}
    assert figures["calls"] > 0
    assert result["configuration"]["neighbourhoods"] == ["swap-rotate", "assignment"]


def test_same_seed_and_work_give_the_same_object(matheur: Command) -> None:
    """Everything except times is reproducible and depends on the seed."""
    first, second, other = (
        timeless(matheur("solve", "edge-matching/5x5", *QUICK, "--seed", seed, "--json").json) for seed in (4, 4, 5)
    )
    assert first == second
    assert first["solution"] != other["solution"]


def test_people_see_improvements_and_a_summary(matheur: Command) -> None:
    """Without --json, the output has improvements, a table of operators and the score."""
    answer = matheur("solve", "edge-matching/4x4", *QUICK)
    assert answer.code == 0
    assert "random" in answer.out
    assert "calls" in answer.out
    assert "of 24" in answer.out


def test_the_default_solves_small_puzzles(matheur: Command) -> None:
    """The default preset finds the optimum with its certificate."""
    result = matheur("solve", "edge-matching/4x4", "--seconds", 60, "--json").json
    assert (result["status"], result["score"], result["bound"]) == ("optimal", 24, 0)
    assert result["certificate"]["bound"] == result["certificate"]["objective"] == 0


def test_target_ends_the_run(matheur: Command) -> None:
    """A run stops when it reaches the target score."""
    result = matheur("solve", "edge-matching/8x8", *WALK, "--target", 70, "--json").json
    assert result["stopped"] == "target"
    assert 70 <= result["score"] < 112


def test_limits_end_the_run(matheur: Command) -> None:
    """Iterations, work and seconds each end a run; even a limit of 0 gives an answer."""
    assert matheur("solve", "edge-matching/5x5", *WALK, "--iterations", 3, "--json").json["iterations"] == 3
    assert matheur("solve", "edge-matching/5x5", *WALK, "--seconds", 0.2, "--json").json["stopped"] == "budget"
    result = matheur("solve", "edge-matching/5x5", "--seconds", 0, "--json").json
    assert result["status"] in ("unknown", "feasible")
    assert result["feasible"] == (result["solution"] is not None)


def test_construction_only(matheur: Command) -> None:
    """With `--neighbourhoods none`, only the construction runs."""
    result = matheur(
        "solve", "edge-matching/5x5", "--construction", "random", "--neighbourhoods", "none", "--json"
    ).json
    assert list(result["operators"]) == ["random"]


@pytest.mark.parametrize("schedule", schedules.names())
def test_every_schedule_can_be_named(matheur: Command, schedule: str) -> None:
    """`--schedule` accepts each registered name."""
    result = matheur("solve", "edge-matching/4x4", *QUICK, "--schedule", schedule, "--json").json
    assert result["configuration"]["schedule"]["name"] == schedule
    assert result["feasible"]


@pytest.mark.parametrize("accept", acceptance_criteria.names())
def test_every_acceptance_criterion_can_be_named(matheur: Command, accept: str) -> None:
    """`--acceptance` accepts each registered name."""
    result = matheur("solve", "edge-matching/4x4", *QUICK, "--acceptance", accept, "--json").json
    assert result["configuration"]["acceptance"]["name"] == accept
    assert result["feasible"]


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_the_solver_is_a_matter_of_configuration(matheur: Command, solver: str) -> None:
    """`--solver` changes the backend of MILP operators."""
    arguments = ("--construction", "milp-full", "--neighbourhoods", "none", "--solver", solver)
    result = matheur("solve", "edge-matching/3x3", *arguments, "--json").json
    assert (result["solver"], result["status"], result["objective"]) == (solver, "optimal", 0)


def test_certify_confirms_an_optimum_above_the_trivial_bound(matheur: Command, tmp_path: Path) -> None:
    """Another backend confirms an optimum that the colours alone do not prove."""
    path = tmp_path / "twisted.txt"
    path.write_text("2 2\n0 1 2 0\n0 1 2 0\n0 3 4 0\n0 4 3 0\n")
    arguments = ("--construction", "milp-full", "--neighbourhoods", "none", "--certify", "--json")
    result = matheur("solve", path, *arguments).json
    assert result["status"] == "optimal"
    assert result["objective"] == result["bound"] > 0
    certificate = result["certificate"]
    assert certificate["second"]["backend"] != certificate.get("backend")


def test_a_second_proof_that_fails_leaves_the_answer(
    matheur: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The solution is printed and written with its first proof before the error is reported."""

    def fails(*_: Any, **__: Any) -> None:
        raise SolverError("'scip' could not confirm it")

    monkeypatch.setattr(SecondSolver, "certify", fails)
    file = tmp_path / "out.json"
    answer = matheur("solve", "milp/demo", "--certify", "--out", file)
    assert answer.code == 2
    assert "optimal" in answer.out
    assert "seconds " in answer.out.partition("certificate: ")[2]
    assert answer.err.strip().endswith("error: 'scip' could not confirm it")
    written = json.loads(file.read_text())
    assert (written["status"], written["certificate"]["second_failed"]) == ("optimal", "'scip' could not confirm it")


def test_presets_and_files_and_settings(matheur: Command, tmp_path: Path) -> None:
    """A TOML file overrides its preset, and --set overrides both."""
    config = tmp_path / "run.toml"
    config.write_text(
        'preset = "paper"\nwork = 500\nseed = 9\n[schedule]\nname = "cycle"\nrepetitions = [2]\n'
        "[construction]\nheight = 2\n[neighbourhood.assignment]\nk = 9\niterations = 50\n"
    )
    answer = matheur(
        "solve", "edge-matching/4x4", "--config", config, "--set", "neighbourhood.assignment.k=5", "--seed", 8, "--json"
    )
    used = answer.json["configuration"]
    assert used["neighbourhood"]["assignment"] == {"k": 5, "iterations": 50}
    assert used["construction"] == {"name": "milp-greedy", "shape": "rows", "height": 2}
    assert used["neighbourhood"]["region"]["method"] == "clique"
    assert (used["work"], used["seed"]) == (500, 8)
    assert used["schedule"] == {"name": "cycle", "repetitions": [2]}


def test_the_same_operator_twice_under_two_names(matheur: Command) -> None:
    """`NAME:LABEL` is a second instance of an operator with its own options."""
    result = matheur(
        "solve", "edge-matching/4x4", "--construction", "random", "--neighbourhoods", "assignment,assignment:small",
        "--set", "neighbourhood.assignment:small.k=3", "--set", "neighbourhood.assignment.call_work=10", "--work", 2500,
        "--set", "neighbourhood.assignment.temperature=0", "--set", "construction.call_seconds=5", "--json",
    ).json  # fmt: skip
    assert set(result["operators"]) == {"random", "assignment", "assignment:small"}
    assert result["operators"]["assignment"]["work"] < result["operators"]["assignment:small"]["work"]


def test_start_takes_over_a_solution(matheur: Command, perfect: Path) -> None:
    """A run that starts from a perfect board ends at once."""
    result = matheur("solve", "edge-matching/4x4", "--start", perfect, "--json").json
    assert (result["status"], result["found_by"], result["iterations"]) == ("optimal", "start", 0)


def test_hints_are_obeyed_and_kept_in_the_result(matheur: Command, tmp_path: Path, perfect: Path) -> None:
    """A hint fixes a piece and its rotation, in the result and in its verification."""
    solution = json.loads(perfect.read_text())["solution"]
    hints = [f"{cell // 4},{cell % 4}={solution[cell][0]}/{solution[cell][1]}" for cell in (5, 15)]
    out = tmp_path / "out.json"
    arguments = ("edge-matching/4x4", "--set", f"instance.hints={hints[0]} {hints[1]}")
    result = matheur("solve", *arguments, *QUICK, "--out", out, "--json").json
    assert [result["solution"][cell] for cell in (5, 15)] == [solution[cell] for cell in (5, 15)]
    assert matheur("verify", *arguments[:1], out, *arguments[1:]).code == 0
    other = next(index for index in range(1, 17) if solution[5][0] != index and solution[6][0] == index)
    assert matheur("verify", "edge-matching/4x4", out, "--set", f"instance.hints=1,1={other}").code == 1


def test_the_instance_may_come_from_anywhere(matheur: Command, pieces: Path) -> None:
    """A file, standard input and --problem give the same run as the built-in instance."""
    named = matheur("solve", "edge-matching/4x4", *QUICK, "--json").json["solution"]
    assert matheur("solve", pieces, *QUICK, "--json").json["solution"] == named
    assert matheur("solve", pieces, "--problem", "edge-matching", *QUICK, "--json").json["solution"] == named
    assert matheur("solve", "-", *QUICK, "--json", stdin=pieces.read_bytes()).json["solution"] == named


def test_sides_are_read_as_declared(matheur: Command, pieces: Path, tmp_path: Path) -> None:
    """With `instance.sides`, a file may list the sides in another order."""
    head, *rows = pieces.read_text().splitlines()
    turned = tmp_path / "turned.txt"
    turned.write_text("\n".join([head, *(" ".join(row.split()[i] for i in (2, 3, 0, 1)) for row in rows)]) + "\n")
    solution = matheur("solve", pieces, *QUICK, "--json").json["solution"]
    assert matheur("solve", turned, "--set", "instance.sides=dlur", *QUICK, "--json").json["solution"] == solution


def test_file_names_may_begin_with_a_hyphen(matheur: Command, pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `--`, every word is a name."""
    monkeypatch.chdir(pieces.parent)
    pieces.rename("-x")
    assert matheur("solve", *QUICK, "--json", "--", "-x").json["instance"] == "-x"


def test_out_and_trace_are_complete(matheur: Command, tmp_path: Path) -> None:
    """The file of --out has the same object; the trace has one line per event."""
    out, trace = tmp_path / "out.json", tmp_path / "trace.jsonl"
    answer = matheur("solve", "edge-matching/5x5", *QUICK, "--out", out, "--trace", trace, "--json")
    assert json.loads(out.read_text()) == answer.json
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    assert [events[0]["event"], events[-1]["event"]] == ["start", "end"]
    assert all({"event", "seconds", "work"} <= event.keys() for event in events)
    incumbents = [event for event in events if event["event"] == "incumbent"]
    assert incumbents[-1]["score"] == answer.json["score"]
    assert matheur("verify", "edge-matching/5x5", out).code == 0


def test_a_refused_configuration_leaves_results_alone(matheur: Command, tmp_path: Path) -> None:
    """A typing error does not destroy the result of an earlier run."""
    out, trace = tmp_path / "out.json", tmp_path / "trace.jsonl"
    matheur("solve", "edge-matching/4x4", *QUICK, "--out", out, "--trace", trace)
    before, events = out.read_bytes(), trace.read_bytes()
    for wrong in (
        ("--acceptance", "no"),
        ("--neighbourhoods", "no"),
        ("--resume",),
        ("--set", "neighbourhood.region.x=1"),
    ):
        assert matheur("solve", "edge-matching/4x4", "--out", out, "--trace", trace, *wrong).error
    assert (out.read_bytes(), trace.read_bytes()) == (before, events)


def test_checkpoint_and_resume(matheur: Command, tmp_path: Path) -> None:
    """A run of 5 calls that is resumed up to 12 calls equals a run of 12; the seed stays the same."""
    way = ("edge-matching/6x6", *WALK, "--json")
    whole = matheur("solve", *way, "--iterations", 12, "--seed", 6).json
    stored = ("--checkpoint", tmp_path / "state", "--trace", tmp_path / "trace.jsonl")
    matheur("solve", *way, *stored, "--iterations", 5, "--seed", 6)
    resumed = matheur("solve", *way, *stored, "--iterations", 12, "--resume").json
    for key in ("solution", "objective", "work", "iterations", "seed", "found_by"):
        assert resumed[key] == whole[key]
    assert timeless(resumed)["operators"] == timeless(whole)["operators"]
    events = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text().splitlines()]
    assert [event["event"] for event in events].count("start") == 2
    assert [event["iteration"] for event in events if event["event"] == "operator"][1:] == list(range(12))


def test_a_run_without_resume_keeps_the_earlier_state(
    matheur: Command, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The state of an earlier run gets another name, which is said; renamed back, it is continued."""
    state = tmp_path / "state"
    way = ("edge-matching/5x5", *QUICK, "--json", "--checkpoint", state)
    assert matheur("solve", *way, "--seed", 3).code == 0
    before = (state / "checkpoint.json").read_bytes()
    wrong = matheur("solve", *way, "--neighbourhoods", "no-such-one")
    assert "no-such-one" in wrong.error
    other = matheur("solve", *way, "--resume", "--construction", "milp-full").error
    assert "belongs to another run (with other operators or options, or another number of jobs)" in other
    assert sorted(path.name for path in state.iterdir()) == [".lock", "checkpoint.json"]
    assert not caplog.text
    assert matheur("solve", *way, "--seed", 4).json["seed"] == 4
    assert "the state of an earlier run is now checkpoint-1.json" in caplog.text
    assert "--resume" in caplog.text
    assert (state / "checkpoint-1.json").read_bytes() == before
    (state / "checkpoint-1.json").replace(state / "checkpoint.json")
    assert matheur("solve", *way, "--resume").json["seed"] == 3


def test_a_resume_that_has_nothing_to_do_keeps_the_result(matheur: Command, tmp_path: Path) -> None:
    """A run resumed without any remaining budget has the result of the first run."""
    out, way = tmp_path / "out.json", ("edge-matching/5x5", *QUICK, "--json", "--checkpoint", tmp_path / "state")
    first = matheur("solve", *way, "--out", out).json
    again = matheur("solve", *way, "--out", out, "--resume").json
    assert again["solution"] == json.loads(out.read_text())["solution"] == first["solution"]


def test_infeasible_instances_are_answers(matheur: Command, tmp_path: Path, pieces: Path) -> None:
    """An infeasible puzzle is answered with status, reason and exit code 0."""
    result = matheur("solve", "edge-matching/4x4", "--set", "instance.hints=1,1=1", "--json").json
    assert (result["status"], result["feasible"], result["solution"]) == ("infeasible", False, None)
    assert "hint" in result["reason"]
    assert result["certificate"] is not None
    path = tmp_path / "corners.txt"
    path.write_text(pieces.read_text().replace("0 ", "1 ", 1))
    for jobs in ("1", "2"):
        answer = matheur("solve", path, "--jobs", jobs, "--out", tmp_path / "out.json", "--json")
        assert answer.code == 0
        assert answer.json["status"] == "infeasible"
        assert "corners" in answer.json["reason"]
    assert "infeasible" in matheur("solve", path).out


def test_large_seeds_are_seeds(matheur: Command) -> None:
    """Every digit of a seed beyond 64 bits matters."""
    solutions = [
        matheur(
            "solve",
            "edge-matching/5x5",
            "--construction",
            "random",
            "--neighbourhoods",
            "none",
            "--seed",
            seed,
            "--json",
        ).json
        for seed in (2**63 + 1, 2**200, 2**200 + 1)
    ]
    assert [one["seed"] for one in solutions] == [2**63 + 1, 2**200, 2**200 + 1]
    assert len({json.dumps(one["solution"]) for one in solutions}) == 3


@pytest.mark.slow
@pytest.mark.parametrize("limit", [("--work", "6000"), ("--iterations", "6")])
def test_jobs_are_reproducible_without_a_clock(matheur: Command, limit: tuple[str, str]) -> None:
    """Two processes that share their elite give the same result twice, for each deterministic limit."""
    way = ("edge-matching/6x6", *WALK, *limit, "--jobs", 2, "--seed", 2, "--json")
    rounds = ("--set", "portfolio.round_work=2000", "--set", "portfolio.round_iterations=2")
    first, second = (matheur("solve", *way, *rounds).json for _ in range(2))
    assert timeless(first) == timeless(second)
    assert first["operators"]["random"]["calls"] == 2


@pytest.mark.slow
def test_jobs_resume(matheur: Command, tmp_path: Path) -> None:
    """Two processes continue from their checkpoint, and their result is not worse than before."""
    way = ("edge-matching/6x6", *WALK, "--jobs", 2, "--checkpoint", tmp_path / "state", "--json")
    rounds = ("--set", "portfolio.share=independent", "--set", "portfolio.round_iterations=2")
    first = matheur("solve", *way, *rounds, "--iterations", 3, "--seed", 5).json
    again = matheur("solve", *way, *rounds, "--iterations", 6, "--resume").json
    assert again["seed"] == 5
    assert again["objective"] <= first["objective"]
    assert again["iterations"] == 12
    assert "another run" in matheur("solve", *way, "--jobs", 3, "--resume").error


def test_names_are_printed_as_they_are(matheur: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets in names are not mark-up, and a word between colons is not an emoji."""
    monkeypatch.chdir(tmp_path)
    assert "written to :cat:[b].json" in matheur("solve", "milp/demo", "--out", ":cat:[b].json").out
