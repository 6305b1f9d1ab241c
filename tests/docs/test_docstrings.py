"""Examples in docstrings work."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import matheur

_PROMPT = "\n    >>> "


def _modules() -> list[str]:
    """Return the modules of the installed package with examples, found in the sources because imports are slow."""
    names = []
    for module in pkgutil.walk_packages(matheur.__path__, "matheur."):
        found = importlib.util.find_spec(module.name)
        if found is not None and found.origin is not None and _PROMPT in Path(found.origin).read_text():
            names.append(module.name)
    return names


@pytest.mark.parametrize("name", _modules())
def test_examples_hold(name: str) -> None:
    """Each example gives the output that its docstring shows."""
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted > 0
    assert done.failed == 0
