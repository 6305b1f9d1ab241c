"""Placeholder for the models, which in a clone are in `models/` at the top level, where readers look for them.

An installation has that folder in place of this one, see `setup.py`.
"""

from pathlib import Path

from matheur.pyomo_start import start_pyomo

__all__: list[str] = []

__path__ = [str(Path(__file__).resolve().parents[2] / "models")]
start_pyomo()
