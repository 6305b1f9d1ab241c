"""Estimates of the cost to the goal."""

from matheur.methods.statespace.heuristics.base import (
    INFINITE,
    REAL,
    UNREACHED,
    Heuristic,
    Lookup,
    largest_table_sum,
    table_sum,
    zero,
)
from matheur.methods.statespace.heuristics.combine import maximum, minimum, total
from matheur.methods.statespace.heuristics.databases import cached_tables, pattern_database, pattern_databases
from matheur.methods.statespace.heuristics.names import (
    LEARNT,
    file_and_options,
    file_named,
    heuristic_by_name,
    heuristic_names,
    leaves_of,
)
from matheur.methods.statespace.heuristics.patterns import partition
from matheur.methods.statespace.heuristics.tables import DistanceTable, distance_table

__all__ = [
    "INFINITE",
    "LEARNT",
    "REAL",
    "UNREACHED",
    "DistanceTable",
    "Heuristic",
    "Lookup",
    "cached_tables",
    "distance_table",
    "file_and_options",
    "file_named",
    "heuristic_by_name",
    "heuristic_names",
    "largest_table_sum",
    "leaves_of",
    "maximum",
    "minimum",
    "partition",
    "pattern_database",
    "pattern_databases",
    "table_sum",
    "total",
    "zero",
]
