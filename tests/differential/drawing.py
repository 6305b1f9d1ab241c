"""Numbers of drawn instances, and the loop that the sections share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

__all__ = ["disagreements", "drawn", "exact_and_one_solver"]

T = TypeVar("T")


def drawn(draw: Callable[[int], T], seed: int, count: int) -> Iterator[tuple[int, T]]:
    """`count` instances, each with the number that it is drawn by."""
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        yield number, draw(number)


def exact_and_one_solver(methods: Sequence[str], number: int) -> tuple[str, str]:
    """The first method, and one of the others in turn."""
    return methods[0], methods[1 + number % (len(methods) - 1)]


def disagreements(found: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """A line for each thing that is said of an instance, after the name of the instance."""
    return [f"{name}: {said}" for name, all_said in found for said in all_said]
