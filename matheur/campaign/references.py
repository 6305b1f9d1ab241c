"""Best known values of instances, from a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matheur.engine.inputs import read_bytes
from matheur.errors import InputError, shown

__all__ = ["Reference", "reached_at", "read_references"]

_NOISE = 1e-9  # relative; public tables have values such as 764771.99999978 or values truncated to two digits


@dataclass(frozen=True, slots=True)
class Reference:
    """A best known value: as an objective (minimised, or in the sense of the model) or as a score (what the field
    reports)."""

    value: float
    kind: str


def reached_at(reference: float, sense: str) -> float:
    """The score at which a reference counts as reached, with a tolerance for the last digits of printed decimals.

    Examples
    --------
    >>> reached_at(100, "min"), reached_at(99.5, "min") > 99.5, reached_at(99.5, "max") < 99.5
    (100, True, True)
    """
    if float(reference).is_integer():
        return reference
    room = _NOISE * max(1.0, abs(reference))
    return reference - room if sense == "max" else reference + room


def read_references(path: Path | str) -> Mapping[str, Reference]:
    """Reference values by instance name.

    Parameters
    ----------
    path
        Path of a CSV file with a header: a column `instance` and one of `objective` and `score`; other columns, and
        rows without a value, are ignored. Or a MIPLIB file with lines `=opt= NAME VALUE` and `=best= NAME VALUE`; other
        lines that begin with `=` have no value.

    Raises
    ------
    InputError
        If the file cannot be understood, with the line.
    """
    path = Path(path)
    try:
        text = read_bytes(path).decode("utf-8-sig")
        if text.lstrip().startswith("="):
            return _read_solu(text.splitlines(), path)
        with io.StringIO(text, newline="") as file:
            reader = csv.DictReader(file)
            columns = [name.strip() for name in reader.fieldnames or ()]
            reader.fieldnames = columns
            kinds = [name for name in ("objective", "score") if name in columns]
            if "instance" not in columns or len(kinds) != 1:
                wanted = "a column 'instance' and one of 'objective' and 'score'"
                raise InputError(f"needs {wanted} ({', '.join(columns)})", source=str(path), line=1)
            found: dict[str, Reference] = {}
            for row in reader:
                name, text = (row["instance"] or "").strip(), (row[kinds[0]] or "").strip()
                if not text:
                    continue
                if name in found:
                    raise InputError(f"'{name}' has two values", source=str(path), line=reader.line_num)
                found[name] = Reference(_number(text, path, reader.line_num), kinds[0])
            return found
    except OSError as error:
        raise InputError(f"cannot read ({error.strerror})", source=str(path)) from None
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        raise InputError(f"not a CSV file ({error})", source=str(path)) from None


def _read_solu(lines: Sequence[str], path: Path) -> Mapping[str, Reference]:
    found: dict[str, Reference] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or (words[0].startswith("=") and words[0] not in ("=opt=", "=best=")):
            continue
        if len(words) != 3:
            raise InputError(f"not a line '=opt= NAME VALUE' ({shown(line.strip())})", source=str(path), line=number)
        if words[1] in found:
            raise InputError(f"'{words[1]}' has two values", source=str(path), line=number)
        found[words[1]] = Reference(_number(words[2], path, number), "objective")
    return found


def _number(text: str, path: Path, line: int) -> float:
    try:
        value = float(text)
        if value - value != 0:
            raise ValueError
    except ValueError:
        raise InputError(f"not a number ({text!r})", source=str(path), line=line) from None
    return int(value) if value.is_integer() else value
