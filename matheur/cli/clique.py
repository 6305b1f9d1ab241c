"""`matheur clique`: maximum clique of a graph file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from matheur.cli.output import JsonOption, SeedOption, existing_parent, print_json
from matheur.errors import ConfigurationError, OperatorError

__all__ = ["clique"]


class Method(StrEnum):
    """How to look for a maximum clique."""

    local_search = "local-search"
    exact = "exact"
    external = "external"


def clique(
    file: Annotated[str, typer.Argument(help="A DIMACS graph, ASCII or binary; .mis holds the complement.")],
    method: Annotated[Method, typer.Option(help="The search.")] = Method.local_search,
    time: Annotated[float | None, typer.Option("--time", help="Seconds (10 if no limit is given).", min=0)] = None,
    work: Annotated[int | None, typer.Option(help="Selections, or nodes of the exact search.", min=0)] = None,
    target: Annotated[int | None, typer.Option(help="Size at which to stop.", min=1)] = None,
    seed: SeedOption = 0,
    delta: Annotated[int, typer.Option(help="Strength of a perturbation of the local search.", min=1)] = 4,
    command: Annotated[
        str | None, typer.Option(help="External solver, such as 'cliquer -qq {file}'.", metavar="COMMAND")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the JSON there, too.")] = None,
    json: JsonOption = False,
) -> int:
    """Find a large clique: local search, exact branch and bound, or an external solver; the answer is checked."""
    from matheur.engine import Interrupt
    from matheur.engine.files import write_json
    from matheur.loading import read_source
    from matheur.problems.max_clique.formats import parse_graph
    from matheur.result import versions

    if out is not None:
        existing_parent(out)
    with Interrupt() as interrupt:
        graph = parse_graph(read_source(file))
        if time is None and work is None and method is Method.local_search:
            time = 10.0
        found = _search(graph, method, time, work, target, seed, delta, command, interrupt)
        vertices = found.pop("vertices")
        if not graph.is_clique(vertices):
            raise OperatorError(f"'{method.value}' returned vertices that are not a clique")
        bound = found.pop("bound")
        size = len(vertices)
        result = {
            "problem": "max-clique",
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
            "versions": versions(),
            "solution": [int(vertex) + 1 for vertex in vertices],
        }
        if out is not None:
            write_json(out, result)
        if json:
            print_json(result)
        else:
            typer.echo(f"{graph.n} vertices, {graph.edges} edges, density {graph.density:.3f}")
            spent = f"{result['seconds']:.2f} s, {result['work']} {_UNIT[method]}"
            typer.echo(f"clique of {size} vertices ({result['status']}), {spent}")
            typer.echo(" ".join(map(str, result["solution"])))
        return 130 if interrupt() else 0


_UNIT = {Method.local_search: "selections", Method.exact: "nodes", Method.external: "calls"}


def _search(
    graph: Any,
    method: Method,
    seconds: float | None,
    work: int | None,
    target: int | None,
    seed: int,
    delta: int,
    command: str | None,
    stop: Any,
) -> dict[str, Any]:
    """Vertices, proved upper bound or None, work and seconds."""
    import numpy as np

    from matheur import clique as solvers

    rng = np.random.default_rng(seed)
    if method is Method.external:
        if command is None:
            raise ConfigurationError("an external solver needs its command. Maybe --command 'cliquer -qq {file}'?")
        answer = solvers.solve_external(command, graph, seconds=seconds, seed=seed, target=target, interrupt=stop)
        return {"vertices": answer.vertices, "bound": None, "work": 1, "seconds": answer.seconds, "command": command}
    if command is not None:
        raise ConfigurationError(f"--command goes with --method external (not {method.value})")
    if method is Method.exact:
        start = solvers.search(graph, rng, max_selections=100_000, seconds=seconds, target=target, stop=stop)
        exact = solvers.solve_exact(
            graph, start=start.vertices, max_nodes=work, seconds=seconds, target=target, stop=stop
        )
        spent = {"work": exact.nodes, "seconds": start.seconds + exact.seconds}
        return {"vertices": exact.vertices, "bound": exact.bound, **spent}
    found = solvers.search(graph, rng, max_selections=work, seconds=seconds, target=target, delta=delta, stop=stop)
    bound = found.size if found.proved else None
    return {
        "vertices": found.vertices,
        "bound": bound,
        "work": found.selections,
        "seconds": found.seconds,
        "reached_at": found.reached_at,
    }
