"""Published boards: every score recounted, every format and colour order there and back."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from matheur.engine.source import Source
from matheur.problems.edge_matching import (
    EMPTY,
    MOTIFS_ORDERS,
    EdgeMatching,
    load,
    read_board,
    read_hints,
    read_instance,
    write_brendan,
    write_bucas,
    write_placement,
)


@pytest.fixture(scope="module")
def folder(data: Path) -> Path:
    return data / "edge_matching"


@pytest.fixture(scope="module")
def eternity(folder: Path) -> EdgeMatching:
    return load(folder / "eternity2/e2_pieces.txt")


@pytest.fixture(scope="module")
def hints(folder: Path) -> tuple:
    return read_hints(Source("hints", (folder / "eternity2/e2_hints.txt").read_bytes()))


@pytest.fixture(scope="module")
def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "boards/index.tsv").open() as file:
        listed = list(csv.DictReader(file, delimiter="\t"))
    assert len(listed) == 67
    return listed


def source_of(folder: Path, name: str) -> Source:
    return Source(name, (folder / name).read_bytes())


def test_scores_are_as_published(folder: Path, eternity: EdgeMatching, rows: list) -> None:
    """Each board is feasible, holds as many pieces as listed and scores what its name says."""
    for row in rows:
        board = read_board(eternity.instance, source_of(folder, row["file"]))
        evaluation = eternity.evaluate(board)
        assert evaluation.feasible, row
        assert eternity.score(evaluation.objective) == int(row["score"]), row
        assert (board != EMPTY).sum() == int(row["placed"]), row


def test_hints_are_respected_as_listed(folder: Path, eternity: EdgeMatching, rows: list, hints: tuple) -> None:
    """With the five hints, a board violates exactly those that the list says it does not respect."""
    hinted = EdgeMatching(load(folder / "eternity2/e2_pieces.txt", hints=hints).instance)
    assert len(hinted.instance.hints) == 5
    assert hinted.infeasible_reason() is None
    for row in rows:
        board = read_board(eternity.instance, source_of(folder, row["file"]))
        assert 5 - len(hinted.evaluate(board).violations) == int(row["hints_respected"]), row


def test_the_urls_show_the_same_boards(folder: Path, eternity: EdgeMatching, rows: list) -> None:
    """A URL without piece numbers gives the board of the text file of the same name."""
    urls = (folder / "boards/bucas_urls.txt").read_text().split()
    assert len(urls) == len(rows)
    by_name = {url.partition("puzzle=")[2].partition("&")[0]: url for url in urls}
    for row in rows:
        board = read_board(eternity.instance, source_of(folder, row["file"]))
        from_url = read_board(eternity.instance, Source("<url>", by_name[row["name"]].encode()))
        assert np.array_equal(board, from_url), row


def test_round_trips_through_every_format(folder: Path, eternity: EdgeMatching, rows: list) -> None:
    """Text, JSON, Brendan's format and URLs in every colour order, with and without piece numbers, keep a board."""
    instance = eternity.instance
    for row in rows:
        board = read_board(instance, source_of(folder, row["file"]))
        texts = [write_placement(instance, board), json.dumps(eternity.encode(board))]
        texts += [json.dumps({"solution": eternity.encode(board)}), json.dumps({"board": board.tolist()})]
        texts += [write_bucas(instance, board, motifs_order=order) for order in MOTIFS_ORDERS]
        texts += [write_bucas(instance, board, motifs_order=order, piece_numbers=False) for order in MOTIFS_ORDERS]
        if (board != EMPTY).all():
            texts.append(write_brendan(instance, board))
        for text in texts:
            assert np.array_equal(read_board(instance, Source("again", text.encode())), board), (row, text[:80])


def test_a_complete_url_is_an_instance(folder: Path, eternity: EdgeMatching, rows: list) -> None:
    """Read as an instance, a numbered URL gives the same pieces, up to rotation, under the same numbers."""
    board = read_board(eternity.instance, source_of(folder, rows[0]["file"]))
    for order in MOTIFS_ORDERS:
        url = write_bucas(eternity.instance, board, motifs_order=order)
        again = read_instance(Source("<url>", url.encode()))
        assert again.name == "e2_pieces"
        assert np.array_equal(again.pieces[board // 4], eternity.instance.sides[board])
        assert EdgeMatching(again).evaluate(4 * (board // 4)).objective == 10


@pytest.mark.parametrize(
    ("board", "pieces", "score"),
    [
        ("meta_10x10_174", "brendan_set2_meta2010/pieces_10x10", 174),
        ("meta_12x12_253", "brendan_set2_meta2010/pieces_12x12", 253),
        ("meta_14x14_348", "brendan_set2_meta2010/pieces_14x14", 348),
        ("meta_16x16_460", "brendan_set2_meta2010/pieces_16x16", 460),
        ("eternity2_nohint_459", "eternity2/e2_pieces", 459),
    ],
)
def test_measured_boards(folder: Path, board: str, pieces: str, score: int) -> None:
    """Boards of the contest instances score what their names say."""
    problem = load(folder / f"{pieces}.txt")
    evaluation = problem.evaluate(read_board(problem.instance, source_of(folder, f"measured/{board}.txt")))
    assert evaluation.feasible
    assert problem.score(evaluation.objective) == score


@pytest.mark.parametrize("size", range(3, 21))
def test_brendans_solutions_are_perfect(folder: Path, size: int) -> None:
    """Set 1 comes with perfect solutions, which survive Brendan's own format."""
    name = f"{size:02}x{size:02}.txt"
    problem = load(folder / f"brendan_set1/pieces_{name}")
    board = read_board(problem.instance, source_of(folder, f"brendan_set1/solution_{name}"))
    evaluation = problem.evaluate(board)
    assert (evaluation.objective, evaluation.feasible) == (0, True)
    again = read_board(problem.instance, Source("again", write_brendan(problem.instance, board).encode()))
    assert np.array_equal(board, again)


def test_every_piece_list_is_recognised_and_fillable(folder: Path) -> None:
    """All published piece lists have the right number of corner, border and inner pieces."""
    files = [
        *folder.glob("brendan_set*/pieces_*.txt"),
        *folder.glob("clue_puzzles/*.txt"),
        *folder.glob("heule_em/*.txt"),
        *folder.glob("inf6102/*.txt"),
    ]
    assert len(files) > 40
    for file in files:
        problem = load(file)
        assert problem.infeasible_reason() is None, file
        assert problem.trivial_bound == 0, file


def test_clue_puzzle_2_has_six_rows(folder: Path) -> None:
    """The first line of a piece list is rows and columns, unless width and height are asked for."""
    file = folder / "clue_puzzles/clue2.txt"
    assert (load(file).instance.rows, load(file).instance.columns) == (6, 12)
    turned = load(file, size_order="wh").instance
    assert (turned.rows, turned.columns) == (12, 6)


def test_colour_orders_are_the_viewers(folder: Path) -> None:
    """The table of colour orders is the published one."""
    lines = (folder / "eternity2/motifs_orders.txt").read_text().split("\n")
    for line in filter(None, lines):
        default, jef, marie = map(int, line.split())
        assert MOTIFS_ORDERS["default"][default] == default
        assert MOTIFS_ORDERS["jef"][default] == jef
        assert MOTIFS_ORDERS["marie"][default] == MOTIFS_ORDERS["jblackwood"][default] == marie
