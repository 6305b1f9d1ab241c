"""`matheur export clique`, `export model` and `import clique`: to other programs and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from matheur.cli.earlier_options import Command
from matheur.cli.output import (
    ComplementOption,
    FormatOption,
    InstanceOption,
    JsonOption,
    ProblemOption,
    WeightsOption,
    check_outputs,
    existing_parent,
    graph_reading,
    print_json,
    reader_options,
    say_assumptions,
)
from matheur.errors import ConfigurationError, InputError, nearest

__all__ = ["exporting", "importing"]

exporting = typer.Typer(help="Write a clique graph or a model for other programs.", no_args_is_help=True)
importing = typer.Typer(help="Read the answer of another program.", no_args_is_help=True)


class GraphFormat(StrEnum):
    """File format of an exported graph."""

    ascii = "ascii"
    binary = "binary"
    metis = "metis"
    matrix_market = "matrix-market"
    edge_list = "edge-list"
    pace = "pace"


def _region(text: str, rows: int, columns: int) -> list[int]:
    """The cells of a region `R0,C0,R1,C1`, including both corners."""
    parts = text.split(",")
    if len(parts) != 4 or not all(part.strip().isdecimal() and len(part) < 6 for part in parts):
        raise InputError(f"not a region ({text!r}). Maybe --region 0,0,5,5 (first and last row and column, from 0)?")
    top, left, bottom, right = (int(part) for part in parts)
    if not (top <= bottom < rows and left <= right < columns):
        raise InputError(f"the region {text} does not lie on a {rows} x {columns} board")
    return [row * columns + column for row in range(top, bottom + 1) for column in range(left, right + 1)]


def _surroundings(kind: Any, problem: Any, region: str | None, start: str | None) -> tuple[list[int] | None, Any]:
    from matheur.running.loading import load_solution

    if region is None:
        if start is not None:
            raise ConfigurationError("--start goes with --region: the rest of the board is kept as in the start")
        return None, None
    if start is None:
        raise ConfigurationError("--region needs --start: the board around it")
    cells = _region(region, problem.instance.rows, problem.instance.columns)
    board = load_solution(kind, problem, start)
    evaluation = problem.evaluate(board)
    if not evaluation.feasible:
        raise InputError(f"not a valid board: {evaluation.violations[0]}", source=start)
    return cells, board


StartOption = Annotated[str | None, typer.Option(help="The board around a region.", metavar="SOLUTION")]
RegionOption = Annotated[
    str | None, typer.Option(help="Only a region: first row and column, last row and column.", metavar="R0,C0,R1,C1")
]


@exporting.command("clique", cls=Command)
def export_clique(
    instance: Annotated[
        str, typer.Argument(help="An instance that has a clique graph, or a graph to be written in another form.")
    ],
    out: Annotated[Path, typer.Option(help="Graph file to write.")],
    nodes: Annotated[
        Path | None, typer.Option(help="Node table of a board (CSV): node, tile, row, column, rotation.")
    ] = None,
    format: Annotated[  # noqa: A002
        GraphFormat, typer.Option(help="DIMACS ASCII or binary, METIS, MatrixMarket, edges, PACE (the complement).")
    ] = GraphFormat.ascii,
    complement: Annotated[
        bool, typer.Option("--complement", help="Write the complement, the conflicts (.mis).")
    ] = False,
    problem: ProblemOption = None,
    region: RegionOption = None,
    start: StartOption = None,
    read_format: Annotated[
        str | None,
        typer.Option(help="Format of the graph that is read, if it cannot be detected.", metavar="FORMAT"),
    ] = None,
    weights: WeightsOption = None,
    set_: InstanceOption = None,
    json: JsonOption = False,
) -> None:
    """Write the clique graph of a board or of a region (a clique of all its cells is a perfect filling), or a graph."""
    from matheur.engine.problem_types import tool_of, with_tool
    from matheur.methods.clique.exporting import ExportedGraph, Region
    from matheur.methods.clique.formats import Format, save_graph
    from matheur.running.loading import load_instance

    check_outputs({"--out": out, "--nodes": nodes}, {"the instance": instance, "--start": start})
    problem, reading = graph_reading(problem, read_format, None, weights)
    kind, found = load_instance(instance, problem, reading | reader_options(set_))
    make = tool_of(kind.name, "graph")
    if make is None:
        known = " and ".join(with_tool("graph"))
        raise ConfigurationError(f"clique graphs are made from instances of {known} (not '{kind.name}')")
    has_nodes = tool_of(kind.name, "nodes") is not None
    if not has_nodes and (nodes is not None or region is not None or start is not None):
        raise ConfigurationError("--nodes, --region and --start go with a board, not with a graph")
    if has_nodes and nodes is None:
        raise ConfigurationError("a board's graph needs --nodes: the table that says what each vertex means")
    cells, board = _surroundings(kind, found, region, start)
    made: ExportedGraph = make(found, instance, None if cells is None else Region(cells, board))
    graph, target = made.graph, made.target
    form: Format = format.value
    inverted = True if complement else None
    save_graph(out, graph, form, comment=made.comment, complement=inverted, weights=made.weights)
    if made.nodes is not None and nodes is not None:
        made.nodes.save(nodes)
    facts = {
        "instance": instance,
        "graph": str(out),
        "node_table": None if nodes is None else str(nodes),
        "vertices": graph.n,
        "edges": graph.edges,
        "density": graph.density,
        "target": target,
        "bytes": out.stat().st_size,
    }
    if json:
        print_json(facts)
    else:
        perfect = "" if target is None else f"; a clique of {target} is a perfect filling"
        typer.echo(
            f"{graph.n} nodes, {graph.edges} edges, density {graph.density:.4f}, "
            f"{facts['bytes']:,} bytes in {out}{perfect}"
        )


@importing.command("clique", cls=Command)
def import_clique(
    nodes: Annotated[str, typer.Argument(help="The node table of the export.")],
    answer: Annotated[str, typer.Argument(help="What the solver printed; vertices from 0 or from 1.")],
    out: Annotated[Path, typer.Option(help="Solution file to write (JSON).")],
    instance: Annotated[str | None, typer.Option(help="Check colours and count the score with this instance.")] = None,
    graph: Annotated[str | None, typer.Option(help="Check the clique against this graph file.")] = None,
    start: StartOption = None,
    set_: InstanceOption = None,
    json: JsonOption = False,
) -> int:
    """Turn an external solver's clique back into a board, verified."""
    from matheur.engine.files import write_json
    from matheur.engine.problem_types import tool_of, with_tool
    from matheur.methods.clique import read_answer
    from matheur.methods.clique.formats import read_graph
    from matheur.running.loading import load_instance, load_solution, read_source

    inputs = {"the node table": nodes, "the answer": answer, "--instance": instance, "--graph": graph, "--start": start}
    check_outputs({"--out": out}, inputs)
    if set_ and instance is None:
        raise ConfigurationError("--set is for the instance. Maybe --instance?")
    kind: Any = None
    problem: Any = None
    options = reader_options(set_)
    if instance is not None:
        kind, problem = load_instance(instance, None, options)
    made_from = with_tool("nodes") if kind is None else [kind.name]
    tables = tool_of(made_from[0], "nodes")
    if tables is None:
        names = " and ".join(with_tool("nodes"))
        raise ConfigurationError(f"this is made from instances of {names} (not '{kind.name}')")
    table = tables.parse(read_source(nodes))
    known = None
    if graph is not None:
        file = read_graph(read_source(graph))
        known = file.graph
        if file.names is not None or known.n > len(table):
            raise InputError(f"its vertices are not the nodes 1 to {len(table)} of {nodes}", source=graph)
    found = read_answer(read_source(answer), graph=known, nodes=table)
    board = None
    if start is not None:
        if problem is None:
            raise ConfigurationError("--start needs --instance")
        board = load_solution(kind, problem, start)
    try:
        if problem is None:
            filled = table.to_board(found.vertices)
        else:
            size = {"rows": problem.instance.rows, "columns": problem.instance.columns}
            filled = table.to_board(found.vertices, board=board, **size)
    except ValueError as error:
        raise InputError(str(error), source=answer) from None
    solution = table.encode(filled)
    facts: dict[str, Any] = {"problem": made_from[0], "clique": len(found.vertices), "base": found.base}
    if problem is not None:
        evaluation = problem.evaluate(filled)
        facts |= {
            "instance": instance,
            "feasible": evaluation.feasible,
            "violations": list(evaluation.violations),
            "objective": evaluation.objective,
            "score": problem.score(evaluation.objective),
            "score_max": problem.score_max,
            **({"configuration": {"instance": options}} if options else {}),
        }
    write_json(out, {**facts, "solution": solution})
    if json:
        print_json({**facts, "out": str(out)})
    else:
        score = f", score {facts['score']} of {facts['score_max']}" if problem is not None else ""
        typer.echo(f"clique of {facts['clique']} vertices (counted from {found.base}){score}, written to {out}")
        for sentence in facts.get("violations", []):
            typer.echo(f"  {sentence}")
    return 0 if facts.get("feasible", True) else 1


@exporting.command("model", cls=Command)
def export_model(
    instance: Annotated[str, typer.Argument(help="An instance of a problem that has MILPs, or a linear program.")],
    out: Annotated[
        Path, typer.Option(help="File to write, M.lp or M.mps; compressed if it is M.mps.gz, M.mps.bz2 or M.mps.xz.")
    ],
    formulation: Annotated[
        str | None,
        typer.Option(
            help="Name of the model, as `matheur operators` lists them; the first one of the problem if missing."
        ),
    ] = None,
    all_variables: Annotated[
        bool, typer.Option("--all-variables", help="Also placements that the frame forbids, as in the paper's table 1.")
    ] = False,
    problem: ProblemOption = None,
    region: RegionOption = None,
    start: StartOption = None,
    form: FormatOption = None,
    complement: ComplementOption = None,
    weights: WeightsOption = None,
    set_: InstanceOption = None,
    json: JsonOption = False,
) -> None:
    """Write the MILP of an instance, or of a region of a board, as LP or MPS; a linear program as it is."""
    import dataclasses

    from matheur.engine.compression import ending_of
    from matheur.engine.files import write_packed
    from matheur.engine.operators import check_method, operator_class, operator_entries
    from matheur.engine.options import configure
    from matheur.engine.problem_types import tool_of
    from matheur.running.loading import load_instance
    from matheur.solvers.export import write_model

    check_outputs({"--out": out}, {"the instance": instance, "--start": start})
    problem, reading = graph_reading(problem, form, complement, weights)
    kind, found = load_instance(instance, problem, reading | reader_options(set_))
    forms = tool_of(found.name, "model_files")
    if forms is not None:
        given = {"--formulation": formulation, "--all-variables": all_variables, "--region": region, "--start": start}
        for name, option in given.items():
            if option:
                raise ConfigurationError(f"an instance of '{found.name}' is a model itself, so there is no {name}")
        say_assumptions(found, quiet=json)
        _write_form(forms, found, out)
        facts = {
            "problem": found.name,
            "instance": instance,
            "model": str(out),
            "variables": found.model.width,
            "constraints": found.model.height,
        }
        _say_model(facts, json=json)
        return
    known = [entry.name for entry in operator_entries(found.name, "model")]
    if not known:
        raise ConfigurationError(f"there is no MILP of a whole instance of '{found.name}'")
    formulation = formulation or known[0]
    maker = operator_class(found.name, "model", formulation)
    options: dict[str, Any] = {"all_variables": True} if all_variables else {}
    given = {"all_variables": all_variables, "cells": region or start}
    fields = {field.name for field in dataclasses.fields(maker)} if dataclasses.is_dataclass(maker) else set()
    for name, option in {"all_variables": "--all-variables", "cells": "--region and --start"}.items():
        if given[name] and name not in fields:
            raise ConfigurationError(f"models of '{found.name}' have no {option}")
    if "cells" in fields:
        cells, board = _surroundings(kind, found, region, start)
        options |= {} if cells is None else {"cells": cells, "board": board}
    make: Any = maker  # is_dataclass narrows Any
    made: Any = configure(make, options, formulation) if dataclasses.is_dataclass(maker) else make()
    check_method(made, "model", formulation)
    model, constant = made.build(found)
    with TemporaryDirectory(prefix="matheur-model-") as folder:
        draft = Path(folder, f"model{ending_of(out)}")
        write_model(model, draft)
        with draft.open("rb") as file:
            write_packed(out, iter(partial(file.read, 1 << 20), b""))
    facts = {
        "problem": found.name,
        "instance": instance,
        "model": str(out),
        "formulation": formulation,
        "variables": model.nvariables(),
        "constraints": model.nconstraints(),
        "constant": constant,
    }
    _say_model(facts, json=json)


def _write_form(forms: Mapping[str, Callable[[Any], Iterable[str]]], problem: Any, out: Path) -> None:
    """Write an instance that is itself a model, in the format given by the suffix of the file name."""
    from matheur.engine.compression import ending_of
    from matheur.engine.files import write_packed

    ending = ending_of(out)
    make = forms.get(ending)
    if make is None:
        raise ConfigurationError(f"no model format is called {ending!r}. {nearest(ending, forms)}")
    text = "".join(f"{line}\n" for line in make(problem)).encode()
    write_packed(existing_parent(out), text)


def _say_model(facts: Mapping[str, Any], *, json: bool) -> None:
    if json:
        print_json(facts)
    else:
        typer.echo(f"{facts['variables']} variables, {facts['constraints']} constraints, written to {facts['model']}")
