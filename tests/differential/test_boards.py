"""A share of the random edge-matching puzzles of `benchmarks/differential.py boards`."""

from __future__ import annotations

from differential.boards import draw, wrong

COUNT = 20


def test_answers_agree_with_all_boards() -> None:
    """A MILP and a systematic clique search claim nothing that exhaustive search refutes."""
    found = []
    for number in range(1_000_000, 1_000_000 + COUNT):
        found += [
            (number, said) for said in wrong(draw(number), number, ("highs", "structured-clique")[number % 2 :][:1])
        ]
    assert found == []


def test_puzzles_are_recognised_and_read_however_they_are_written() -> None:
    """Formats, separators, ends of lines and encodings."""
    numbers = range(2_000_000, 2_000_150)
    assert [(number, said) for number in numbers for said in wrong(draw(number), number, ())] == []


def test_the_generator_draws_what_it_promises() -> None:
    """Perfect, imperfect and impossible puzzles, with hints and without, with a frame and without."""
    some = [draw(number) for number in range(200)]
    best = [one.best() for one in some]
    joints = [one.rows * (one.columns - 1) + (one.rows - 1) * one.columns for one in some]
    assert None in best
    assert any(found == all_ for found, all_ in zip(best, joints, strict=True))
    assert any(found is not None and found < all_ for found, all_ in zip(best, joints, strict=True))
    assert {bool(one.hints) for one in some} == {True, False}
    assert {any(0 in piece for piece in one.pieces) for one in some} == {True, False}
