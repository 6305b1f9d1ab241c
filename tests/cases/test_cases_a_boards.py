"""Files of quadratic assignment and edge matching that users found in public sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from matheur import solve
from matheur.cli.app import app
from matheur.running.loading import load_instance, load_solution

DATA = Path(__file__).parent / "data" / "a"

BEHIND = "after the size is a known value, not part of the matrices"


@pytest.mark.parametrize(
    ("file", "optimum", "assumed"),
    [
        ("qap_value_on_first_line.dat", 452, (f"452 {BEHIND}",)),
        (
            "qap_two_values_on_first_line.qap",
            452,
            ("452, 452 after the size are known values, not part of the matrices",),
        ),
        ("qap_value_at_the_end.dat", 452, ("452 at the end is a known value, not part of the matrices",)),
        ("qap_plain.dat", 452, ()),
        ("qap_five.dat", 206, ()),
        ("qap_commas.dat", 408, ()),
        (
            "qap_real_numbers.dat",
            26.125,
            ("decimals are scaled: the objective counts in 1/10000, the score in units of the file",),
        ),
    ],
)
def test_files_of_quadratic_assignment(file: str, optimum: float, assumed: tuple[str, ...]) -> None:
    """Files are recognised without --problem, the optimum is right, and the result lists the assumptions."""
    result = solve(str(DATA / file), construction="branch-and-bound", neighbourhoods=[], schedule="descent")
    assert result.problem.name == "quadratic-assignment"
    assert (result.status, result.score) == ("optimal", optimum)
    assert tuple(result.to_dict().get("assumptions", ())) == assumed


def test_a_solution_with_its_value_alone_in_front() -> None:
    """A file of Drezner has the objective in the first line, then a permutation counted from 0."""
    kind, problem = load_instance(str(DATA / "qap_plain.dat"))
    places = load_solution(kind, problem, str(DATA / "qap_value_without_size.sln"))
    assert problem.evaluate(places).objective == 452


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("url_zeros_for_empty.url", "valid: score 13 of 24, objective 11 (incomplete, 10 of 16 cells filled)"),
        ("url_in_json.json", "valid: score 24 of 24, objective 0"),
    ],
)
def test_boards_in_links(file: str, said: str) -> None:
    """`verify` finds the link in JSON, and reads 0000 as an empty cell."""
    answer = CliRunner().invoke(app, ["verify", str(DATA / "board4.txt"), str(DATA / file)])
    assert (answer.exit_code, answer.output.strip()) == (0, said)


def test_a_link_in_json_is_an_instance_too() -> None:
    """A link in JSON can be read as an instance: its pieces are those of the board, which is perfect."""
    found = json.loads((DATA / "url_in_json.json").read_text())
    kind, problem = load_instance(str(DATA / "url_in_json.json"))
    assert (kind.name, problem.score_max) == ("edge-matching", found["matched"])
    board = load_solution(kind, problem, str(DATA / "url_in_json.json"))
    assert problem.evaluate(board).objective == 0
