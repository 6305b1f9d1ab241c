"""Table I and Figures 4 and 5 of Levonyan et al. 2023: the paper's genetic algorithms beside ours.

    python experiments/party_building/run.py table1 --size smoke
    python experiments/party_building/run.py figure5 --size bench --jobs 2

Table I and Figure 5 are campaigns in `campaigns/`; the same command goes on where it stopped. Figure 4 is made by
`figure4.py`, the comparison of demands with objectives by `fronts.py`. The puzzles are built in, of the paper's three
types. Proofs and the public table of cards: `proofs.py`; diversity by generation, as in Figure 5: `figure5.py`.
"""

from __future__ import annotations

from pathlib import Path

from matheur.cli.experiment import experiment

SCRIPTS = {"figure4": ["figure4.py"], "fronts": ["fronts.py"]}

if __name__ == "__main__":
    experiment(Path(__file__).resolve().parent, str(__doc__), scripts=SCRIPTS)
