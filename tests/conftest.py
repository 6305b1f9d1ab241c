"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from browser import Browser, find_chromium
from hypothesis import HealthCheck, settings

# How long an example takes says something of the machine and of compilation: nothing that a test is about.
settings.register_profile(
    "matheur", parent=settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("matheur")


# Tests press Ctrl-C, which a shell lets the programs in its background ignore.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Else each of hundreds of commands, and each test process, compiles all modules that it loads.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

gc.set_threshold(100_000, 20, 50)  # as in the command line: else a third of the time of collection goes there


def pytest_collection_finish() -> None:
    """Tests and modules stay to the end: the garbage collector is not to look through all of them again and again."""
    gc.freeze()


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the public data sets (`MATHEUR_DATA`, else `../shared/data` beside the checkout)."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("MATHEUR_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"the public data sets are not here ({folder}); set MATHEUR_DATA to their folder")
    return folder


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Tables that tests build go to a temporary folder, also those of the commands that they start.

    Test processes that run side by side share it, so that each table is built once. What JAX compiles in those commands
    is kept there, too.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MATHEUR_CACHE", str(folder / "tables"))
        patch.setenv("JAX_COMPILATION_CACHE_DIR", str(folder / "jax"))
        patch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
        patch.setenv("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
        yield folder / "tables"


@pytest.fixture(scope="session")
def jax_cache(own_cache: Path) -> Iterator[None]:
    """What JAX compiles is kept for the next test."""
    if find_spec("jax") is None:
        yield
        return
    import jax

    wanted = {
        "jax_compilation_cache_dir": str(own_cache.parent / "jax"),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    former = {name: getattr(jax.config, name) for name in wanted}
    for name, value in wanted.items():
        jax.config.update(name, value)
    yield
    for name, value in former.items():
        jax.config.update(name, value)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium."""
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    with Browser(program, tmp_path_factory.mktemp("profile")) as found:
        yield found
