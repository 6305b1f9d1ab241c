"""Table I and Figures 4 and 5 of Levonyan et al. 2023: the paper's genetic algorithms compared with ours.

    python experiments/party_building/run.py table1 --size smoke
    python experiments/party_building/run.py figure5 --size bench --jobs 2

Table I and Figure 5 are campaigns in `campaigns/`; repeat the command to continue an interrupted one. `figure4.py`
makes Figure 4, and `fronts.py` the comparison of demands with objectives. The puzzles of the paper's three types are
built in. For proofs and the public table of cards, see `proofs.py`; for diversity by generation, as in Figure 5, see
`figure5.py`.
"""

from __future__ import annotations

from pathlib import Path

from matheur.cli.experiment import experiment

SCRIPTS = {"figure4": ["figure4.py"], "fronts": ["fronts.py"]}

if __name__ == "__main__":
    experiment(Path(__file__).resolve().parent, str(__doc__), scripts=SCRIPTS)
