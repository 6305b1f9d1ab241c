"""The notebooks run from their first cell to their last."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest
from docs.pages import ROOT, quick

FOLDER = ROOT / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_EXECUTE = """
import sys
from nbclient.cli import main
sys.argv = ["jupyter-execute", "--timeout=240", sys.argv[1]]
raise SystemExit(main())
"""


@pytest.mark.slow
@pytest.mark.skipif(not (find_spec("nbclient") and find_spec("ipykernel")), reason="the extra 'docs' is not installed")
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook: Path, tmp_path: Path) -> None:
    """A kernel executes every cell with short limits, solvers in processes of their own included, and none fails."""
    book = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            most = 0.2 if notebook.stem == "campaign" else 2.0  # of each of its 18 runs
            cell["source"] = [quick(line, most) for line in cell["source"]]
    copy = tmp_path / notebook.name
    copy.write_text(json.dumps(book), encoding="utf-8")
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])  # as in an activated environment
    done = subprocess.run(
        [sys.executable, "-c", _EXECUTE, str(copy)],
        cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_notebooks_are_listed_and_hold_their_outputs() -> None:
    """The README of the folder links each; each shows what it printed, and nothing of the machine it ran on."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 3
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        assert f"({path.name})" in page
        assert any(cell["outputs"] for cell in cells), path.name
        assert all(output["output_type"] != "error" for cell in cells for output in cell["outputs"]), path.name
        assert "/home/" not in text
        assert "/tmp/" not in text
