"""`matheur clique`: maximum clique of a graph file."""

from __future__ import annotations

import math
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from matheur.cli.output import (
    ComplementOption,
    FormatOption,
    InstanceOption,
    JsonOption,
    SeedOption,
    WeightsOption,
    check_outputs,
    graph_reading,
    print_json,
    reader_options,
    say_assumptions,
)
from matheur.errors import ConfigurationError, OperatorError

__all__ = ["clique"]


_LISTED_MAX = 1_000_000


class Method(StrEnum):
    """Search method for a maximum clique."""

    local_search = "local-search"
    phased = "phased"
    vertex_cover = "vertex-cover"
    classes = "partition"
    hubs = "hubs"
    portfolio = "portfolio"
    exact = "exact"
    external = "external"


def clique(
    file: Annotated[
        str,
        typer.Argument(
            help="A graph file (DIMACS, METIS, MatrixMarket, edges, GraphML, graph6, ...), or a built-in one."
        ),
    ],
    method: Annotated[
        Method | None, typer.Option(help="The search (portfolio, which `solve` uses; local-search with --delta).")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Time limit (10 if there is no other).", min=0, metavar="S")
    ] = None,
    work: Annotated[int | None, typer.Option(help="Selections, or nodes of the exact search.", min=0)] = None,
    target: Annotated[float | None, typer.Option(help="Size, or weight, at which to stop.", min=0)] = None,
    seed: SeedOption = 0,
    delta: Annotated[
        int | None, typer.Option(help="Strength of a perturbation of the local search (4).", min=1)
    ] = None,
    command: Annotated[
        str | None, typer.Option(help="External solver, such as 'cliquer -qq {file}'.", metavar="COMMAND")
    ] = None,
    adapter: Annotated[
        str | None, typer.Option(help="External solver by its adapter: cliquer, pmc, ..., or FILE.toml#NAME.")
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Count and list all cliques of maximum size, or weight, by branch and bound.")
    ] = False,
    listed: Annotated[
        int | None, typer.Option("--list", help="With --all: how many are listed (1000).", min=0, max=_LISTED_MAX)
    ] = None,
    format: FormatOption = None,  # noqa: A002
    complement: ComplementOption = None,
    weights: WeightsOption = None,
    set_: InstanceOption = None,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON to this file.")] = None,
    json: JsonOption = False,
) -> int:
    """Find a large clique: one search or all of them, branch and bound, an external solver; the answer is checked."""
    from matheur.engine import Interrupt
    from matheur.engine.files import write_json
    from matheur.methods.clique.formats.names import spoken
    from matheur.running.loading import load_instance
    from matheur.running.result import versions

    if seconds is not None and not math.isfinite(seconds):
        raise ConfigurationError(f"--seconds must be a finite number ({seconds})")
    check_outputs({"--out": out}, {"the graph": file, "--adapter": None if adapter is None else adapter.split("#")[0]})
    if all_:
        method = _method_of_all(method, target, delta, command, adapter)
    elif listed is not None:
        raise ConfigurationError("--list goes with --all")
    if method is None and not (command is None and adapter is None):
        method = Method.external
    if method is None:
        method = Method.portfolio if delta is None else Method.local_search
    name = _graphs()
    options = graph_reading(name, format, complement, weights)[1] | reader_options(set_)
    problem = load_instance(file, name, options)[1]  # a signal ends this at once, since there is no result yet
    with Interrupt() as interrupt:
        graph = problem.graph
        if problem.weights is not None and method in _BY_SIZE:
            raise ConfigurationError(f"--method {method.value} looks for many vertices, not for heavy ones. Maybe "
                                     "portfolio, local-search or exact, or --weights none?")  # fmt: skip
        if seconds is None and work is None and method not in (Method.exact, Method.external):
            seconds = 10.0
        goal = None if target is None else _value_of(problem, target)
        if all_:
            found = _all(problem, _LISTED if listed is None else listed, seconds, work, seed, interrupt)
        else:
            found = _search(problem, method, seconds, work, goal, seed, delta, command, adapter, interrupt)
        vertices = found.pop("vertices")
        if not graph.is_clique(vertices):
            raise OperatorError(f"'{method.value}' returned vertices that are not a clique")
        bound = found.pop("bound")
        value = problem.value(vertices)
        result = {
            "problem": name,
            "instance": file,
            "objective": -value,
            "score": problem.score(-value),
            "score_max": problem.score(-problem.value_max),
            "bound": None if bound is None else -bound,
            "status": "optimal" if bound is not None and value >= bound else "feasible",
            "feasible": True,
            **problem.report(vertices),
            "vertices": graph.n,
            "edges": graph.edges,
            "density": graph.density,
            "method": method.value,
            "seed": seed,
            **found,
            **({"assumptions": list(problem.assumptions)} if problem.assumptions else {}),
            **({"configuration": {"instance": options}} if options else {}),
            "versions": versions(),
            "solution": problem.encode(vertices),
        }
        if out is not None:
            write_json(out, result)
        if json:
            print_json(result)
        else:
            say_assumptions(problem)
            typer.echo(f"{graph.n} vertices, {graph.edges} edges, density {graph.density:.3f}")
            spent = f"{result['seconds']:.2f} s, {result['work']} {_UNIT[method]}"
            heavy = "" if problem.weights is None else f" and weight {result['score']}"
            typer.echo(f"clique of {len(vertices)} vertices{heavy} ({result['status']}), {spent}")
            if all_:
                least, them = "" if result["complete"] else "at least ", result["cliques"]
                kind = "size" if problem.weights is None else "weight"
                shown = "" if len(them) == result["count"] else f", {len(them):,} of them listed"
                typer.echo(f"{least}{result['count']:,} of this {kind}{shown}")
            for one in result["cliques"] if all_ else [result["solution"]]:
                typer.echo(" ".join(map(spoken, one)))
        return 130 if interrupt() else 0


_DELTA = 4
_LISTED = 1_000
_BY_SIZE = (Method.phased, Method.vertex_cover, Method.classes, Method.hubs)
_BY_STAGES = (Method.local_search, Method.phased)
_UNIT = {
    Method.local_search: "selections",
    Method.phased: "selections",
    Method.vertex_cover: "exchanges",
    Method.classes: "steps",
    Method.hubs: "steps",
    Method.portfolio: "units",
    Method.exact: "nodes",
    Method.external: "calls",
}


def _value_of(problem: Any, target: float) -> int:
    """Smallest size or weight in scaled units that reaches a target in units of the file."""
    if not math.isfinite(target):
        raise ConfigurationError(f"--target must be a finite number ({target})")
    return math.ceil(Fraction(str(target)) * 10**problem.decimals)


def _search(
    problem: Any,
    method: Method,
    seconds: float | None,
    work: int | None,
    target: int | None,
    seed: int,
    delta: int | None,
    command: str | None,
    adapter: str | None,
    stop: Any,
) -> dict[str, Any]:
    """Vertices, proved upper bound or None, work and seconds."""
    import numpy as np

    from matheur.methods import clique as solvers

    rng, graph, weights = np.random.default_rng(seed), problem.graph, problem.weights
    if method is Method.external:
        for option, value in (("--delta", delta), ("--work", work)):
            if value is not None:
                raise ConfigurationError(f"{option} has no effect on an external solver")
        if (command is None) == (adapter is None):
            raise ConfigurationError(
                "an external solver needs a command or an adapter. Maybe --command 'cliquer -qq {file}'?"
            )
        program = command or "" if adapter is None else solvers.adapter(adapter)
        answer = solvers.solve_external(
            program, graph, seconds=seconds, seed=seed, target=target, weights=weights, interrupt=stop
        )
        bound = problem.value(answer.vertices) if answer.proved else None
        named = {"command": command} if adapter is None else {"adapter": adapter}
        return {"vertices": answer.vertices, "bound": bound, "work": 1, "seconds": answer.seconds, **named}
    if command is not None or adapter is not None:
        option = "--adapter" if command is None else "--command"
        raise ConfigurationError(f"{option} goes with --method external (not {method.value})")
    if weights is not None and delta is not None:
        raise ConfigurationError("--delta is for graphs without weights. Maybe --weights none?")
    if delta is not None and method not in _BY_STAGES:
        raise ConfigurationError(f"--delta goes with --method local-search or phased (not {method.value})")
    by_operator = weights is not None or isinstance(graph, solvers.SparseGraph)
    if by_operator or method in (Method.vertex_cover, Method.classes, Method.hubs, Method.portfolio):
        options = {} if delta is None else {"delta": delta}
        return _sliced(problem, method, rng, seconds, work, target, stop, options)
    if method is Method.exact:
        start = solvers.search(graph, rng, max_selections=5_000, seconds=seconds, target=target, stop=stop)
        exact = solvers.solve_exact(
            graph, start=start.vertices, max_nodes=work, seconds=seconds, target=target, stop=stop
        )
        spent = {"work": exact.nodes, "seconds": start.seconds + exact.seconds}
        return {"vertices": exact.vertices, "bound": exact.bound, **spent}
    rule: Literal["phased", "random"] = "phased" if method is Method.phased else "random"
    found = solvers.search(
        graph, rng, max_selections=work, seconds=seconds, target=target, delta=delta or _DELTA, rule=rule, stop=stop
    )
    bound = found.size if found.proved else None
    return {
        "vertices": found.vertices,
        "bound": bound,
        "work": found.selections,
        "seconds": found.seconds,
        "reached_at": found.reached_at,
    }


def _method_of_all(method: Method | None, *others: object) -> Method:
    """The method that finds all cliques: branch and bound.

    Raises
    ------
    ConfigurationError
        If another method, or an option that does not apply, is given.
    """
    if method not in (None, Method.exact):
        raise ConfigurationError(f"--all goes with --method exact, which it uses by itself (not {method.value})")
    for option, value in zip(("--target", "--delta", "--command", "--adapter"), others, strict=True):
        if value is not None:
            raise ConfigurationError(f"{option} makes no sense with --all")
    return Method.exact


def _all(problem: Any, listed: int, seconds: float | None, work: int | None, seed: int, stop: Any) -> dict[str, Any]:
    """All best cliques, with the names of the file, in addition to the entries of `_search`."""
    import numpy as np

    from matheur.methods.clique import all_cliques

    rng = np.random.default_rng(seed)
    found = all_cliques(
        problem.graph, rng, weights=problem.weights, keep=listed, max_nodes=work, seconds=seconds, stop=stop
    )
    return {
        "vertices": found.vertices,
        "bound": found.bound,
        "work": found.nodes,
        "seconds": found.seconds,
        "count": found.count,
        "complete": found.complete,
        "cliques": [problem.encode(clique) for clique in found.cliques],
    }


def _sliced(
    problem: Any,
    method: Method,
    rng: Any,
    seconds: float | None,
    work: int | None,
    target: int | None,
    stop: Any,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Run a search through its operator; returns the same entries as `_search`."""
    from matheur.engine import Budget
    from matheur.engine.operators import operator_class

    goal = None if target is None else -target
    reached = [0]

    def offered(*_: Any) -> None:
        reached[0] = budget.spent_work

    budget = Budget(seconds=seconds, work=work, target=goal, interrupt=stop, on_incumbent=offered)
    outcome = operator_class(_graphs(), "construction", method.value)(**options).build(problem, budget, rng)
    bound = None if outcome.bound is None else -int(outcome.bound)
    return {
        "vertices": outcome.solution,
        "bound": bound,
        "work": budget.spent_work,
        "seconds": budget.elapsed,
        "reached_at": reached[0],
    }


def _graphs() -> str:
    """The kind of problem whose instances are graphs."""
    from matheur.engine.problem_types import with_tool

    return with_tool("clique")[0]
