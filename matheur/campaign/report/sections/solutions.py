"""Drawings of the best solutions."""

from __future__ import annotations

import math
import re

from matheur.campaign.instances import Found, problem_of
from matheur.campaign.report.document import Block, Paragraph, Picture, Section
from matheur.campaign.report.reading import Findings, Run, sources_of
from matheur.campaign.report.sections import cells
from matheur.campaign.report.words import counted, slug, visible
from matheur.engine.problem_types import problem_types
from matheur.errors import MatheurError

__all__ = ["solutions_section"]

_BYTES = 1_500_000  # maximum size of a picture
_BYTES_OF_ALL = 12_000_000
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2


def solutions_section(findings: Findings, *, most: int = 12) -> Section | None:
    """Best run of each instance, up to a maximum number of pictures."""
    blocks: list[Block] = []
    notes, left_out, size = [], 0, 0
    for instance, variants in findings.by_instance().items():
        best = min((run for runs in variants.values() for run in runs), key=lambda run: run.value)
        if not math.isfinite(best.value):
            continue
        if len(blocks) >= most or size > _BYTES_OF_ALL:
            left_out += 1
            continue
        try:
            svg = _drawn(findings, best)
        except MatheurError as error:
            notes.append(f"{visible(instance)} is not drawn: {visible(str(error))}")
            continue
        if len(svg) > _BYTES:
            notes.append(f"{visible(instance)} is not drawn: its picture would be too large.")
            continue
        size += len(svg)
        blocks.append(_picture(findings, best, svg, len(blocks) + 1))
    if left_out:
        notes.append(f"Solutions of {counted(left_out, 'further instance')} are left out.")
    if blocks and (notes or left_out):
        notes.append("'matheur show RESULT' draws the solution of any result file.")
    blocks += [Paragraph(note) for note in notes]
    return Section("solutions", "Best solutions", blocks) if blocks else None


def _drawn(findings: Findings, run: Run) -> bytes:
    """Picture of the solution of a run, drawn by its problem."""
    plan = findings.plan
    of = next(plan.instances[number] for key, number, *_ in plan.runs if key == run.record.key)
    problem = problem_of(Found(of.name, of.source, problem=of.problem, options=of.options))
    solution = problem.decode(run.record.load()["solution"])
    drawn = problem_types.get(of.problem).picture(problem, solution, "svg")
    return _FORBIDDEN.sub("\ufffd", drawn.decode("utf-8", "replace")).encode()


def _picture(findings: Findings, run: Run, svg: bytes, number: int) -> Picture:
    record = run.record
    score = cells.value(record.score).text + (f" of {cells.value(record.score_max).text}" if record.score_max else "")
    proved = ", proved optimal" if record.status == "optimal" else ""
    seconds = cells.duration(record.seconds).text
    note = f"Score {score}{proved}: {visible(record.variant)}, seed {record.seed}, {seconds} s."
    name = f"solution-{number}-{slug(record.instance)}"
    return Picture(name, visible(record.instance), svg, note, sources_of(findings, [run]))
