"""The command `matheur train` and the use of trained networks."""

from pathlib import Path

import pytest
from cli.conftest import Command

pytestmark = pytest.mark.usefixtures("jax_cache")


def test_a_network_is_trained_and_used(matheur: Command, tmp_path: Path) -> None:
    """A network trained in a few steps can guide a search."""
    out = tmp_path / "model.npz"
    arguments = ("train", "sliding-tile/3x3", "--steps", 20, "--longest", 30, "--batch", 200, "--out", out)
    facts = matheur(*arguments, "--json").json
    assert (facts["steps"], facts["samples"], facts["method"]) == (20, 4000, "davi")
    told = matheur(*arguments)
    assert told.code == 0
    assert "rank correlation" in told.err
    for name in ("batch-astar", "beam"):
        options = ("--construction", name, "--set", f"construction.heuristic={out}", "--work", 200_000)
        found = matheur("solve", "sliding-tile/3x3-farthest", *options, "--set", "neighbourhoods=[]", "--json").json
        assert found["objective"] is not None
        assert found["objective"] >= 31
    assert "must end in .npz" in matheur("train", "sliding-tile/3x3", "--out", tmp_path / "model.txt").err
    junk = tmp_path / "junk.npz"
    junk.write_bytes(b"junk")
    refused = matheur("solve", "sliding-tile/3x3", "--construction", "beam", "--set", f"construction.heuristic={junk}")
    assert refused.code == 2
    assert "not a model file" in refused.err


LEVELS = "".join(
    f"; {number}\n######\n#@   #\n# $  #\n#{' ' * number}.{' ' * (3 - number)}#\n#    #\n######\n\n"
    for number in range(3)
)
OTHER = "#######\n#@ $ .#\n#     #\n#     #\n#######\n"


def test_sokoban_levels_of_a_file_or_folder_are_learnt_together(matheur: Command, tmp_path: Path) -> None:
    """A network learns from all levels with the size of the first one; walks have the default length."""
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels" / "a.txt").write_text(LEVELS)
    (tmp_path / "levels" / "b.txt").write_text(OTHER)
    (tmp_path / "levels" / "notes.md").write_text("# no level\n")
    out = tmp_path / "model.npz"
    arguments = ("--steps", 15, "--batch", 100, "--known", 500, "--out", out, "--json")
    facts = matheur("train", tmp_path / "levels", *arguments).json
    assert facts["domain"] == "sokoban boards 6x6"
    assert facts["longest"] == 150
    for construct in ("astar", "ida-star", "batch-astar", "beam"):
        options = ("--construction", construct, "--set", f"construction.heuristic={out}", "--work", 100_000, "--json")
        found = matheur("solve", f"{tmp_path}/levels/a.txt#2", *options, "--set", "neighbourhoods=[]").json
        assert found["objective"] is not None
    one = matheur("train", tmp_path / "levels" / "a.txt", *arguments, "--levels", 2).json
    assert one["domain"] == "sokoban boards 6x6"
    made = matheur("train", "sokoban/two-in-a-row", *arguments, "--levels", 3).json
    assert made["domain"] == "sokoban boards 5x9"
    other = ("--construction", "astar", "--set", f"construction.heuristic={out}")
    assert "not for" in matheur("solve", tmp_path / "levels" / "a.txt", *other).err


def test_folders_and_files_without_levels_are_refused(matheur: Command, tmp_path: Path) -> None:
    """One line names the folder or the file."""
    (tmp_path / "empty").mkdir()
    out = ("--out", tmp_path / "model.npz")
    assert "no instances of 'sokoban'" in matheur("train", tmp_path / "empty", *out).error
    assert "folder" in matheur("train", tmp_path / "empty", "--problem", "rubik", *out).error
    (tmp_path / "bad.txt").write_text(LEVELS + "######\n#  $.#\n######\n")
    assert "bad.txt:" in matheur("train", tmp_path / "bad.txt", *out).error


def test_a_policy_guides_a_beam(matheur: Command, tmp_path: Path) -> None:
    """A policy is trained and used on the command line; it is refused as a distance."""
    out = tmp_path / "policy.npz"
    matheur("train", "sliding-tile/3x3", "--method", "policy", "--steps", 20, "--batch", 200, "--out", out)
    options = ("--construction", "beam", "--set", f"construction.policy={out}", "--work", 100_000, "--json")
    found = matheur("solve", "sliding-tile/3x3", *options, "--set", "neighbourhoods=[]").json
    assert found["objective"] is not None
    refused = matheur("solve", "sliding-tile/3x3", "--construction", "astar", "--set", f"construction.heuristic={out}")
    assert "chooses moves" in refused.error


def test_labels_are_made_and_learnt_from(matheur: Command, tmp_path: Path) -> None:
    """A file of optimal plans is made and continued; a network learns from it, and a search uses the network."""
    labels, out = tmp_path / "labels.npz", tmp_path / "model.npz"
    arguments = ("label", "sliding-tile/3x3", "--out", labels)
    told = matheur(*arguments, "--plans", 100)
    assert told.code == 0
    assert "200 plans" in told.err
    facts = matheur(*arguments, "--plans", 300, "--json").json
    assert (facts["plans"], facts["seed"], facts["left_out"]) == (400, 0, 0)
    assert facts["states"] > 20 * facts["plans"]
    learn = ("train", "sliding-tile/3x3", "--method", "labelled", "--labels", labels, "--out", out)
    trained = matheur(*learn, "--steps", 60, "--batch", 200, "--halving", 50, "--network", "compact", "--json").json
    assert (trained["steps"], trained["network"], trained["labels"]["plans"]) == (60, "compact", 400)
    assert trained["error"] < 10
    options = ("--construction", "batch-astar", "--set", f"construction.heuristic={out}", "--work", 200_000)
    found = matheur("solve", "sliding-tile/3x3-farthest", *options, "--set", "neighbourhoods=[]", "--json").json
    assert found["objective"] >= 31
    assert "needs labels" in matheur(*learn[:4], "--out", out).error
    assert "takes no labels" in matheur("train", "sliding-tile/3x3", "--labels", labels, "--out", out).error
    assert "must end in .npz" in matheur("label", "sliding-tile/3x3", "--plans", 1, "--out", tmp_path / "x.txt").error
    assert "'seed' differs" in matheur(*arguments, "--plans", 500, "--seed", 1).error
    assert "not a file of labels" in matheur(*learn[:4], "--labels", out, "--out", tmp_path / "other.npz").error


def test_bootstrapping(matheur: Command, tmp_path: Path) -> None:
    """A few rounds of searches are run and reported."""
    arguments = ("train", "sliding-tile/3x3", "--method", "bootstrap", "--known", 1000, "--batch", 100)
    told = matheur(*arguments, "--steps", 100, "--every", 100, "--instances", 3, "--out", tmp_path / "m.npz")
    assert told.code == 0
    assert "walks of" in told.err
    facts = matheur(*arguments, "--steps", 1, "--weak", "manhattan", "--out", tmp_path / "m.npz", "--json").json
    assert (facts["updates"], facts["weak"]) == (1, "manhattan")
    assert "unknown heuristic" in matheur(*arguments, "--steps", 1, "--weak", "x", "--out", tmp_path / "m.npz").error


def test_pairs_of_tiles_are_learnt_and_guide_beams(matheur: Command, tmp_path: Path) -> None:
    """Values of pairs are trained, continued on a larger board and used; other puzzles are refused."""
    out, larger = tmp_path / "pairs.npz", tmp_path / "larger.npz"
    quick = ("--width", 30)
    facts = matheur(
        "train-pairs", "sliding-tile/3x3", *quick, "--patterns", 4, "--rounds", "20,30", "--out", out, "--json"
    ).json
    assert (facts["round"], facts["boards"], facts["seed"]) == (2, [20, 30], 0)
    told = matheur(
        "train-pairs",
        "sliding-tile/4x4",
        *quick,
        "--patterns",
        "5-5-5",
        "--rounds",
        10,
        "--begin",
        out,
        "--out",
        larger,
    )
    assert told.code == 0
    assert "round 1" in told.err
    options = ("--construction", "guided-beam", "--set", "construction.patterns=5-5-5", "--work", 50_000, "--json")
    used = ("--set", f"construction.values={larger}", "--set", "neighbourhoods=['guided-window']")
    window = (
        "--set",
        f"neighbourhood.guided-window.values={larger}",
        "--set",
        "neighbourhood.guided-window.patterns=5-5-5",
    )
    found = matheur("solve", "sliding-tile/4x4", *options, *used, *window).json
    assert found["objective"] is not None
    assert "are for 3x3" in matheur("solve", "sliding-tile/4x4", *options, "--set", f"construction.values={out}").err
    again = ("train-pairs", "sliding-tile/3x3", *quick, "--patterns", 4, "--rounds", 10, "--mean-with")
    mean = matheur(*again, out, "--seed", 1, "--out", tmp_path / "mean.npz", "--json").json
    assert [one["seed"] for one in mean["mean_of"]] == [1, 0]
    carried = matheur(*again, larger, "--out", tmp_path / "mean.npz", "--json").json
    assert [one["boards"] for one in carried["mean_of"]] == [[10], [10]]
    assert "not for 'rubik'" in matheur("train-pairs", "rubik/superflip", "--out", out).error
    assert (
        "numbers separated by commas" in matheur("train-pairs", "sliding-tile/3x3", "--rounds", "a", "--out", out).error
    )
    assert "must end in .npz" in matheur("train-pairs", "sliding-tile/3x3", "--out", tmp_path / "x.txt").error


def test_a_preset_has_the_options_of_the_paper(matheur: Command, tmp_path: Path) -> None:
    """Options on the command line override the preset; a preset without a training is refused."""
    out = tmp_path / "model.npz"
    few = ("--network", "small", "--batch", 20, "--steps", 2, "--known", 50, "--out", out, "--json")
    facts = matheur("train", "sliding-tile/3x3", "--preset", "paper", "--longest", 9, *few).json
    assert (facts["network"], facts["batch"], facts["longest"], facts["steps"]) == ("small", 20, 9, 2)
    assert (facts["clipped"], facts["threshold"], facts["check"], facts["patience"]) == (False, 0.05, 5000, 0)
    own = ("--no-clipped", "--depth", 2, "--threshold", 0.5, "--check", 7, "--patience", 11, "--longest", 9)
    facts = matheur("train", "sliding-tile/3x3", *own, *few).json
    assert (facts["clipped"], facts["depth"], facts["threshold"]) == (False, 2, 0.5)
    assert (facts["check"], facts["patience"], facts["updates"]) == (7, 11, 0)
    assert "Maybe one of: paper" in matheur("train", "sliding-tile/3x3", "--preset", "default", *few).error
