"""The commands `matheur verify`, `show` and `generate`."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.conftest import Command

from matheur.cli import files
from matheur.engine.registration import built_in
from matheur.errors import SolverError
from matheur.problems.party import PartyType
from matheur.running import loading


def test_a_valid_board_is_valid(matheur: Command, pieces: Path, perfect: Path) -> None:
    """A perfect board is valid, from a file or from standard input, with text or JSON output."""
    answer = matheur("verify", pieces, perfect)
    assert answer.code == 0
    assert "valid: score 24 of 24" in answer.out
    answer = matheur("verify", "edge-matching/4x4", perfect, "--json")
    assert answer.json["valid"]
    assert answer.json["violations"] == []
    assert (answer.json["score"], answer.json["objective"], answer.json["score_max"]) == (24, 0, 24)
    assert matheur("verify", "edge-matching/4x4", "-", stdin=perfect.read_bytes()).code == 0


def test_wrong_boards_are_not_valid(matheur: Command, perfect: Path) -> None:
    """Repeated pieces, a turned corner and wrong claims are listed as reasons; the exit code is 1."""
    content = json.loads(perfect.read_text())
    good = content["solution"]
    corner = [[good[0][0], (good[0][1] + 1) % 4], *good[1:]]
    for change, reason in (
        ({"solution": [good[1], *good[1:]]}, "used 2 times"),
        ({"solution": corner}, "edge of the board"),
        ({"score": 23}, "claims score 23, it is 24"),
        ({"objective": 1}, "claims objective 1, it is 0"),
    ):
        perfect.write_text(json.dumps({**content, **change}))
        answer = matheur("verify", "edge-matching/4x4", perfect)
        assert answer.code == 1
        assert answer.out.startswith("not valid")
        assert reason in answer.out
        answer = matheur("verify", "edge-matching/4x4", perfect, "--json")
        assert answer.code == 1
        assert not answer.json["valid"]
        assert any(reason in sentence for sentence in answer.json["violations"])


def test_partial_boards_are_valid(matheur: Command, perfect: Path) -> None:
    """An empty cell reduces the score but breaks no rule."""
    content = json.loads(perfect.read_text())
    perfect.write_text(json.dumps({**content, "solution": [None, *content["solution"][1:]]}))
    answer = matheur("verify", "edge-matching/4x4", perfect, "--json")
    assert answer.code == 0
    assert answer.json["score"] == 22


INSTANCE_OPTIONS = [
    ("101\n010\n110\n", ["instance.pattern=king"]),
    ("R U2 F2\n", ["instance.metric=half"]),
    ("1 4 2\n3 0 5\n6 7 8\n", ["instance.goal=blank-first"]),
    ("######\n#@$ .#\n######\n", ["instance.cost=pushes"]),
    ("######\n#@ $.#\n######\n\n######\n#@$ .#\n######\n", ["instance.level=2"]),
]


@pytest.mark.parametrize(("content", "settings"), INSTANCE_OPTIONS)
def test_what_solve_wrote_with_instance_options_is_valid(
    matheur: Command, tmp_path: Path, content: str, settings: list[str]
) -> None:
    """`verify` and `show` read the instance with the options in the result file."""
    path, out = tmp_path / "instance.txt", tmp_path / "result.json"
    path.write_text(content)
    chosen = [word for setting in settings for word in ("--set", setting)]
    construction = "push-astar" if settings == ["instance.cost=pushes"] else "bfs"
    way = ("--construction", construction, "--neighbourhoods", "none", "--out", out)
    assert matheur("solve", path, *chosen, *way).code == 0
    score = json.loads(out.read_text())["score"]
    assert score
    key, _, value = settings[0].removeprefix("instance.").partition("=")
    for arguments in ([path, out], [out], [path, out, *chosen]):
        answer = matheur("verify", *arguments, "--json")
        assert (answer.code, answer.json["score"], str(answer.json["options"][key])) == (0, score, value)
        assert f"read with {key} = " in matheur("verify", *arguments).out
    assert matheur("show", out, "--instance", path).code == 0
    assert matheur("show", path, *chosen).code == 0
    quoted = matheur("verify", path, out, "--set", f'"instance".{key}={value}', "--json")
    assert (quoted.code, quoted.json["score"]) == (0, score)
    assert "only options of the instance can be set here" in matheur("verify", path, out, "--set", "seed=1").error
    assert "'instance.cost' is not a setting" in matheur("verify", path, out, "--set", "instance.cost").error
    assert "'instance.' is not a dotted key" in matheur("verify", path, out, "--set", "instance.=1").error
    assert "'instance' must be a table" in matheur("verify", path, out, "--set", "instance=1").error


@pytest.mark.parametrize(
    ("suffix", "start"),
    [(".svg", b"<svg"), (".png", b"\x89PNG\r\n\x1a\n"), (".html", b"<!doctype html>"), (".txt", b"")],
)
def test_pictures(matheur: Command, tmp_path: Path, pieces: Path, perfect: Path, suffix: str, start: bytes) -> None:
    """Results, instances and solutions are drawn in each format."""
    out = tmp_path / f"picture{suffix}"
    for arguments in ((perfect,), (pieces,), ("edge-matching/4x4",), (perfect, "--instance", pieces)):
        answer = matheur("show", *arguments, "--out", out)
        assert answer.code == 0
        data = out.read_bytes()
        assert len(data) > 100
        assert start.lower() in data[:200].lower()
        out.unlink()


def test_all_problems_have_the_pictures_that_are_offered(matheur: Command, tmp_path: Path) -> None:
    """Each problem can draw a built-in instance in each format that `show --help` lists."""
    for name in built_in():
        instance = next(iter(loading.problem_type(name).builtins()))
        for suffix in (".svg", ".png", ".html", ".txt"):
            out = tmp_path / f"{name}{suffix}"
            assert matheur("show", f"{name}/{instance}", "--out", out).code == 0, (name, suffix)
            assert out.stat().st_size > 0


def test_pictures_in_the_terminal(matheur: Command, perfect: Path) -> None:
    """Without --out the picture is text; a result can be piped in."""
    answer = matheur("show", perfect)
    assert answer.code == 0
    assert "24 of 24" in answer.out
    assert matheur("show", "-", stdin=perfect.read_bytes()).out == answer.out
    assert matheur("show", "edge-matching/4x4").code == 0


def test_a_picture_of_a_solved_run(matheur: Command, tmp_path: Path) -> None:
    """The file of `solve --out` can be drawn without other options, even with hints."""
    out = tmp_path / "out.json"
    way = ("--construction", "random", "--neighbourhoods", "none", "--set", "instance.hints=0,0=1")
    matheur("solve", "edge-matching/4x4", *way, "--out", out)
    assert matheur("show", out, "--out", tmp_path / "a.svg").code == 0
    assert (tmp_path / "a.svg").stat().st_size > 1000


@pytest.mark.parametrize("size", ["5", "3x7"])
def test_generated_puzzles_can_be_solved(matheur: Command, tmp_path: Path, size: str) -> None:
    """A generated puzzle is solved and verified; each step reads the files of the one before."""
    path, out = tmp_path / "new.txt", tmp_path / "out.json"
    made = matheur("generate", "edge-matching", "--size", size, "--seed", 7, "--out", path, "--json").json
    hidden = Path(made["solution"])
    answer = matheur("verify", path, hidden, "--json")
    assert answer.code == 0
    assert answer.json["score"] == answer.json["score_max"] == made["score"]
    way = ("--construction", "random", "--neighbourhoods", "swap-rotate", "--work", 300)
    score = matheur("solve", path, *way, "--out", out, "--json").json["score"]
    assert matheur("verify", path, out, "--json").json["score"] == score
    assert matheur("show", hidden).code == 0


def test_generation_depends_on_seed_and_settings(matheur: Command, tmp_path: Path) -> None:
    """The same seed gives the same file; --set changes options of the generator."""
    files = []
    for number, arguments in enumerate((["--seed", 1], ["--seed", 1], ["--seed", 2], ["--set", "frame_colours=4"])):
        path = tmp_path / f"{number}.txt"
        assert matheur("generate", "edge-matching", "--size", 5, "--out", path, *arguments).code == 0
        files.append(path.read_text())
    assert files[0] == files[1]
    assert len(set(files)) == 3


def test_instances_of_several_files(matheur: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A generated party puzzle has a table of cards next to it, named after the puzzle."""
    party = PartyType()
    monkeypatch.setattr(loading, "problem_type", lambda _: party)
    path = tmp_path / "my puzzle.json"
    for arguments in (["--json"], []):
        answer = matheur("generate", "party", "--size", 120, "--set", "slots=6", "--out", path, *arguments)
        assert answer.code == 0
        assert {entry.name for entry in tmp_path.iterdir()} == {
            "my puzzle.json",
            "my_puzzle-cards.csv",
            "my puzzle.json.solution.json",
        }
        if arguments:
            assert answer.json["companions"] == [str(tmp_path / "my_puzzle-cards.csv")]
            hidden = json.loads(Path(answer.json["solution"]).read_text())
        else:
            assert "my puzzle.json and " in answer.out
    problem = party.read(loading.read_source(str(path)), {})
    evaluation = problem.evaluate(problem.decode(hidden["solution"]))
    assert evaluation.feasible
    assert evaluation.objective == hidden["score"]
    (tmp_path / "my_puzzle-cards.csv").unlink()
    (tmp_path / "my_puzzle-cards.csv").mkdir()
    assert "this is a folder" in matheur("generate", "party", "--size", 120, "--out", path).error


def test_an_interrupted_second_proof_has_an_answer(
    matheur: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C leaves what was checked before, as text or as one JSON object."""

    def proof(*_: object, interrupt: Callable[[], bool], **more: object) -> dict[str, object]:
        signal.raise_signal(signal.SIGINT)
        assert interrupt()
        raise SolverError("stopped")

    clique = tmp_path / "clique.json"
    matheur("clique", "max-clique/hamming6-4", "--method", "exact", "--out", clique)
    monkeypatch.setattr("matheur.running.certifying.second_proof", proof)
    answer = matheur("verify", "max-clique/hamming6-4", clique, "--certificate", "--json")
    assert answer.code == 130
    said = {name: answer.json[name] for name in ("valid", "violations", "certificate", "interrupted", "score")}
    assert said == {"valid": True, "violations": [], "certificate": None, "interrupted": True, "score": 4}
    text = matheur("verify", "max-clique/hamming6-4", clique, "--certificate")
    assert text.code == 130
    assert text.out.splitlines()[-1] == "interrupted before the second proof was finished"


def test_certificates_of_files_of_every_kind(matheur: Command, tmp_path: Path) -> None:
    """Certificates cover a clique, an infeasible puzzle and a plain solution, which claims no bound."""
    clique, nothing = tmp_path / "clique.json", tmp_path / "nothing.json"
    assert matheur("clique", "max-clique/hamming6-4", "--method", "exact", "--out", clique).code == 0
    proof = matheur("verify", "max-clique/hamming6-4", clique, "--certificate", "--json").json
    assert (proof["valid"], proof["certificate"]["backend"]) == (True, "highs")
    assert matheur("solve", "lights-out/odd-5x5", "--out", nothing, "--certify").code == 0
    answer = matheur("verify", "lights-out/odd-5x5", nothing, "--certificate")
    assert answer.code == 0
    assert answer.out.startswith("valid: the file says that there is no solution\nconfirmed: ")
    assert "holds no solution" in matheur("verify", "lights-out/odd-5x5", nothing).error
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps({"solution": json.loads(clique.read_text())["solution"]}))
    answer = matheur("verify", "max-clique/hamming6-4", plain, "--certificate")
    assert (answer.code, "no bound to be proved" in answer.out) == (0, True)


def test_an_instance_that_came_from_standard_input(
    matheur: Command, perfect: Path, pieces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may come from there a second time; at a terminal the command does not wait for it."""
    perfect.write_text(json.dumps({**json.loads(perfect.read_text()), "instance": "-"}))
    assert matheur("verify", perfect, stdin=pieces.read_bytes()).code == 0
    monkeypatch.setattr(files, "_at_terminal", lambda: True)
    for command in ("verify", "show"):
        assert "came from standard input. Maybe name the instance" in matheur(command, perfect).error


def test_a_result_names_its_instance(matheur: Command, tmp_path: Path, pieces: Path) -> None:
    """`verify` reads the instance named in a result file; a missing instance is an error with a suggestion."""
    out = tmp_path / "result.json"
    matheur("solve", "edge-matching/4x4", "--iterations", 1, "--out", out)
    answer = matheur("verify", out, "--json")
    assert (answer.code, answer.json["instance"], answer.json["valid"]) == (0, "edge-matching/4x4", True)
    assert answer.json["score"] == matheur("verify", "edge-matching/4x4", out, "--json").json["score"]
    assert "Maybe a solution is missing?" in matheur("verify", pieces).error
    assert "Maybe a solution is missing?" in matheur("verify", "edge-matching/4x4").error
    content = json.loads(out.read_text())
    out.write_text(json.dumps({**content, "instance": str(tmp_path / "gone.txt")}))
    assert "Maybe name the instance before it?" in matheur("verify", out).error
    out.write_text(json.dumps({**content, "objective": content["objective"] + 1}))
    assert matheur("verify", out).code == 1


def test_a_result_that_was_cut_is_no_json(matheur: Command, tmp_path: Path) -> None:
    """A truncated result is not JSON, with and without the name of the instance."""
    out = tmp_path / "result.json"
    matheur("solve", "edge-matching/4x4", "--iterations", 1, "--out", out)
    whole = out.read_text()
    for cut, wrong in (
        (whole[: whole.index('"edge-matching"') + 5], "not JSON: Unterminated string"),
        (whole[:-3], "not JSON"),
        ("{", "not JSON"),
    ):
        out.write_text(cut)
        for arguments in (("verify", out), ("verify", "edge-matching/4x4", out), ("show", out), ("solve", out)):
            answer = matheur(*arguments)
            assert (answer.code, wrong in answer.error) == (2, True), (arguments, answer.error)


def test_a_generated_instance_needs_a_file(matheur: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`generate` writes the solution next to the instance; `-` is not accepted as the name of a file."""
    monkeypatch.chdir(tmp_path)
    answer = matheur("generate", "quadratic-assignment", "--size", 5, "--out", "-")
    assert (answer.code, "its solution goes next to it (-)" in answer.error) == (2, True)
    answer = matheur("solve", "edge-matching/3x3", "--iterations", 1, "--out", "-")
    assert (answer.code, answer.error) == (2, "error: -: --out needs the name of a file. Maybe /dev/stdout?\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["solve", "verify", "show"])
def test_an_empty_name_is_shown(matheur: Command, command: str) -> None:
    """An empty name is printed as two quotes."""
    answer = matheur(command, "")
    assert (answer.code, answer.error) == (2, "error: '': cannot read (No such file or directory)\n")


def test_a_generated_level_keeps_its_cost(matheur: Command, tmp_path: Path) -> None:
    """The hidden solution names the cost with which its score was counted, since the level does not hold it."""
    level = tmp_path / "level.xsb"
    assert matheur("generate", "sokoban", "--set", "cost=pushes", "--out", level).code == 0
    hidden = Path(f"{level}.solution.json")
    for arguments in ((level, hidden), (hidden,)):
        found = matheur("verify", *arguments, "--json")
        assert found.code == 0
        assert found.json["score"] == json.loads(hidden.read_text())["score"]
