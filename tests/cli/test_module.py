"""The package as a program."""

import subprocess
import sys

import matheur


def test_module() -> None:
    """`python -m matheur` is the command line."""
    answer = subprocess.run([sys.executable, "-m", "matheur", "--version"], capture_output=True, text=True, check=True)
    assert matheur.__version__ in answer.stdout
