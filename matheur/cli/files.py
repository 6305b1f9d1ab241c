"""`matheur verify`, `show` and `generate`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from matheur.cli.output import (
    ComplementOption,
    FormatOption,
    GeneratorOption,
    InstanceOption,
    JsonOption,
    ProblemOption,
    SeedOption,
    WeightsOption,
    existing_parent,
    graph_reading,
    print_json,
    reader_options,
    say_assumptions,
)
from matheur.cli.pool import show_pool, url_of
from matheur.errors import ConfigurationError, InputError, OperatorError, SolverError, printable

if TYPE_CHECKING:
    from matheur.engine.problem_type import ProblemType

__all__ = ["generate", "show", "verify"]

_PRINTED = 1e-5  # relative tolerance, since some solvers print six digits
_KINDS = {".svg": "svg", ".png": "png", ".html": "html", ".htm": "html", ".txt": "text"}


def verify(
    instance: Annotated[
        str, typer.Argument(help="The instance; or, alone, a result file that names it, or a file with both.")
    ],
    solution: Annotated[
        str | None, typer.Argument(help="A result file, or a solution in any format of the field.")
    ] = None,
    problem: ProblemOption = None,
    format: FormatOption = None,  # noqa: A002
    complement: ComplementOption = None,
    weights: WeightsOption = None,
    set_: InstanceOption = None,
    certificate: Annotated[
        bool, typer.Option("--certificate", help="Prove the claimed bound or infeasibility again.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Recompute a solution independently; exit 0 if it is valid, 1 with the reasons if not.

    With --certificate the claimed optimum, bound or infeasibility is proved again by another method.
    """
    from matheur.engine import Remarking, Reporting
    from matheur.engine.outcome import violations_of
    from matheur.engine.own_terms import in_own_terms
    from matheur.running.certifying import contradictions
    from matheur.running.loading import (
        assumptions_of,
        claims_of,
        file_of,
        load_solution,
        options_of_result,
        read_source,
        refuse_cut,
    )

    problem, reading = graph_reading(problem, format, complement, weights)
    options = reading | reader_options(set_)
    if solution is None:
        named = _named_by(instance, problem, options, "before it") or _holding(instance, problem, options)
        if named is None:
            if instance == "-" or file_of(instance) is not None:
                refuse_cut(read_source(instance))
            raise InputError("not a result file that names its instance. Maybe a solution is missing?", source=instance)
        solution, (instance, kind, found, options) = instance, named
    else:
        options = {**options_of_result(solution), **options}
        kind, found = _instance_of(instance, problem, options, solution)
    claims = claims_of(solution)
    facts: dict[str, Any] = {"problem": found.name, "instance": instance}
    if options:
        facts["options"] = options
    if assumed := assumptions_of(found):
        facts["assumptions"] = list(assumed)
    if certificate and claims.get("status") == "infeasible" and claims["solution"] is None:
        violations: list[str] = []
        sentence = "the file says that there is no solution"
    else:
        answer = load_solution(kind, found, solution)
        evaluation = found.evaluate(answer)
        score = found.score(evaluation.objective)
        violations = [*violations_of(found, evaluation), *contradictions(found, answer, evaluation.objective, claims)]
        objective = in_own_terms(found, evaluation.objective)
        facts |= {"objective": objective, "score": score, "score_max": found.score_max}
        of = "" if found.score_max is None else f" of {found.score_max}"
        sentence = f"score {score}{of}, objective {objective}"
        remark = found.remark(answer) if isinstance(found, Remarking) else None
        if isinstance(found, Reporting):
            facts |= found.report(answer)
        stated = _other_objective(kind, solution, objective)
        if stated is not None:
            facts["stated_objective"] = stated
        if remark is not None:
            facts["remark"] = remark
            sentence = f"{sentence} ({remark})"
    proof, none, interrupted = None, "", False
    if certificate and not violations:
        proof, refuted, none, interrupted = _second_proof(found, claims)
        violations += refuted
    if json:
        facts = {**facts, "valid": not violations, "violations": violations}
        said: dict[str, Any] = {"certificate": proof, **({"no_second": none} if none else {})}
        said |= {"interrupted": True} if interrupted else {}
        print_json({**facts, **said} if certificate else facts)
    else:
        if options:
            typer.echo(f"read with {', '.join(f'{key} = {value!r}' for key, value in options.items())}")
        say_assumptions(found)
        typer.echo(f"{'not valid' if violations else 'valid'}: {sentence}")
        for violation in violations:
            typer.echo(f"  {printable(violation)}")
        if facts.get("stated_objective") is not None:
            typer.echo(f"note: the file says objective {facts['stated_objective']}. Maybe it leaves a constant out?")
        if interrupted:
            typer.echo("interrupted before the second proof was finished")
        elif proof is not None:
            typer.echo(f"confirmed: {', '.join(f'{key} {value}' for key, value in proof.items())}")
        elif certificate and not violations:
            typer.echo(f"no second proof: {none}" if none else "the file claims no bound to be proved again")
    return 130 if interrupted else 1 if violations else 0


def _other_objective(kind: ProblemType, solution: str, objective: int | float) -> float | None:
    """The objective that another program's solution file states, if it differs from the true one; else None."""
    from matheur.engine.problem_type import Stating
    from matheur.running.loading import claims_of, read_source

    if not isinstance(kind, Stating) or claims_of(solution):
        return None
    stated = kind.stated_objective(read_source(solution))
    return None if stated is None or abs(stated - objective) <= _PRINTED * max(1.0, abs(objective)) else stated


def _second_proof(problem: Any, claims: dict[str, Any]) -> tuple[dict[str, Any] | None, list[str], str, bool]:
    """The second proof of a file's claim, refutations of it, why there is no proof, and whether it was interrupted."""
    from matheur.engine import Interrupt
    from matheur.running.certifying import NoSecondProofError, first_method, proved_claim, second_proof

    claim = None if claims.get("solution") is None else proved_claim(problem, claims)
    if claim is None and claims.get("status") != "infeasible":
        return None, [], "", False
    first = first_method(claims.get("certificate"), claims.get("solver", claims.get("method")))
    with Interrupt() as interrupt:
        try:
            return second_proof(problem, claim, first=first, interrupt=interrupt), [], "", False
        except OperatorError as error:
            return None, [str(error)], "", False
        except NoSecondProofError as error:
            return None, [], str(error), False
        except SolverError:
            if not interrupt():
                raise
            return None, [], "", True


def show(
    file: Annotated[str, typer.Argument(help="An instance, a result, a solution of --instance, or a pool's folder.")],
    instance: Annotated[str | None, typer.Option(help="The instance that the solution belongs to.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write a picture, X.svg, X.png or X.html, or the solution, X.json.")
    ] = None,
    url: Annotated[bool, typer.Option("--url", help="Print the URL of a viewer that shows the solution.")] = False,
    problem: ProblemOption = None,
    format: FormatOption = None,  # noqa: A002
    complement: ComplementOption = None,
    weights: WeightsOption = None,
    set_: InstanceOption = None,
    json: JsonOption = False,
) -> None:
    """Draw an instance or a solution, in the terminal or into a file; list the elites of a pool.

    Of a pool, --out and --url are about the best elite, and --json prints all.
    """
    from matheur.engine.outputs import keep_apart
    from matheur.running.harvesting import pool_name
    from matheur.running.loading import file_of, load_solution, options_of_result

    problem, reading = graph_reading(problem, format, complement, weights)
    options = reading | reader_options(set_)
    if out is not None:
        keep_apart(
            {"--out": out}, {"the file that is shown": file_of(file), "--instance": instance and file_of(instance)}
        )
    write = None if out is None else partial(_draw, out=out)
    folder = pool_name(file)
    if folder is not None:
        show_pool(folder, instance, problem, options, draw=write, url=url, json=json)
        return
    if json:
        raise ConfigurationError("--json is for the folder of a pool. Maybe 'matheur verify' for a solution?")
    of_result = _named_by(file, problem, options, "with --instance") if instance is None else None
    if of_result is not None:
        name, kind, found, options = of_result
    else:
        name = instance or file
        if instance is not None:
            options = {**options_of_result(file), **options}
        kind, found = _instance_of(name, problem, options, file)
    say_assumptions(found)
    # A URL is an instance that contains a board; a file of pieces is drawn without a solution.
    has_solution = instance is not None or of_result is not None or file.lower().startswith(("http:", "https:"))
    answer = load_solution(kind, found, file) if has_solution else None
    if url:
        if answer is None:
            raise ConfigurationError("--url needs a solution. Maybe a result file, or --instance?")
        typer.echo(url_of(kind, found, answer))
    if write is not None:
        write(kind, found, answer, name, options)
    elif not url:
        typer.echo(kind.picture(found, answer, "text").decode().rstrip("\n"))


def _draw(kind: Any, found: Any, answer: Any, name: str, options: Mapping[str, Any], *, out: Path) -> None:
    """Write a picture, or a solution as a result file, by the suffix of the file name."""
    from matheur.engine.compression import ending_of
    from matheur.engine.files import write_atomic, write_json
    from matheur.engine.own_terms import in_own_terms

    if ending_of(out) == ".json":
        if answer is None:
            raise ConfigurationError(
                "a '.json' file holds a solution, and there is none. Maybe a result file, or --instance?"
            )
        evaluation = found.evaluate(answer)
        content = {
            "problem": found.name,
            "instance": name,
            "objective": in_own_terms(found, evaluation.objective),
            "score": found.score(evaluation.objective),
            "score_max": found.score_max,
            "feasible": evaluation.feasible,
            "configuration": {"instance": dict(options)},
            "solution": found.encode(answer),
        }
        write_json(existing_parent(out), content)
    else:
        picture = _KINDS.get(out.suffix.lower())
        if picture is None:
            known = ", ".join([*_KINDS, ".json"])
            raise ConfigurationError(f"cannot draw a '{out.suffix}' file. Maybe one of: {known}.")
        write_atomic(existing_parent(out), kind.picture(found, answer, picture))
    typer.echo(f"written to {out}")


def _named_by(
    file: str, problem: str | None, options: dict[str, Any], how: str
) -> tuple[str, ProblemType, Any, dict[str, Any]] | None:
    """Name, type, problem and reader options of the instance that a result file names; None for any other file."""
    from matheur.running.loading import instance_of_result

    of_result = instance_of_result(file)
    if of_result is None:
        return None
    name, stored = of_result
    if name == "-" and _at_terminal():  # reading would wait for somebody to type the instance
        raise InputError(f"its instance came from standard input. Maybe name the instance {how}?", source=file)
    try:
        reading = {**stored, **options}
        return name, *_instance_of(name, problem, reading, file), reading
    except InputError as error:
        raise InputError(f"{error}. Maybe name the instance {how}?", source=file) from None


def _at_terminal() -> bool:
    """Whether standard input is a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def _holding(
    file: str, problem: str | None, options: dict[str, Any]
) -> tuple[str, ProblemType, Any, dict[str, Any]] | None:
    """The same for an instance whose file also contains a solution; None if it does not."""
    from matheur.engine.problem_type import Holding
    from matheur.running.loading import file_of, load_instance, read_source

    try:
        kind, found = load_instance(file, problem, options)
        if not isinstance(kind, Holding) or not kind.holds_solution(found, read_source(file)):
            return None
    except InputError:
        if file not in ("-", file_of(file)):  # a missing file, or a missing part of a file
            raise
        return None
    return file, kind, found, options


def _instance_of(name: str, problem: str | None, options: dict[str, Any], solution: str) -> tuple[ProblemType, Any]:
    """The instance of a solution. If its file does not prove the kind of problem, the result file determines it."""
    from matheur.engine.problem_types import problem_types
    from matheur.engine.recognition import Recognition
    from matheur.running.loading import claims, claims_of, load_instance, read_source

    claimed = None if problem is not None or solution == name else claims_of(solution).get("problem")
    if claimed in problem_types.names() and os.path.isfile(name):
        proved = Recognition.PROVED in claims(read_source(name)).values()
        problem = None if proved else str(claimed)
    return load_instance(name, problem, options)


def generate(
    problem: Annotated[str, typer.Argument(help="Problem type.")],
    out: Annotated[Path, typer.Option(help="Instance file; the hidden solution goes to FILE.solution.json.")],
    size: Annotated[str | None, typer.Option(help="Size, such as 8 or 6x12.")] = None,
    seed: SeedOption = 0,
    set_: GeneratorOption = None,
    json: JsonOption = False,
) -> None:
    """Make a random solvable instance, with its hidden solution in a side file."""
    from matheur.engine.compression import without_ending
    from matheur.engine.files import check_writable, write_json, write_packed
    from matheur.engine.options import set_dotted
    from matheur.engine.outputs import keep_apart
    from matheur.engine.streams import is_stream
    from matheur.running.configuration import assignments
    from matheur.running.loading import problem_type

    kind = problem_type(problem)
    if is_stream(out) or str(out) == "-":
        raise ConfigurationError(f"an instance needs a file: its solution goes next to it ({out})")
    options: dict[str, Any] = {} if size is None else {"size": size}
    for key, value in assignments(set_ or ()):
        set_dotted(options, key.removeprefix("instance."), value)
    made = kind.generate(options, seed)
    plain = Path(without_ending(str(out)))
    text, companions = made.named(plain.stem, plain.suffix.lower())
    side = out.with_name(out.name + ".solution.json")
    content = {existing_parent(out): text}
    content |= {existing_parent(out.with_name(name)): companion for name, companion in companions.items()}
    made_files = {"--out": out, "the solution": side, **{name: out.with_name(name) for name in companions}}
    keep_apart(made_files)
    for path in made_files.values():
        check_writable(path)
    for path, lines in reversed(content.items()):  # the instance last, since it names the other files
        write_packed(path, lines.encode())
    facts: dict[str, Any] = {"problem": problem, "instance": str(out), "score": made.score, "seed": seed}
    if made.options:
        facts["configuration"] = {"instance": dict(made.options)}
    write_json(side, {**facts, "solution": made.solution})
    beside = [str(out.with_name(name)) for name in companions]
    if json:
        answer = {"problem": problem, "instance": str(out), "solution": str(side), "score": made.score, "seed": seed}
        print_json({**answer, "companions": beside} if beside else answer)
    else:
        files = " and ".join([str(out), *beside])
        typer.echo(f"written to {files}, its hidden solution (score {made.score}) to {side}")
