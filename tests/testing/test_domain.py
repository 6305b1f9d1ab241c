"""`check_domain` passes a right domain, and names the contract that a wrong one breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contracts.domains import BENCHES, Pancakes, flips

from matheur.methods.statespace.domain import Automorphisms, Successors
from matheur.methods.statespace.packing import Packing
from matheur.testing import check_domain


def liar(**members: Any) -> Pancakes:
    """The pancakes with other members."""
    found = type("Liar", (Pancakes,), {key: value for key, value in members.items() if callable(value)})(5)
    for key, value in members.items():
        if not callable(value):
            setattr(found, key, value)
    return found  # type: ignore[no-any-return]


def expanding(change: Callable[[Pancakes, Successors], Successors]) -> Pancakes:
    """What is found is changed before it is handed out."""
    return liar(expand=lambda self, keys: change(self, Pancakes.expand(self, keys)))


def without_last(_self: Any, found: Successors) -> Successors:
    """One successor of the whole batch is missing."""
    return Successors(*(part[:-1] for part in found))


def turned(self: Any, found: Successors) -> Successors:
    """The first pancake gets another size."""
    states = self.packing.unpack(found.keys)
    states[:, 0] ^= 1
    return found._replace(keys=self.packing.pack(states))


def in_place(self: Any, start: Any, goal: Any) -> Any:
    """Changes the domain that it is asked of."""
    self.start[:], self.goal[:] = start, goal
    return self


def narrow(self: Any, components: Any) -> Any:
    """Fewer pancakes, which is no relaxation: moves of the others are missing."""
    kept = len(components)
    return Pancakes(kept, list(range(kept)), list(range(kept)))


class Lossy(Packing):
    """Values of more than 5 become 5."""

    def pack(self, states: Any) -> Any:
        """Keys of the values that are left."""
        return super().pack(np.minimum(states, 5))


MIRROR = Automorphisms(np.arange(5)[::-1].reshape(1, 5).copy(), np.arange(8, dtype=np.uint8).reshape(1, 8))
SAME = np.arange(5).reshape(1, 5)
OTHERS = Automorphisms(SAME, np.array([[0, 1, 2, 3, 4, 6, 5, 7]], dtype=np.uint8))

LIARS = {
    "narrow packing": (liar(packing=Lossy((3,) * 5)), "the largest values are not kept"),
    "one move missing": (expanding(without_last), "do not agree on"),
    "another state": (expanding(turned), "do not agree on"),
    "costs of one": (expanding(lambda _, it: it._replace(costs=it.costs * 0 + 1)), "do not agree on"),
    "moves of one name": (expanding(lambda _, it: it._replace(moves=it.moves * 0)), "agree on|has a move twice"),
    "parents in another order": (expanding(lambda _, it: it._replace(parents=it.parents[::-1])), "order of their par"),
    "small branching": (liar(branching=2), "and branching is 2"),
    "few moves": (liar(moves=3), "a move is not from 0 to below 3"),
    "costs of a float": (expanding(lambda _, it: it._replace(costs=it.costs.astype(float))), "int32 and float64, not"),
    "unit costs": (liar(unit_costs=True), "does not cost 1"),
    "apply that takes everything": (
        liar(apply=lambda self, state, plan: Pancakes.apply(self, state, [m for m in plan if 1 < m <= 5])),
        "passes|takes the move|moves pass",
    ),
    "apply without the start": (liar(apply=lambda *a: Pancakes.apply(*a)[1:]), "moves pass"),
    "no goal": (liar(is_goal=lambda _, keys: np.zeros(len(keys), dtype=bool)), "the goal is not a goal"),
    "all are goals": (liar(is_goal=lambda _, keys: np.ones(len(keys), dtype=bool)), "does not agree with 'goal'"),
    "between that does nothing": (liar(between=lambda self, start, goal: self), "not those asked for"),
    "between in place": (liar(between=in_place), "'between' changes the domain"),
    "symmetry of the goal alone": (liar(automorphisms=lambda _: MIRROR), "a symmetry changes the goal"),
    "projection that loses moves": (liar(project=narrow), "is missing in the projection"),
}  # fmt: skip


def test_costs_below_zero_are_found_without_a_definition() -> None:
    """No search is right with them."""
    wrong = expanding(lambda _, it: it._replace(costs=-it.costs))
    with pytest.raises(AssertionError, match="a move costs less than 0"):
        check_domain(wrong)


@pytest.mark.parametrize(("domain", "words"), LIARS.values(), ids=LIARS.keys())
def test_a_wrong_domain_is_named(domain: Pancakes, words: str) -> None:
    """The error says which contract is broken, and how."""
    with pytest.raises(AssertionError, match=rf"the domain 'pancakes' breaks a contract: .*\n.*({words})"):
        check_domain(domain, successors=flips)


class OneWay(Pancakes):
    """Flips cost what the lowest pancake weighs: there are dearer ways back."""

    def expand(self, keys: Any) -> Successors:
        """The same moves at other costs."""
        found = super().expand(keys)
        return found._replace(costs=found.costs + self.packing.unpack(found.keys)[:, 0].astype(np.int32))


def test_moves_that_do_not_lead_back_are_named() -> None:
    """A domain is reversible if it does not say that it is not."""
    with pytest.raises(AssertionError, match="as the way there does"):
        check_domain(OneWay(5))
    domain = OneWay(5)
    domain.reversible = False
    check_domain(domain)


class Doubled(Pancakes):
    """Projections that are no projections: each pays for all."""

    def project(self, components: Any) -> Any:
        """The whole state in each part, with the moves of the part."""
        return _Part(list(components), self)


class _Part(Pancakes):
    """Any change of the kept components is a move at the full price."""

    def __init__(self, kept: list[int], whole: Pancakes) -> None:
        super().__init__(whole.packing.size)
        self.kept, self.whole = kept, whole
        self.packing = Packing((3,) * len(kept))

    def expand(self, keys: Any) -> Successors:
        """All states of the kept components, each for 9."""
        values = np.indices((5,) * len(self.kept)).reshape(len(self.kept), -1).T.astype(np.uint8)
        count = len(keys)
        found = self.packing.pack(np.tile(values, (count, 1)))
        moves = np.tile(np.arange(len(values), dtype=np.int32), count)
        return Successors(found, np.repeat(np.arange(count), len(values)), moves, moves * 0 + 9)


def test_projections_that_pay_twice_are_named() -> None:
    """Their distances could not be added."""
    with pytest.raises(AssertionError, match="projections pay"):
        check_domain(Doubled(5))


class Symmetric(Pancakes):
    """A symmetry that moves states about as it likes."""

    def automorphisms(self) -> Automorphisms:
        """The identity, and an exchange of two components that no flip knows of."""
        swap = np.array([[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]])
        values = np.array([[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 2, 3, 4, 5, 6, 7]], dtype=np.uint8)
        return Automorphisms(swap, values)


def test_symmetries_that_break_edges_are_named() -> None:
    """Images of neighbours have to be neighbours."""
    with pytest.raises(AssertionError, match="takes neighbours to states that are not neighbours"):
        check_domain(Symmetric(5))


def test_right_domains_pass() -> None:
    """With and without the definition of the moves."""
    check_domain(Pancakes(5), successors=flips)
    check_domain(Pancakes(4))
    bench = BENCHES["sliding-tile-2x3"]
    check_domain(bench.domain, successors=bench.successors)
