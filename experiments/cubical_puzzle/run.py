"""Tables 2, 4 and 5, Figures 7 and 8 and the outlook of Merleau et al. 2024: exact searches, evolution, Q-learning.

    python experiments/cubical_puzzle/run.py table2 --size bench
    python experiments/cubical_puzzle/run.py table4 --size full --jobs 2

Each table is a campaign in `campaigns/`; repeat the command to continue an interrupted one. All puzzles are built in.
`planners.py` covers the differences between the authors' code and their text (variants `published`, `fitted`).
"""

from __future__ import annotations

from pathlib import Path

from matheur.cli.experiment import experiment

if __name__ == "__main__":
    experiment(Path(__file__).resolve().parent, str(__doc__))
