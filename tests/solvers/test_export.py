"""Models as files."""

from __future__ import annotations

import logging
from pathlib import Path

import highspy
import pyomo.environ as pyo
import pytest

from matheur.errors import ConfigurationError
from matheur.solvers.export import write_model
from matheur.testing import models as small


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
def test_file_is_complete_and_readable(tmp_path: Path, suffix: str) -> None:
    """Another program reads the same model, with names that people read; no draft stays behind."""
    path = tmp_path / f"model{suffix}"
    write_model(small.odd_cycle_cover(), path)
    assert "x(1)" in path.read_text()
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    engine.readModel(str(path))
    engine.run()
    assert engine.getObjectiveValue() == pytest.approx(14)


def test_unknown_format_is_refused(tmp_path: Path) -> None:
    """Only LP and MPS are written."""
    with pytest.raises(ConfigurationError, match="lp"):
        write_model(small.knapsack(), tmp_path / "model.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
def test_a_model_without_costs_is_written_without_a_warning(
    tmp_path: Path, suffix: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Where any solution will do, there is nothing that the user should do about it."""
    model = small.odd_cycle_cover()
    objective = next(model.component_data_objects(pyo.Objective, active=True))
    objective.set_value(7)
    with caplog.at_level(logging.INFO, logger="pyomo"):
        write_model(model, tmp_path / f"model{suffix}")
    assert not caplog.records
