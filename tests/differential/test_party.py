"""A share of the random party puzzles of `benchmarks/differential.py party`."""

from __future__ import annotations

from differential.party import draw, wrong

COUNT = 25


def test_answers_agree_with_all_parties() -> None:
    """Branch and bound and HiGHS claim nothing that enumeration refutes."""
    found = []
    for number in range(1_000_000, 1_000_000 + COUNT):
        found += [(number, said) for said in wrong(draw(number), number, ("branch-and-bound", "highs"))]
    assert found == []


def test_puzzles_are_read_however_they_are_written() -> None:
    """Separators, quotes, ends of lines and encodings; parties are judged as the page of the format says."""
    numbers = range(2_000_000, 2_000_200)
    assert [(number, said) for number in numbers for said in wrong(draw(number), number, ())] == []


def test_the_generator_draws_what_it_promises() -> None:
    """Puzzles with and without a party, every kind of demand, prices up to 10**15."""
    some = [draw(number) for number in range(200)]
    assert {one.best() is None for one in some} == {True, False}
    kinds = {demand["type"] for one in some for demand in one.puzzle["constraints"]}
    assert kinds == {"sum", "count", "distinct", "max_same"}
    assert any(int(item["price"] or 0) > 10**14 for one in some for item in one.items)
