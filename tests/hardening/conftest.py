"""The faults of `benchmarks/faults.py`, of which these tests try a few."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_PLACE = Path(__file__).resolve().parents[2] / "benchmarks" / "fault_injection"


def _load() -> None:
    """Make the package known without the folder around it, whose scripts have names that tests use, too."""
    spec = spec_from_file_location("fault_injection", _PLACE / "__init__.py", submodule_search_locations=[str(_PLACE)])
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["fault_injection"] = module
    spec.loader.exec_module(module)


if "fault_injection" not in sys.modules:
    _load()
