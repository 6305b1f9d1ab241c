"""Rules about the source that a reader relies on."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import matheur
from matheur.engine.inputs import parse_toml

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted([*(ROOT / "matheur").rglob("*.py"), *(ROOT / "models").rglob("*.py")])
NAMES = [str(path.relative_to(ROOT)) for path in SOURCES]
HEAVY = (
    "pyomo",
    "numba",
    "matplotlib",
    "jax",
    "highspy",
    "pyscipopt",
    "dask",
    "distributed",
    "optuna",
    "rich",
    "scipy",
    "typer",
    "networkx",
)
LINES_MAX = 520
THREADS = {
    "matheur.alarm",  # asks whether it is in the main thread, keeps the limit of others, and starts none
    "matheur.campaign.process_pool",  # tends processes, so that their limits hold whatever the caller does
    "matheur.campaign.supervision",  # a process's watch over its parent
    "matheur.engine.interrupt",  # asks whether it is in the main thread, and starts none
    "matheur.engine.processes",  # a worker's watch over its parent
    "matheur.methods.statespace.crew",  # kernels that release the lock
    "matheur.pyomo_turn",  # a lock: one thread at a time uses Pyomo
    "matheur.solvers.cp_sat_worker",  # a lock: CP-SAT calls back from threads of its own
    "matheur.solvers.local_mip",  # the search, in a process of its own, which is watched from its main thread
    "matheur.solvers.isolated",  # asks whether it is in the main thread, and starts none
    "matheur.solvers.highs",  # the only thread that solves, in a process of its own
}


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a source file."""
    return ast.parse(path.read_text())


def broken(rule: Callable[[Path], object], paths: list[Path] = SOURCES) -> list[str]:
    """What a rule finds in source files, with their names."""
    return [f"{path.relative_to(ROOT)}: {found}" for path in paths if (found := rule(path))]


def module_name(path: Path) -> str:
    """The name under which a source file is imported; `models/` is `matheur.models`."""
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts if parts[0] == "matheur" else ["matheur", *parts])


def jitted(tree: ast.Module) -> set[str]:
    """Names of the functions that numba compiles."""
    compiles = re.compile(r"jit|kernel|callback|domain_function|heuristic_function")
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any(compiles.search(ast.unparse(one)) for one in node.decorator_list)
    }


def calls(tree: ast.AST) -> Iterator[str]:
    """The dotted names of everything that is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def test_there_is_something_to_check() -> None:
    """The rules run over both trees."""
    assert len(SOURCES) > 50
    assert any(name.startswith("models/") for name in NAMES)


def test_importing_the_package_is_light() -> None:
    """`import matheur` loads nothing heavy, and neither does the command before it knows what to do."""
    code = f"import sys, matheur, matheur.cli; print([name for name in {HEAVY!r} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/")
    assert shown.stdout.strip() == "[]"


def test_models_are_only_found_inside_the_package() -> None:
    """The folder `models/` is importable as `matheur.models` and under no other name."""
    code = "from importlib.util import find_spec; print(find_spec('models'), find_spec('matheur.models') is not None)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/")
    assert shown.stdout.strip() == "None True"
    code = "import models"
    refused = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "matheur.models" in refused.stderr


def test_models_are_there_in_a_clone(tmp_path: Path) -> None:
    """Without an installation, with the tree on the path, `matheur.models` is the folder `models/`."""
    code = "import matheur.models.party as one; print(one.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
    )
    assert Path(shown.stdout.strip()) == ROOT / "models" / "party.py"


def compilers(tree: ast.Module) -> set[str]:
    """The decorators of numba that a module uses by itself."""
    found = {
        one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "numba"
        for one in node.names
    }
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    found |= {node.attr for node in attributes if ast.unparse(node.value) in {"numba", "nb"}}
    return found & {"cfunc", "guvectorize", "jit", "jit_module", "jitclass", "njit", "stencil", "vectorize"}


def test_kernels_are_made_by_one_decorator() -> None:
    """numba's own disk cache does not see a change of what a kernel uses of other modules; that of `kernel` does."""

    def rule(path: Path) -> set[str]:
        return compilers(parsed(path)) ^ ({"cfunc", "njit"} if module_name(path) == "matheur.kernels" else set())

    assert not broken(rule)


def test_library_code_keeps_the_rules() -> None:
    """No printing, no pickles, no global random state, no code from text, no threads but those of `THREADS`."""
    allowed = {"np.random.default_rng", "np.random.SeedSequence", "np.random.Generator", "np.random.PCG64"}

    def rule(path: Path) -> set[str]:
        tree = parsed(path)
        called = set(calls(tree))
        imported = {one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names}
        imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        found = called & {"print", "eval", "exec", "breakpoint", "input"}
        found |= imported & {"pickle", "dill", "cloudpickle", "shelve", "marshal", "random"}
        if not jitted(tree):
            random = {name.partition("(")[0] for name in called if name.startswith(("np.random.", "numpy.random."))}
            found |= random - allowed
        found |= {name for name in called if name.endswith("ThreadPoolExecutor")}
        return found | ({"threading"} & imported if module_name(path) not in THREADS else set())

    assert not broken(rule)


def test_modules_are_short() -> None:
    """A module of more than some 500 lines is two modules."""
    assert not broken(lambda path: max(0, path.read_text().count("\n") - LINES_MAX))


def test_sources_speak_of_the_project_alone() -> None:
    """No path of somebody's machine, and no reminder without a reason."""
    foreign = re.compile(r"/(?:home|root|tmp)/|\bTODO\b|\bFIXME\b|\bXXX\b")
    assert not broken(lambda path: foreign.search(path.read_text()))


def test_no_module_imports_from_the_package_root() -> None:
    """The root gathers the public names of all packages: an import of it would be an arrow that runs back up."""

    def rule(path: Path) -> set[str]:
        found: set[str] = set()
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Import):
                found |= {"matheur"} & {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module == "matheur":
                found |= {one.name for one in node.names} & set(matheur.__all__)
        return found

    assert not broken(rule)


def words_of(path: Path) -> Iterator[tuple[int, str]]:
    """Names, imports and strings of a module, without docstrings, where examples may name a built-in instance."""
    tree = ast.parse(path.read_text())  # is changed here
    for node in ast.walk(tree):
        for inner in getattr(node, "body", []) if isinstance(getattr(node, "body", None), list) else []:
            if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
                inner.value.value = None
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                yield node.lineno, text
            case ast.Name(id=text) | ast.Attribute(attr=text) | ast.arg(arg=text):
                yield node.lineno, text
            case ast.FunctionDef(name=text) | ast.ClassDef(name=text):
                yield node.lineno, text
            case ast.ImportFrom(module=str(text)):
                yield node.lineno, text


OUTSIDE = [
    path
    for path in SOURCES
    if path.relative_to(ROOT).parts[0] != "models" and path.relative_to(ROOT).parts[1] not in ("models", "problems")
]


WORDS_OF_THE_FIELD = ("milp",)
"""Names of problems that are also what a method is called."""


def test_no_problem_is_named_outside_its_folder() -> None:
    """What knows all problems finds them by their registration; models belong to problems."""
    folders = parse_toml((ROOT / "matheur" / "problems" / "built_in.toml").read_text())["problems"]
    plain = [folder for folder in folders if folder not in WORDS_OF_THE_FIELD]
    named = re.compile("|".join(rf"\b{folder.replace('_', '[-_ ]?')}\b" for folder in plain), re.IGNORECASE)

    def rule(path: Path) -> list[tuple[int, str]]:
        return [
            (line, text)
            for line, text in words_of(path)
            if named.search(text) or any(text == word or f"problems.{word}" in text for word in WORDS_OF_THE_FIELD)
        ]

    assert not broken(rule, OUTSIDE)


def installed_as_a_copy() -> bool:
    """Whether matheur is installed as a wheel, not in place: only then tools see `matheur.models`."""
    return not Path(matheur.__file__).is_relative_to(ROOT / "matheur")


@pytest.mark.slow
def test_imports_point_one_way(tmp_path: Path) -> None:
    """The arrows between the packages are those of `[tool.importlinter]` in pyproject.toml."""
    if not installed_as_a_copy():
        pytest.skip("matheur is installed in place: import-linter sees matheur.models only in an installed wheel")
    lint = shutil.which("lint-imports", path=str(Path(sys.executable).parent)) or shutil.which("lint-imports")
    if lint is None:
        pytest.skip("import-linter is not installed")
    done = subprocess.run(
        [lint, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout
