"""The network of Cahlik and Surynek 2019 and the values that their paper prints, against what is run here."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from matheur.methods.learning import PRESETS, Encoding, NetworkSpec, TrainingOptions
from matheur.methods.learning.networks import initial
from matheur.methods.statespace.domains import domain_of
from matheur.problems.sliding_tile.problem_type import TYPE

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "experiments" / "ann_distance"


def rows(name: str) -> list[dict[str, str]]:
    """A table of the paper."""
    with (FOLDER / "paper" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def paper() -> dict[str, str]:
    """What the paper says of its network."""
    return {row["what"]: row["value"] for row in rows("network")}


@pytest.fixture(scope="module")
def spec() -> NetworkSpec:
    """The network of the preset for 4 x 4 tiles."""
    encoding = Encoding.of(domain_of(TYPE.builtin("4x4", {})))
    return NetworkSpec(encoding.units, 1, **PRESETS["ann-distance"])


def test_the_preset_is_the_network_of_the_paper(paper: dict[str, str], spec: NetworkSpec) -> None:
    """Layers, activation, batch normalisation and dropout."""
    assert (spec.inputs, spec.outputs, spec.blocks) == (int(paper["inputs"]), int(paper["outputs"]), 0)
    assert spec.hidden == tuple(map(int, paper["hidden"].split()))
    assert spec.activation == paper["activation"]
    assert spec.normalised == (paper["normalisation"] == "batch")
    assert (spec.dropout > 0) == paper["dropout"].startswith("used")
    assert TrainingOptions(method="labelled", network="ann-distance", starts=1.0).halving == 0


def test_weights_begin_as_in_the_paper(paper: dict[str, str], spec: NetworkSpec) -> None:
    """He, Zhang, Ren and Sun: variance 2 by the inputs of the layer; biases 0."""
    assert paper["initialisation"] == "he"
    arrays = initial(spec, np.random.default_rng(0))
    for number, inputs in enumerate((spec.inputs, *spec.hidden[:-1])):
        weight = arrays[f"hidden{number}.weight"]
        assert np.var(weight) == pytest.approx(2 / inputs, rel=0.1)
        assert not arrays[f"hidden{number}.bias"].any()


def test_a_step_of_the_training_is_that_of_the_paper(paper: dict[str, str]) -> None:
    """The loss is the mean square, and the moments after a step are those of Adam."""
    pytest.importorskip("jax")
    from matheur.methods.learning.learner import Learner

    assert (paper["loss"], paper["optimiser"]) == ("mean squared error", "adam")
    small = NetworkSpec(36, 1, **{**PRESETS["ann-distance"], "hidden": (8, 4)})
    rng = np.random.default_rng(0)
    states = rng.permuted(np.tile(np.arange(6, dtype=np.uint8), (50, 1)), axis=1)
    learner = Learner(small, initial(small, rng), Encoding((6,) * 6), loss="squares", rate=1e-3, seed=0)
    begin, losses = learner.state(), []
    for target in (0, 1, 2):
        learner.restore(begin)
        losses.append(learner.learn(states, np.full(50, target, dtype=np.float32)))
    assert losses[0] - 2 * losses[1] + losses[2] == pytest.approx(2, abs=1e-3)  # only squares of slope 1 have that
    numbers = [array for name, array in learner.state().items() if name.startswith("optimiser.")]
    count, *moments = numbers
    assert count == 1
    first, second = moments[: len(moments) // 2], moments[len(moments) // 2 :]
    for slope, square in zip(first, second, strict=True):
        np.testing.assert_allclose(square, 0.001 * (slope / 0.1) ** 2, rtol=1e-3, atol=1e-12)


def test_ratios_of_table_1_are_those_of_its_values() -> None:
    """The report prints each class of the paper's table with the ratio that its two numbers have."""
    page = (ROOT / "docs" / "results-neural.md").read_text(encoding="utf-8")
    printed = {
        name: (int(ann.replace(",", "")), int(nodes.replace(",", "")), float(ratio))
        for name, ann, nodes, ratio in re.findall(r"^\| (\w+) \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \|$", page, re.M)
    }
    table = {row["class"]: (int(row["ann"]), int(row["pdb78"])) for row in rows("table1")}
    assert list(table) == ["easy", "medium", "hard", "extreme"]
    ratios = {name: round(ann / nodes, 2) for name, (ann, nodes) in table.items()}
    assert ratios == {"easy": 0.53, "medium": 0.41, "hard": 0.35, "extreme": 0.11}
    assert {name: (*table[name], ratios[name]) for name in table} == {name: printed[name] for name in table}


def test_sizes_of_the_readme_are_those_of_the_scripts(paper: dict[str, str]) -> None:
    """The table of sizes says what the protocol has; `full` is the paper's, random boards alone."""
    text = (FOLDER / "protocol.py").read_text(encoding="utf-8")
    sizes = dict(re.findall(r'^    "([\w-]+)": Size\((.+)\),$', text, re.M))
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    lines = dict(re.findall(r"^\| `([\w-]+)` \| ([\d,]+)", readme, re.M))
    assert list(lines) == list(sizes) == ["smoke", "bench", "ann-distance", "full"]
    for name, line in sizes.items():
        assert int(lines[name].replace(",", "")) == int(line.split(",")[0].replace("_", ""))
    for name in ("ann-distance", "full"):
        assert '"ann-distance"' in sizes[name]
        assert "alone=True" in sizes[name]
    fields = sizes["full"].split(", ")
    assert int(fields[0]) == int(paper["boards of the training"])
    assert int(fields[5]) == int(paper["boards of the test"])
