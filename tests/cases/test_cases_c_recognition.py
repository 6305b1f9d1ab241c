"""Files of matrices and pieces that were recognised wrongly, and boards on which two commands disagreed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from matheur import solve
from matheur.cli.app import app
from matheur.errors import InputError
from matheur.running.loading import load_instance

DATA = Path(__file__).parent / "data" / "c"


@pytest.mark.parametrize(("file", "optimum"), [("nug5_like.dat", 50), ("qap_4_rows.dat", 205)])
def test_small_matrices_are_no_pieces(file: str, optimum: int) -> None:
    """Rows of four or five numbers after a size are matrices, not pieces."""
    result = solve(str(DATA / file), construction="branch-and-bound", neighbourhoods=[], schedule="descent")
    assert (result.problem.name, result.status, result.score) == ("quadratic-assignment", "optimal", optimum)


def test_a_best_known_value_on_the_first_line() -> None:
    """The value is noted as an assumption; nothing else changes."""
    kind, problem = load_instance(str(DATA / "qap_bks.dat"))
    assert (kind.name, problem.instance.n) == ("quadratic-assignment", 12)
    assert problem.assumptions == ("224416 after the size is a known value, not part of the matrices",)


@pytest.mark.parametrize("file", ["em_3x4.txt", "nug5_like.dat"])
def test_a_second_instance_that_a_file_does_not_hold_is_refused(file: str) -> None:
    """`FILE#1` is the only instance of the file; `FILE#2` is refused."""
    assert load_instance(f"{DATA / file}#1")[1].fingerprint == load_instance(str(DATA / file))[1].fingerprint
    with pytest.raises(InputError, match=r"a file holds one \w+, there is no number 2"):
        load_instance(f"{DATA / file}#2")


@pytest.mark.parametrize("file", ["em_frame.txt", "em_3x4.txt"])
def test_piece_lists_are_recognised(file: str) -> None:
    """Piece lists are recognised by the size in their first line."""
    assert load_instance(str(DATA / file))[0].name == "edge-matching"


def test_infeasible_and_valid_do_not_contradict_each_other() -> None:
    """`solve` reports that no complete board exists; `verify` calls a valid partial board incomplete."""
    result = solve(str(DATA / "em_frame.txt"))
    assert result.status == "infeasible"
    assert result.reason == "no complete board: the frame of a 2 x 2 board needs 4 corners (there are 3)"
    files = [str(DATA / "em_frame.txt"), str(DATA / "em_empty_board.json")]
    answer = CliRunner().invoke(app, ["verify", *files])
    said = "valid: score 0 of 4, objective 4 (incomplete, 0 of 4 cells filled)"
    assert (answer.exit_code, answer.output.strip()) == (0, said)
    facts = json.loads(CliRunner().invoke(app, ["verify", *files, "--json"]).output)
    assert (facts["valid"], facts["remark"]) == (True, "incomplete, 0 of 4 cells filled")
