"""Files of generalised assignment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import matheur
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source, open_source
from matheur.errors import ConfigurationError, InputError
from matheur.linear.model import LinearModel
from matheur.models.generalised_assignment import GeneralisedAssignment, build
from matheur.problems.milp import TYPE
from matheur.problems.milp.assignment_files import read_assignment
from matheur.running.loading import recognise
from matheur.solvers.pyomo_arrays import arrays_of

FIRST = "2 3\n 4 7 5\n 6 3 8\n 2 0 3\n 1 2 2\n 3 4\n"
SECOND = "1 2 9 8 1 1 5"


def source(text: str, part: int | None = None) -> Source:
    return Source("it.txt", text.encode(), part)


def declared(text: str, maximise: bool = False) -> LinearModel:
    """The declarative model of the numbers, with the names of the files."""
    m, n, *numbers = map(int, text.split())
    tables = np.array(numbers[: 2 * m * n], dtype=np.int64).reshape(2, m, n)
    one = GeneralisedAssignment(tables[0], tables[1], np.array(numbers[2 * m * n :], dtype=np.int64), maximise)
    model = arrays_of(build(one)).model
    return replace(
        model,
        column_names=tuple(name.replace("[", "_").replace(",", "_").rstrip("]") for name in model.column_names),
        row_names=tuple(name.replace("[", "").rstrip("]") for name in model.row_names),
    )


def test_it_is_the_model_of_the_models() -> None:
    """Also where a job needs nothing, and for profits."""
    assert recognise(source(FIRST)).name == "milp"
    for text in (FIRST, SECOND):
        assert TYPE.read(source(text)).fingerprint == declared(text).fingerprint
        assert TYPE.read(source(text), {"sense": "max"}).fingerprint == declared(text, maximise=True).fingerprint


def test_public_instances_are_those_of_the_mps_files(data: Path) -> None:
    """Row by row, by name; and nothing else claims such a file."""
    for name in ("d10400", "e20400"):
        text = open_source(data / "mip" / "gap" / f"{name}.txt.gz")
        assert recognise(text).name == "milp"
        other = TYPE.read(open_source(data / "mip" / "gap" / f"gap-{name}.mps.gz"))
        assert TYPE.read(text).fingerprint == other.fingerprint


def test_costs_are_assumed(tmp_path: Path) -> None:
    """The result says so; the option sets it, and there is no other one."""
    path = tmp_path / "gap.txt"
    path.write_text(FIRST, encoding="utf-8")
    result = matheur.solve(path, seconds=30)
    assert (result.objective, result.status) == (14, "optimal")
    assert TYPE.read(open_source(path)).assumptions == ("sense min: the first numbers are costs (max: profits)",)
    assert matheur.solve(TYPE.read(open_source(path), {"sense": "max"}), seconds=30).objective == 21
    with pytest.raises(ConfigurationError, match="Maybe 'max'"):
        TYPE.read(source(FIRST), {"sense": "maxi"})
    with pytest.raises(ConfigurationError, match="sense"):
        TYPE.read(Source("it.lp", b"min\n o: x\nst\n r: x >= 1\nend\n"), {"sense": "max"})


def test_files_with_several_instances() -> None:
    """The first is read unless `FILE#2` says which."""
    text = f"2\n{FIRST}{SECOND}\n"
    assert recognise(source(text)).name == "milp"
    first = TYPE.read(source(text), {"sense": "min"})
    assert first.fingerprint == declared(FIRST).fingerprint
    assert first.assumptions == ("instance #1 of 2",)
    assert TYPE.read(source(text, 2)).fingerprint == declared(SECOND).fingerprint
    with pytest.raises(InputError, match="no number 3"):
        TYPE.read(source(text, 3))


def test_boards_and_edges_stay_what_they_are() -> None:
    """Even where they have as many numbers as an assignment."""
    for text, name in (
        ("1 3 2\n4 5 6\n7 8 0\n", "sliding-tile"),
        ("2 3 1 4\n5 6 7 8\n9 10 11 12\n13 14 15 0\n", "sliding-tile"),
        ("2 1\n3 4\n5 6\n7 0\n", "sliding-tile"),
        ("1 1 0 0 1\n", "lights-out"),
    ):
        assert read_assignment(source(text)).width > 0
        assert recognise(source(text)).name == name
    in_a_line = source(" ".join(FIRST.split()))
    assert recognise(in_a_line).name == "milp"
    assert TYPE.recognises(in_a_line) is Recognition.FITS


def test_what_is_no_assignment() -> None:
    """Is not recognised, and an error says what is wrong where."""
    wrong = {
        FIRST + "7": "2 agents and 3 jobs has 16 numbers.*17",
        FIRST[:-3]: "16 numbers.*15",
        "0 3 1 1": "begins with its numbers of agents",
        FIRST.replace("4 7 5", "4 7 5" + "0" * 20): "line 2.*digits",
        "2 99999999 1 2": "400,000,000",
    }
    for text, message in wrong.items():
        one = source(text)
        assert TYPE.recognises(one) is Recognition.NO, text
        with pytest.raises(InputError, match=message.split(".*")[-1]) as caught:
            TYPE.read(one)
        assert message.split(".*")[0].removeprefix("line ") in str(caught.value)
    for text in (FIRST.replace("7", "7.5"), FIRST.replace("7", "-7"), "x 3 4", ""):
        assert TYPE.recognises(source(text)) is Recognition.NO
        with pytest.raises(InputError, match="neither"):
            TYPE.read(source(text))
