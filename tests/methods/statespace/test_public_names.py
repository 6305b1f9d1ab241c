"""What `matheur.methods.statespace` offers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from matheur.methods import statespace


def test_every_public_name_is_there() -> None:
    """Each name of `__all__` can be imported, and unknown ones are an error."""
    assert sorted(statespace.__all__) == dir(statespace)
    assert all(getattr(statespace, name) is not None for name in statespace.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        statespace.nonsense  # noqa: B018


def test_importing_the_package_loads_no_search() -> None:
    """Nothing is compiled or loaded before it is asked for."""
    code = "import sys, matheur.methods.statespace; print('numba' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
