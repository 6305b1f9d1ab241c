"""`matheur clique`: maximum clique of a graph file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from matheur.cli.output import (
    InstanceOption,
    JsonOption,
    SeedOption,
    check_outputs,
    print_json,
    reader_options,
    say_assumptions,
)
from matheur.errors import ConfigurationError, OperatorError

__all__ = ["clique"]


class Method(StrEnum):
    """How to look for a maximum clique."""

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
        str, typer.Argument(help="A graph file (DIMACS, METIS, MatrixMarket, edges, PACE), or a built-in one.")
    ],
    method: Annotated[
        Method | None, typer.Option(help="The search (portfolio, which `solve` uses; local-search with --delta).")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Time limit (10 if there is no other).", min=0, metavar="S")
    ] = None,
    work: Annotated[int | None, typer.Option(help="Selections, or nodes of the exact search.", min=0)] = None,
    target: Annotated[int | None, typer.Option(help="Size at which to stop.", min=1)] = None,
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
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(help="Format of the file, if it cannot be detected: edge-list, metis, ..."),
    ] = None,
    complement: Annotated[
        bool | None,
        typer.Option("--complement/--no-complement", help="Whether the edges of the file are the conflicts."),
    ] = None,
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

    check_outputs({"--out": out}, {"the graph": file, "--adapter": None if adapter is None else adapter.split("#")[0]})
    if method is None:
        method = Method.portfolio if delta is None else Method.local_search
    options = reader_options(set_)
    options |= {key: value for key, value in (("format", format), ("complement", complement)) if value is not None}
    name = _graphs()
    problem = load_instance(file, name, options)[1]  # a signal ends this at once: there is nothing to hand out
    with Interrupt() as interrupt:
        graph = problem.graph
        if seconds is None and work is None and method not in (Method.exact, Method.external):
            seconds = 10.0
        found = _search(graph, method, seconds, work, target, seed, delta, command, adapter, interrupt)
        vertices = found.pop("vertices")
        if not graph.is_clique(vertices):
            raise OperatorError(f"'{method.value}' returned vertices that are not a clique")
        bound = found.pop("bound")
        size = len(vertices)
        result = {
            "problem": name,
            "instance": file,
            "objective": -size,
            "score": size,
            "score_max": graph.n,
            "bound": None if bound is None else -bound,
            "status": "optimal" if bound is not None and size >= bound else "feasible",
            "feasible": True,
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
            typer.echo(f"clique of {size} vertices ({result['status']}), {spent}")
            typer.echo(" ".join(map(spoken, result["solution"])))
        return 130 if interrupt() else 0


_DELTA = 4
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


def _search(
    graph: Any,
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

    rng = np.random.default_rng(seed)
    if method is Method.external:
        if (command is None) == (adapter is None):
            raise ConfigurationError(
                "an external solver needs its command or its adapter. Maybe --command 'cliquer -qq {file}'?"
            )
        program = command or "" if adapter is None else solvers.adapter(adapter)
        answer = solvers.solve_external(program, graph, seconds=seconds, seed=seed, target=target, interrupt=stop)
        bound = len(answer.vertices) if answer.proved else None
        named = {"command": command} if adapter is None else {"adapter": adapter}
        return {"vertices": answer.vertices, "bound": bound, "work": 1, "seconds": answer.seconds, **named}
    if command is not None or adapter is not None:
        option = "--adapter" if command is None else "--command"
        raise ConfigurationError(f"{option} goes with --method external (not {method.value})")
    sparse = isinstance(graph, solvers.SparseGraph)
    if sparse or method in (Method.vertex_cover, Method.classes, Method.hubs, Method.portfolio):
        options = {"delta": delta} if delta is not None and method in (Method.local_search, Method.phased) else {}
        return _sliced(graph, method, rng, seconds, work, target, stop, options)
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


def _sliced(
    graph: Any,
    method: Method,
    rng: Any,
    seconds: float | None,
    work: int | None,
    target: int | None,
    stop: Any,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Searches that are operators first: run as such."""
    from matheur.engine import Budget
    from matheur.engine.operators import operator_class
    from matheur.engine.problem_types import tool_of

    goal = None if target is None else -target
    reached = [0]

    def offered(*_: Any) -> None:
        reached[0] = budget.spent_work

    name = _graphs()
    problem = tool_of(name, "clique")(graph)
    budget = Budget(seconds=seconds, work=work, target=goal, interrupt=stop, on_incumbent=offered)
    outcome = operator_class(name, "construction", method.value)(**options).build(problem, budget, rng)
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
