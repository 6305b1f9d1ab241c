"""The party puzzle formulated directly for CP-SAT, as squad-building programs do; run by `peers.py` for one puzzle.

    python experiments/party_building/peer_cp_sat.py PUZZLE.json --formulation values --seconds 60 --workers 2 --seed 0

Both formulations have one Boolean for each item in each slot that it fits, exactly one per slot and at most one per
item. Neighbours are compared

`values`
    by a Boolean for each edge, trait and value, which implies a Boolean `slot has value` at both of its ends;
`equality`
    by a Boolean for each edge and trait, which enforces that the integer `value of the slot` is the same at both ends.

In both, listed pairs of values have separate Booleans. The script prints one JSON line for each better party and one at
the end. The objective is the minimum price, with sums, counts, `distinct` and `max_same` of all slots; other puzzles
are rejected. OR-Tools and highspy cannot be loaded into one process, so nothing here may import a MILP backend of
matheur.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import defaultdict
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from matheur.problems.party import (
    BUILTINS,
    CountConstraint,
    DistinctConstraint,
    Instance,
    MaxSameConstraint,
    Party,
    SumConstraint,
    TermPoints,
    builtin,
    load,
)
from matheur.problems.party.formats.writer import TYPES

FORMULATIONS = ("values", "equality")


KNOWN = (SumConstraint, CountConstraint, DistinctConstraint, MaxSameConstraint)


def unknown(instance: Instance) -> str | None:
    """Part of a puzzle that the formulations do not cover; None if they cover everything."""
    if instance.maximised:
        return f"maximise (the total of {instance.maximised})"
    if instance.objective != "price":
        return f"the objective {instance.objective}"
    for one in instance.constraints:
        if not isinstance(one, KNOWN):
            return f"{TYPES[type(one)]} (the demand '{one}')"
        if one.scope is not None:
            return f"demands on some slots (the demand '{one}')"
    terms = instance.points.terms if instance.points is not None and instance.points.demand > 0 else ()
    return next((f"points for different values of {term.column}" for term in terms if term.other), None)


class Native:
    """CP-SAT model of an instance; `items[slot]` holds Booleans by item number."""

    def __init__(self, instance: Instance, formulation: str) -> None:
        self.instance, self.formulation = instance, formulation
        self.model = cp_model.CpModel()
        self.items = [{int(i): self.model.new_bool_var("") for i in own} for own in instance.candidates]
        self._values: dict[tuple[str, int], dict[int, Any]] = {}
        self._integers: dict[tuple[str, int], Any] = {}
        self.points: list[tuple[int, Any]] = []
        by_item = defaultdict(list)
        for own in self.items:
            self.model.add_exactly_one(own.values())
            for item, x in own.items():
                by_item[item].append(x)
        for xs in by_item.values():
            if len(xs) > 1:
                self.model.add_at_most_one(xs)
        self.everything = [(item, x) for own in self.items for item, x in own.items()]
        for one in instance.constraints:
            self._constrain(one)
        if instance.points is not None and instance.points.demand > 0:
            for term in instance.points.terms:
                for a, b in instance.edges.tolist():
                    self._compare(term, a, b)
            self.model.add(_sum(self.points) >= instance.points.demand)
        prices = instance.catalogue.prices
        self.model.minimize(_sum([(int(prices[item]), x) for item, x in self.everything]))

    def _constrain(self, one: Any) -> None:
        if isinstance(one, SumConstraint):
            measure = self.instance.catalogue.measures[one.column]
            total = _sum([(int(measure.amounts[item]), x) for item, x in self.everything])
            self._limit(total, one.op, one.value * measure.scale)
            return
        trait = self.instance.catalogue.traits[one.column]
        groups = defaultdict(list)
        for item, x in self.everything:
            if trait.codes[item] >= 0:
                groups[int(trait.codes[item])].append(x)
        if isinstance(one, CountConstraint):
            wanted = {code for code, value in enumerate(trait.values) if value in one.values}
            self._limit(sum((x for code in wanted for x in groups.get(code, ())), start=0), one.op, one.value)
        elif isinstance(one, DistinctConstraint):
            used = []
            for xs in groups.values():
                literal = self.model.new_bool_var("")
                self.model.add_max_equality(literal, xs)
                used.append(literal)
            self._limit(sum(used), one.op, one.value)
        elif isinstance(one, MaxSameConstraint):
            for xs in groups.values():
                self.model.add(sum(xs) <= math.floor(one.value))

    def _limit(self, total: Any, op: str, value: Any) -> None:
        if op in (">=", "=="):
            self.model.add(total >= math.ceil(value))
        if op in ("<=", "=="):
            self.model.add(total <= math.floor(value))

    def _has(self, term: TermPoints, slot: int) -> dict[int, Any]:
        """Booleans `the slot has this value`."""
        key = (term.column, slot)
        if key not in self._values:
            groups = defaultdict(list)
            for item, x in self.items[slot].items():
                if term.codes[item] >= 0:
                    groups[int(term.codes[item])].append(x)
            found = {}
            for code, xs in groups.items():
                found[code] = xs[0] if len(xs) == 1 else self.model.new_bool_var("")
                if len(xs) > 1:
                    self.model.add(sum(xs) == found[code])
            self._values[key] = found
        return self._values[key]

    def _integer(self, term: TermPoints, slot: int) -> Any:
        """Value of a slot as an integer; an empty cell gets a value that no other slot can have."""
        key = (term.column, slot)
        if key not in self._integers:
            most = len(term.group) + slot
            value = self.model.new_int_var(0, most, "")
            terms = [(int(c) if c >= 0 else most, x) for i, x in self.items[slot].items() for c in [term.codes[i]]]
            self.model.add(value == _sum(terms))
            self._integers[key] = value
        return self._integers[key]

    def _compare(self, term: TermPoints, a: int, b: int) -> None:
        one, two = self._has(term, a), self._has(term, b)
        listed = [
            (u, v, int(points)) for u in one for v in two if (points := term.table[term.group[u], term.group[v]]) >= 0
        ]
        for u, v, points in listed:
            if points:
                self._match(points, [one[u], two[v]])
        special = {u for u, v, _ in listed if u == v}
        if self.formulation == "values" or special:
            for v in (one.keys() & two.keys()) - special:
                self._match(term.same, [one[v], two[v]])
        elif one.keys() & two.keys():
            literal = self.model.new_bool_var("")
            same = self._integer(term, a) == self._integer(term, b)
            self.model.add(same).only_enforce_if(literal)
            self.points.append((term.same, literal))

    def _match(self, points: int, ends: list[Any]) -> None:
        literal = self.model.new_bool_var("")
        for end in ends:
            self.model.add_implication(literal, end)
        self.points.append((points, literal))


def _sum(terms: list[tuple[int, Any]]) -> Any:
    if not terms:
        return 0
    return cp_model.LinearExpr.weighted_sum([x for _, x in terms], [weight for weight, _ in terms])


class Trace(cp_model.CpSolverSolutionCallback):
    """Print each better party with the seconds since the start."""

    def __init__(self, native: Native, problem: Any, started: float) -> None:
        super().__init__()
        self.native, self.problem, self.started = native, problem, started

    def on_solution_callback(self) -> None:
        party = [next(item for item, x in own.items() if self.value(x)) for own in self.native.items]
        evaluation = self.problem.evaluate(np.array(party, dtype=np.int32))
        if not evaluation.feasible or evaluation.objective != round(self.objective_value):
            raise SystemExit(f"error: the model is wrong: {evaluation}")
        say(event="incumbent", seconds=time.perf_counter() - self.started, price=evaluation.objective)


def say(**facts: Any) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("puzzle")
    parser.add_argument("--formulation", choices=FORMULATIONS, default="values")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--linearization", type=int, default=None, help="CP-SAT's linearization_level")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    name = given.puzzle.removeprefix("party/")
    problem = Party(builtin(name)) if name in BUILTINS else load(given.puzzle)
    refused = unknown(problem.instance)
    if refused is not None:
        parser.exit(2, f"error: not modelled here: {refused}\n")
    started = time.perf_counter()  # reading is not counted, but building the model is
    native = Native(problem.instance, given.formulation)
    built = time.perf_counter() - started
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = given.workers
    solver.parameters.random_seed = given.seed
    if given.linearization is not None:
        solver.parameters.linearization_level = given.linearization
    solver.parameters.max_time_in_seconds = max(0.1, given.seconds - built)
    status = solver.solve(native.model, Trace(native, problem, started))
    solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    say(
        event="end",
        status=solver.status_name(status).lower(),
        price=round(solver.objective_value) if solved else None,
        bound=math.ceil(solver.best_objective_bound - 1e-6) if solved else None,
        seconds=time.perf_counter() - started,
        built=built,
        variables=len(native.model.proto.variables),
        constraints=len(native.model.proto.constraints),
    )


if __name__ == "__main__":
    main()
