"""Instances by name: files, their parts, and built-in instances."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from matheur.errors import InputError
from matheur.running.loading import load_instance

LEVELS = "#####\n#@$.#\n#####\n\n######\n#@$ .#\n######\n"


def test_a_part_of_a_file_in_a_folder_named_as_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`sokoban/levels.xsb#2` is the second level of a file that exists, not a built-in instance."""
    monkeypatch.chdir(tmp_path)
    Path("sokoban").mkdir()
    Path("sokoban/levels.xsb").write_text(LEVELS)
    assert [load_instance(f"sokoban/levels.xsb{part}")[1].instance.columns for part in ("", "#1", "#2")] == [5, 5, 6]
    with pytest.raises(InputError, match="there is no level 3"):
        load_instance("sokoban/levels.xsb#3")
    with pytest.raises(InputError, match="no built-in instance 'sokoban/others#3'"):
        load_instance("sokoban/others#3")


def test_the_ending_of_a_file_counts_with_the_number_of_a_part(tmp_path: Path) -> None:
    """Endings that say how a file is read: graph6, and conflicts in place of edges."""
    (tmp_path / "two.g6").write_text("D?{\nDhc\n")
    (tmp_path / "two.g6.gz").write_bytes(gzip.compress(b"D?{\nDhc\n"))
    (tmp_path / "one.mis").write_text("p edge 4 1\ne 1 2\n")
    edges = {name: load_instance(f"{tmp_path / name}")[1].graph.edges for name in ("two.g6", "two.g6.gz", "one.mis")}
    assert edges == {"two.g6": 4, "two.g6.gz": 4, "one.mis": 5}
    parts = {"two.g6#2": 5, "two.g6.gz#2": 5, "one.mis#1": 5}
    assert {name: load_instance(f"{tmp_path / name}")[1].graph.edges for name in parts} == parts
