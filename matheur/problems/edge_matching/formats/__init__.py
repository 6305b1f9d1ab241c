"""Readers and writers of the file formats in use, one module per format.

`read_instance` and `read_board` recognise the format from the content; the writers are named after it.
"""

from matheur.problems.edge_matching.formats.brendan import write_brendan
from matheur.problems.edge_matching.formats.bucas import write_bucas
from matheur.problems.edge_matching.formats.bucas_url import MOTIFS_ORDERS
from matheur.problems.edge_matching.formats.claims import claim
from matheur.problems.edge_matching.formats.hints import read_hints, write_hints
from matheur.problems.edge_matching.formats.json_format import write_json
from matheur.problems.edge_matching.formats.mcgavin import write_mcgavin
from matheur.problems.edge_matching.formats.options import ReadOptions
from matheur.problems.edge_matching.formats.piece_list import write_piece_list
from matheur.problems.edge_matching.formats.placement import write_placement
from matheur.problems.edge_matching.formats.reader import read_board, read_instance

__all__ = [
    "MOTIFS_ORDERS",
    "ReadOptions",
    "claim",
    "read_board",
    "read_hints",
    "read_instance",
    "write_brendan",
    "write_bucas",
    "write_hints",
    "write_json",
    "write_mcgavin",
    "write_piece_list",
    "write_placement",
]
