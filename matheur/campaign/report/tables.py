"""Tables of a report as CSV for programs and as LaTeX for papers."""

from __future__ import annotations

import csv
import io
import re
import unicodedata

from matheur.campaign.report.document import Cell, Table

__all__ = ["escape_latex", "write_csv", "write_latex"]

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "–": "--", "∞": r"$\infty$", "…": r"\dots{}",
    "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
}  # fmt: skip
_DASH = re.compile("-(?=-)")  # LaTeX would turn two hyphens into a dash
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LONG = 50  # number of rows beyond which a table may break across pages


def write_csv(table: Table) -> str:
    """Write all rows with a header: numbers in full, shares as fractions, missing values as empty cells.

    Text that a spreadsheet would read as a formula gets a leading apostrophe.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    for row in table.rows:
        writer.writerow([_plain(cell.value) for cell in row])
    return file.getvalue()


def _plain(value: int | float | str | None) -> str:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return "" if value is None else repr(value)


def escape_latex(text: str) -> str:
    """Escape a text for LaTeX; characters without a glyph in pdfTeX become question marks.

    Examples
    --------
    >>> print(escape_latex("50 % of_{x} $1"))
    50 \\% of\\_\\{x\\} \\$1
    """
    escaped = (_LATEX.get(c) or (c if c.isascii() or _latin(c) else "?") for c in text)
    return _DASH.sub("-{}", "".join(escaped)) if "--" in text else "".join(escaped)


def _latin(c: str) -> bool:
    return c.isalpha() and unicodedata.name(c, "").startswith("LATIN")


def write_latex(table: Table) -> str:
    r"""Write the table for a paper in the style of booktabs (long ones as longtable). Needs `\usepackage{booktabs}`."""
    letters = "".join("r" if column.numeric else "l" for column in table.columns)
    head = " & ".join(escape_latex(column.name) for column in table.columns)
    rows = [" & ".join(map(_cell, row)) for row in table.rows]
    environment = "longtable" if len(rows) > _LONG else "tabular"
    lines = [
        f"% {' '.join(table.title.split()).encode('ascii', 'replace').decode()}",
        f"\\begin{{{environment}}}{{{letters}}}",
        "\\toprule",
        f"{head} \\\\",
        "\\midrule",
    ]
    lines += ["\\endhead"] if environment == "longtable" else []
    lines += [f"{row} \\\\" for row in rows]
    return "\n".join([*lines, "\\bottomrule", f"\\end{{{environment}}}"]) + "\n"


def _cell(cell: Cell) -> str:
    escaped = escape_latex(cell.text)
    if isinstance(cell.value, int | float) and escaped.startswith("-"):
        escaped = f"$-${escaped[1:]}"
    return f"\\textbf{{{escaped}}}" if cell.mark == "good" and escaped else escaped
