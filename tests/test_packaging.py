"""What is installed is whole, and light to import."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module, metadata
from importlib.resources import files
from pathlib import Path
from pkgutil import walk_packages

import matheur

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("highspy", "jax", "matplotlib", "networkx", "numba", "numpy", "pyomo", "pyscipopt", "scipy", "typer")


def elsewhere(code: str, folder: Path) -> str:
    """Output of a Python program that runs outside the tree."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


def modules_of(folder: Path, package: str) -> set[str]:
    """Names of the modules in a folder of the tree."""
    found = set()
    for path in folder.rglob("*.py"):
        parts = (package, *path.relative_to(folder).with_suffix("").parts)
        found.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return found


def test_every_module_is_installed() -> None:
    """The modules of the installed package are those of the tree, models included, and all can be imported."""
    installed = {"matheur", *(module.name for module in walk_packages(matheur.__path__, "matheur."))}
    models = import_module("matheur.models")
    installed |= {"matheur.models", *(module.name for module in walk_packages(models.__path__, "matheur.models."))}
    assert installed == modules_of(ROOT / "matheur", "matheur") | modules_of(ROOT / "models", "matheur.models")
    for name in installed:
        import_module(name)


def test_data_files_are_installed() -> None:
    """Presets, trained files and the marker of type hints come with the package."""
    package = files("matheur")
    assert package.joinpath("py.typed").is_file()
    for path in [*(ROOT / "matheur").rglob("*.toml"), *(ROOT / "matheur").rglob("*.npz")]:
        assert package.joinpath(path.relative_to(ROOT / "matheur").as_posix()).is_file()


def test_models_are_no_package_of_their_own(tmp_path: Path) -> None:
    """Outside the tree nothing is called `models`, and `matheur.models` is there."""
    code = (
        "import importlib.util as u\n"
        "print(u.find_spec('models') is None, u.find_spec('matheur.models.edge_matching.full') is not None)"
    )
    assert elsewhere(code, tmp_path) == "True True"


def test_import_loads_nothing_heavy(tmp_path: Path) -> None:
    """`import matheur` and the start of the command load no solver, no numba, no plotting."""
    code = f"import matheur, matheur.cli, sys\nprint([name for name in {HEAVY} if name in sys.modules])"
    assert elsewhere(code, tmp_path) == "[]"


def test_extras_stay_extra() -> None:
    """A plain installation asks for no plotting, cluster or neural library."""
    plain = [item for item in metadata.requires("matheur") or () if "extra ==" not in item]
    names = {re.split(r"[^\w-]", item)[0].lower() for item in plain}
    assert {"highspy", "numba", "pyomo"} <= names
    assert not names & {"dask", "distributed", "equinox", "jax", "matplotlib", "optax", "pytest"}


def test_the_version_is_that_of_the_project_file(tmp_path: Path) -> None:
    """Metadata, package and command say the version that pyproject.toml defines."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert metadata.version("matheur") == wanted == matheur.__version__
    code = "from matheur.cli import main; main(['--version'])"
    assert elsewhere(code, tmp_path) == f"matheur {wanted}"
