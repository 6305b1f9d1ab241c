"""The package can be run as a program."""

import json
import subprocess
import sys

import matheur


def test_module() -> None:
    """`python -m matheur` runs the command line."""
    answer = subprocess.run([sys.executable, "-m", "matheur", "--version"], capture_output=True, text=True, check=True)
    assert matheur.__version__ in answer.stdout


def test_a_command_loads_no_other() -> None:
    """`solve`, the most frequent command, does not import the modules of other commands."""
    code = (
        "import json, sys; from matheur.cli import run; assert run(['solve', 'milp/demo']) == 0;"
        "print(json.dumps([name for name in sys.modules if name.startswith(('matheur.cli.', 'matheur.campaign'))]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "matheur.cli.solve" in loaded
    assert not {"matheur.campaign", "matheur.cli.clique", "matheur.cli.exporting", "matheur.cli.training"} & loaded
