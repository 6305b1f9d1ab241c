"""Where machine code is kept, and whom it may belong to."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kernels.packages import START, Package

from matheur.kernels.folders import private_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders of POSIX systems")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of the system's temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def sealed(fresh: Callable[[], Package], tmp_path: Path) -> tuple[Package, dict[str, str]]:
    """The package and an environment in which neither its folder nor the home takes files, not even from root."""
    package = fresh()
    for path in (package.folder / "small" / "__pycache__", tmp_path / "home"):
        path.write_text("a file, where a folder is looked for")
    (tmp_path / "temporary").mkdir()
    home = str(tmp_path / "home")
    return package, {"HOME": home, "XDG_CACHE_HOME": home, "TMPDIR": str(tmp_path / "temporary")}


def own(temporary: Path) -> Path:
    """The private folder among the temporary files."""
    return temporary / f"matheur-kernels-{os.geteuid()}"


def test_the_private_folder_is_private(temporary: Path) -> None:
    """The folder is made once, for this user alone."""
    assert private_folder() == own(temporary) == private_folder()
    assert own(temporary).stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o707, 0o755])
def test_an_open_folder_is_not_trusted(temporary: Path, mode: int) -> None:
    """A folder that others may read or write is not used."""
    own(temporary).mkdir()
    own(temporary).chmod(mode)
    assert private_folder() is None


def test_a_link_is_not_trusted(temporary: Path, tmp_path: Path) -> None:
    """A link is not used, wherever it leads."""
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    own(temporary).symlink_to(tmp_path / "elsewhere")
    assert private_folder() is None


def test_a_file_is_no_folder(temporary: Path) -> None:
    """A file with the name of the folder is no error."""
    own(temporary).write_text("")
    assert private_folder() is None


def test_the_folder_of_another_user_is_not_trusted(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with our name that somebody else has made is not used."""
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    own(temporary).mkdir(mode=0o700)
    temporary.chmod(0o1777)
    assert private_folder() is None


@pytest.mark.parametrize(("mode", "trusted"), [(0o777, False), (0o1777, True), (0o775, False), (0o755, True)])
def test_a_folder_that_others_may_replace_is_not_trusted(temporary: Path, mode: int, trusted: bool) -> None:
    """Where others may rename our folder, what lies in it can be theirs."""
    temporary.chmod(mode)
    assert (private_folder() is not None) == trusted


def test_a_sealed_installation_uses_the_private_folder(
    sealed: tuple[Package, dict[str, str]], before: dict[str, Any]
) -> None:
    """Without a writable installation and home, machine code is kept among the temporary files, silently."""
    package, environment = sealed
    first, second = package.run(**environment), package.run(**environment)
    assert first["answer"] == second["answer"] == before["answer"]
    assert (first["hits"], second["hits"], second["errors"]) == (0, 1, "")
    assert Path(second["folder"]).parent == own(Path(environment["TMPDIR"]).resolve())
    package.change("deepest", "+ 10  # deep", "+ 11  # deep")
    assert package.run(**environment)["answer"] == before["answer"] + 1


def test_nowhere_to_keep_machine_code(sealed: tuple[Package, dict[str, str]], before: dict[str, Any]) -> None:
    """Without any trusted place kernels are compiled all the same, and one line says that they are not kept."""
    package, environment = sealed
    own(Path(environment["TMPDIR"])).symlink_to(package.folder)
    files = set(package.folder.rglob("*"))
    for _ in range(2):
        shown = package.run(**environment)
        assert (shown["answer"], shown["hits"], shown["folder"]) == (before["answer"], 0, None)
        assert shown["errors"].count("\n") == 1
        assert "NUMBA_CACHE_DIR" in shown["errors"]
    assert set(package.folder.rglob("*")) == files


def test_the_folder_that_the_user_names_is_used(fresh: Callable[[], Package], tmp_path: Path) -> None:
    """`NUMBA_CACHE_DIR` comes first, and nothing is written elsewhere."""
    package = fresh()
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "named")}
    assert [package.run(**environment)["hits"] for _ in range(2)] == [0, 1]
    assert list((tmp_path / "named").rglob("*.nbc"))
    assert not package.cached


def test_machine_code_of_a_read_only_installation_is_found(package: Package, tmp_path: Path) -> None:
    """What was compiled before the modules became read-only is loaded; what is compiled later lies elsewhere."""
    # Root may write everywhere, so that numba has to be told otherwise.
    seal = """
import tempfile
from pathlib import Path
usual = tempfile.TemporaryFile
def sealed(*arguments, dir=None, **options):
    if dir is not None and Path(dir).name == "__pycache__":
        raise PermissionError(dir)
    return usual(*arguments, dir=dir, **options)
tempfile.TemporaryFile = sealed
"""
    files = package.cached
    environment = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home" / "cache")}
    assert package.run(seal + START, **environment)["hits"] == 1
    package.change("deepest", "+ 10  # deep", "+ 11  # deep")
    assert [package.run(seal + START, **environment)["hits"] for _ in range(2)] == [0, 1]
    assert package.cached == files
    (tmp_path / "nowhere").write_text("")
    nowhere = dict.fromkeys(["HOME", "XDG_CACHE_HOME", "TMPDIR"], str(tmp_path / "nowhere"))
    package.change("deepest", "+ 11  # deep", "+ 10  # deep")
    assert package.run(seal + "tempfile.tempdir = 'nowhere'\n" + START, **nowhere)["hits"] == 1
