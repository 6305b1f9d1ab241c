"""What a result says about the program that made it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import matheur
from matheur.errors import SolverError, UnwrittenError
from matheur.running import result


def test_a_notebook_shows_how_a_run_ended_and_a_picture() -> None:
    """`picture` draws what `matheur show` does; a problem without a picture has its facts alone."""
    found = matheur.solve("sliding-tile/3x3", construction="astar", seconds=5)
    assert found.picture().startswith(b"<svg")
    assert found.picture("text").decode()
    shown = found._repr_html_()
    assert "sliding-tile: optimal" in shown
    assert "data:image/svg+xml;base64," in shown
    with pytest.raises(matheur.ConfigurationError, match="picture"):
        found.picture("bmp")


def test_the_checkout_holds_the_package() -> None:
    """The commit is looked for in the folder above the package, wherever the module lies in it."""
    assert (result._CHECKOUT / "matheur" / "__init__.py").is_file()


@pytest.mark.parametrize("packed", [False, True])
def test_the_commit_of_a_checkout_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    """From a reference in a file of its own, or in the file of all; without a checkout there is none."""
    monkeypatch.setattr(result, "_CHECKOUT", tmp_path)
    assert result._git_commit() is None
    git = tmp_path / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    if packed:
        (git / "packed-refs").write_text("# pack-refs with: peeled\nabc123 refs/heads/main\n")
    else:
        (git / "refs" / "heads" / "main").write_text("abc123\n")
    assert result._git_commit() == "abc123"


def test_the_error_with_which_a_command_ends() -> None:
    """Missing output counts first, then a second proof that was not finished; a checkpoint does not count."""
    found = matheur.solve("edge-matching/3x3", construction="random", neighbourhoods=[], iterations=1)
    assert found.fault is None
    assert replace(found, unwritten={"checkpoint": "no room"}).fault is None
    open_proof = replace(found, certificate={"second_failed": "no time"})
    assert (type(open_proof.fault), str(open_proof.fault)) == (SolverError, "no time")
    both = replace(open_proof, unwritten={"checkpoint": "a", "trace": "b"})
    assert (type(both.fault), str(both.fault)) == (UnwrittenError, "b")
