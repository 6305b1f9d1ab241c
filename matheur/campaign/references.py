"""Best known values of instances, from a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matheur.engine.inputs import read_bytes
from matheur.errors import InputError

__all__ = ["Reference", "read_references"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A best known value: as an objective (minimised) or as a score (what the field reports)."""

    value: float
    kind: str


def read_references(path: Path | str) -> Mapping[str, Reference]:
    """Reference values by instance name.

    Parameters
    ----------
    path
        A CSV file with a header: a column `instance` and one of `objective` and `score`; other columns and rows
        without a value are left alone.

    Raises
    ------
    InputError
        With the line of what cannot be understood.
    """
    path = Path(path)
    try:
        with io.StringIO(read_bytes(path).decode("utf-8-sig"), newline="") as file:
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


def _number(text: str, path: Path, line: int) -> float:
    try:
        value = float(text)
        if value - value != 0:
            raise ValueError
    except ValueError:
        raise InputError(f"not a number ({text!r})", source=str(path), line=line) from None
    return int(value) if value.is_integer() else value
