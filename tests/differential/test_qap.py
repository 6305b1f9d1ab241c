"""A share of the random quadratic assignments of `benchmarks/differential.py qap`."""

from __future__ import annotations

from differential.qap import METHODS, draw, section, text_of, wrong

COUNT = 15


def test_answers_agree_with_all_permutations() -> None:
    """Branch and bound, and a MILP solver each in turn, claim nothing that enumeration refutes."""
    assert section(1, COUNT) == []


def test_files_and_solutions_are_read_however_they_are_written() -> None:
    """Separators, ends of lines, encodings, comments, known values and decimals; what is too large is refused."""
    numbers = range(2_000_000, 2_000_150)
    assert [(number, said) for number in numbers for said in wrong(draw(number), number, ())] == []


def test_the_generator_draws_what_it_promises() -> None:
    """Sizes 1 to 7, decimals, large numbers, refusals; files in several encodings."""
    some = [draw(number) for number in range(300)]
    assert {one.n for one in some} == set(range(1, 8))
    assert any(any(one.decimals) for one in some)
    assert any(one.refused for one in some)
    assert any(value > 1 << 50 for one in some if not one.refused for row in one.flows for value in row)
    assert len({text_of(one, number)[0][:2] for number, one in enumerate(some)}) > 5
    assert len(METHODS) == 6
