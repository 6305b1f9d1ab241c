"""`matheur warm`: ahead-of-time compilation of kernels."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from matheur.cli import completion
from matheur.cli.output import JsonOption, plain_console, print_json

if TYPE_CHECKING:
    from matheur.running.warming import Warmed

__all__ = ["warm"]


def warm(
    problem: Annotated[
        str | None, typer.Argument(help="Only kernels of this problem.", autocompletion=completion.problems)
    ] = None,
    json: JsonOption = False,
) -> int:
    """Compile the kernels of one problem, or of all, so that no later run on this machine has to.

    Every operator of a problem runs for a moment on built-in instances. What is compiled is kept on the disk; a second
    call finds it there.

    Examples:

      matheur warm

      matheur warm party
    """
    from matheur.compiling import compilation
    from matheur.engine import Interrupt
    from matheur.engine.problem_types import problem_types, working_types
    from matheur.running.warming import warm as warm_problem

    names = [problem_types.entry(problem).name] if problem else [entry.name for entry, _ in working_types()]
    done: list[Warmed] = []
    console = plain_console(stderr=True)
    with Interrupt() as interrupt, console.status("") as status:
        for name in names:
            if interrupt():
                break
            if not json:
                begun = compilation.compiled

                def show(run: str, begun: int = begun) -> None:
                    status.update(f"{run}, {compilation.compiled - begun} kernels compiled")

                done.append(warm_problem(name, interrupt=interrupt, progress=show))
                typer.echo(_said(done[-1]))
            else:
                done.append(warm_problem(name, interrupt=interrupt))
        code = 130 if interrupt() else 0
    if json:
        total = {key: sum(getattr(one, key) for one in done) for key in ("compiled", "loaded")}
        seconds = round(sum(one.compile_seconds for one in done), 3)
        rows = [{**dataclasses.asdict(one), "compile_seconds": round(one.compile_seconds, 3)} for one in done]
        print_json({"problems": rows, **total, "compile_seconds": seconds})
    return code


def _said(one: Warmed) -> str:
    found = f"{one.loaded} found on the disk"
    if not one.compiled:
        return f"{one.problem}: nothing to compile, {found}"
    kernels = "1 kernel" if one.compiled == 1 else f"{one.compiled} kernels"
    return f"{one.problem}: {kernels} compiled in {one.compile_seconds:.1f} s, {found}"
