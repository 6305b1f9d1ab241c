"""Table 1 of Cahlík and Surynek 2019 as a campaign; the scripts of this folder make the figures.

    python experiments/ann_distance/run.py table1 --size smoke       # A* with the network and with databases
    python experiments/ann_distance/run.py network --size smoke      # labels and training of the network in the figures
    python experiments/ann_distance/run.py figure3 --size smoke

`table1` of the sizes `bench` and `full` needs the test boards as files: `instances.py`. The campaign can be continued
after an interruption, and so can the scripts. They append to `results/`, or to `scratch/` for the size `smoke`.
"""

from __future__ import annotations

from pathlib import Path

from matheur.cli.experiment import experiment

SCRIPTS = {
    "network": ["labels.py", "training.py"],
    "figure2": ["labels.py"],
    "figure3": ["errors.py"],
    "figure4": ["errors.py"],
    "figure5": ["searches.py"],
    "figure6": ["searches.py"],
    "bootstrapping": ["bootstrapping.py"],
    "relative": ["relative.py"],
}

if __name__ == "__main__":
    experiment(Path(__file__).resolve().parent, str(__doc__), scripts=SCRIPTS)
