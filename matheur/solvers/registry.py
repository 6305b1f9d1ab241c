"""Backends by name: built-in ones, any solver that Pyomo supports, and backends of other packages."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from typing import cast

from matheur.entry_points import entry_points
from matheur.errors import ConfigurationError, MatheurError, SolverError, nearest
from matheur.pyomo_start import start_pyomo
from matheur.pyomo_turn import in_turn, pyomo_turn
from matheur.solvers.checked import CheckedBackend
from matheur.solvers.port import Backend, Capabilities

__all__ = ["GROUP", "BackendInfo", "backends", "check_backend", "get_backend", "known_names"]

GROUP = "matheur.solvers"  # entry points: name = "module:factory", a callable that returns a Backend
PYOMO = "pyomo:"
_BUILT_IN = {
    "highs": ("matheur.solvers.highs", "HighsBackend", "pip install highspy pyomo"),
    "scip": ("matheur.solvers.scip", "ScipBackend", "pip install pyscipopt pyomo"),
    "cp-sat": ("matheur.solvers.cp_sat", "CpSatBackend", "pip install 'matheur[cp]'"),
}
_WITHOUT_PYOMO = ("highs", "scip")  # their modules load Pyomo only for a Pyomo model
_PACKAGES = {"highs": ("highspy", "pyomo"), "scip": ("pyscipopt", "pyomo"), "cp-sat": ("ortools", "pyomo")}
_WELL_KNOWN = ("pyomo:cbc", "pyomo:glpk", "pyomo:appsi_highs")


@dataclass(frozen=True, slots=True)
class BackendInfo:
    """Facts about a backend, known without a solve.

    Attributes
    ----------
    name
        Name for `get_backend`.
    available
        Whether the backend can be used here.
    version
        Version, or None.
    capabilities
        Declared capabilities, or None if the backend could not be loaded.
    reason
        Reason why the backend is unavailable; empty if it is available.
    """

    name: str
    available: bool
    version: str | None = None
    capabilities: Capabilities | None = None
    reason: str = ""


def get_backend(name: str) -> Backend:
    """The backend of that name, in a wrapper that checks its answers (`matheur.solvers.checked`).

    Parameters
    ----------
    name
        `highs`, `scip`, `cp-sat`, `pyomo:NAME` for a solver of Pyomo's own factory (`pyomo:cbc`, `pyomo:glpk`, ...),
        or the name of an entry point in the group `matheur.solvers`.

    Raises
    ------
    ConfigurationError
        If there is no backend with this name.
    SolverError
        If the solver is not installed; the message names what to install.

    Examples
    --------
    >>> get_backend("highs").name
    'highs'
    """
    with nullcontext() if name in _WITHOUT_PYOMO else pyomo_turn():
        backend = _load(name)
        if not backend.available():
            raise SolverError(_why_not(backend, name))
        return CheckedBackend(backend)


def check_backend(name: str) -> None:
    """Raise the error that `get_backend` would raise, without loading built-in backends, which takes a CPU second."""
    if name not in _PACKAGES or not all(find_spec(package) for package in _PACKAGES[name]):
        get_backend(name)


def backends() -> list[BackendInfo]:
    """All known backends, built-in ones first. Never raises: backends that cannot be loaded have a `reason`."""
    return [_probe(name) for name in known_names()]


def known_names() -> list[str]:
    """Names for `get_backend`, installed or not: built-in ones, well-known ones of Pyomo, those of other packages."""
    return [*_BUILT_IN, *_WELL_KNOWN, *(name for name in sorted(_third_party()) if name not in _BUILT_IN)]


@in_turn
def _probe(name: str) -> BackendInfo:
    try:
        backend = _load(name)
        capabilities = backend.capabilities
        if not backend.available():
            reason = _why_not(backend, name).removeprefix(f"the solver {name!r} is ").replace(" here", "", 1)
            return BackendInfo(name, False, capabilities=capabilities, reason=reason)
        return BackendInfo(name, True, backend.version(), capabilities)
    except Exception as error:  # a broken third-party package must not hide the others
        return BackendInfo(name, False, reason=str(error) or type(error).__name__)


def _load(name: str) -> Backend:
    if name not in _WITHOUT_PYOMO:
        start_pyomo()
    if name in _BUILT_IN:
        module, factory, _ = _BUILT_IN[name]
        try:
            return cast(Backend, getattr(import_module(module), factory)())
        except ImportError as error:
            raise SolverError(f"the solver {name!r} cannot be loaded ({error}){_remedy(name)}") from error
    if name.startswith(PYOMO):
        from matheur.solvers.pyomo_solver import PyomoBackend

        return PyomoBackend(name.removeprefix(PYOMO))
    others = _third_party()
    if name not in others:
        meant = f"Maybe '{PYOMO}{name}'?" if _of_pyomo(name) else nearest(name, known_names())
        raise ConfigurationError(f"unknown solver {name!r}. {meant}")
    try:
        make = cast(Callable[[], Backend], others[name].load())
        return make()
    except MatheurError:
        raise
    except Exception as error:
        raise SolverError(f"the solver {name!r} of {others[name].value} cannot be loaded: {error}") from error


def _of_pyomo(name: str) -> bool:
    """Whether Pyomo's own factory has a solver of that name."""
    from matheur.solvers.pyomo_solver import PyomoBackend

    try:
        PyomoBackend(name)
    except ConfigurationError:
        return False
    return True


def _third_party() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _why_not(backend: Backend, name: str) -> str:
    """Reason why a backend is unavailable, from the backend itself if possible."""
    missing = f"the solver {name!r} is not installed here"
    try:
        backend.version()
    except SolverError as error:
        if not str(error).startswith(missing):
            return str(error)
    except Exception:  # of another package
        return f"{missing}{_remedy(name)}"
    return f"{missing}{_remedy(name)}"


def _remedy(name: str) -> str:
    if name in _BUILT_IN:
        return f". Maybe: {_BUILT_IN[name][2]}"
    return f". Maybe the program {name.removeprefix(PYOMO)!r} is not on PATH" if name.startswith(PYOMO) else ""
