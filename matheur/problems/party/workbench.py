"""Party puzzles in the workbench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from matheur.errors import InputError, shown
from matheur.problems.party.formats.writer import write_puzzle
from matheur.problems.workbench import Field, Position, Workbench

__all__ = ["WORKBENCH"]

_TABLE = "cards.csv"
_ITEMS = 60


class _PartyWorkbench(Workbench):
    plays = True

    def text(self, problem: Any) -> str:
        return write_puzzle(problem.instance, _TABLE)[0]

    def companions(self, problem: Any) -> Mapping[str, str]:
        return {_TABLE: write_puzzle(problem.instance, _TABLE)[1]}

    def editor(self, problem: Any) -> dict[str, Any]:
        one = problem.instance
        return {"kind": "formation", "slots": list(one.slots)}

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """Return a position with a list of items for each slot, best for the objective first."""
        one = problem.instance
        ids, prices = one.catalogue.ids, one.catalogue.prices
        chosen = dict(enumerate(moves[: len(one.slots)]))
        numbers = {name: number for number, name in enumerate(ids)}
        fields, solution, used = [], {}, set[str]()
        for slot, name in enumerate(one.slots):
            cheapest = one.candidates[slot][np.argsort(one.costs[one.candidates[slot]], kind="stable")][
                :_ITEMS
            ].tolist()
            if not cheapest:
                raise InputError(f"no item fits slot '{name}'")
            first = next((item for item in cheapest if ids[item] not in used), cheapest[0])
            item = numbers.get(chosen[slot], -1) if slot in chosen else first
            if item < 0:
                raise InputError(f"no such item ({shown(chosen[slot], 20)})")
            used.add(ids[item])
            listed = [*([] if item in cheapest else [item]), *cheapest]
            options = tuple((ids[one], f"{ids[one]}, price {int(prices[one])}") for one in listed)
            fields.append(Field(name, ids[item], options))
            solution[name] = ids[item]
        words = "Choose an item for every slot; the demands and what is missing are listed below."
        if any(len(items) > _ITEMS for items in one.candidates):
            words += f" Lists have only {_ITEMS} of the items that fit, those best for the objective."
        return Position(solution, words, fields=tuple(fields))


WORKBENCH = _PartyWorkbench()
