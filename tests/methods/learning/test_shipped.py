"""Networks that come with matheur: each is described, found by the word `learnt`, and knows more than a simple rule."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from matheur.engine.registration import built_in
from matheur.errors import ConfigurationError
from matheur.methods.learning import Use, learnt_heuristic, shipped_model
from matheur.methods.learning.model_file import Output
from matheur.methods.learning.sampling import walks
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.searching import heuristic_of
from matheur.problems.sliding_tile import Instance as Tiles
from matheur.problems.sliding_tile import SlidingTile
from matheur.running.loading import load_instance

FOLDERS = [one.trained for one in built_in().values() if one.trained.is_dir()]
FILES = {
    "rubik-quarter-distances.npz": "rubik/demo",
    "sliding-tile-4x4-distances.npz": "sliding-tile/4x4",
    "sliding-tile-4x4-davi.npz": "sliding-tile/4x4",
    "sliding-tile-4x4-policy.npz": "sliding-tile/4x4",
    "lights-out-7x7-policy.npz": "lights-out/all-7x7",
    "sokoban-10x10-distances.npz": "sokoban/random-10x10",
}
BYTES_MAX = 5_000_000


def domain(name: str) -> Domain:
    """Of a built-in instance."""
    return domain_of(load_instance(name)[1])


def output_of(file: str) -> Output:
    """What a file says by its name."""
    return "policy" if file.endswith("policy.npz") else "distance"


def test_all_files_are_named_here_and_described() -> None:
    """Each with its row in the README, and small."""
    there = {one.name: len(one.read_bytes()) for folder in FOLDERS for one in folder.glob("*.npz")}
    assert set(FILES) == {name for name in there if not name.endswith("-pairs.npz")}
    assert max(there.values()) <= BYTES_MAX
    text = "".join((folder / "README.md").read_text(encoding="utf-8") for folder in FOLDERS)
    assert [name for name in there if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize(("file", "name"), FILES.items())
def test_each_is_found_by_its_puzzle(file: str, name: str) -> None:
    """By moves and goal; and says how it was made."""
    model = shipped_model(domain(name), output_of(file))
    assert model.output == output_of(file)
    assert {"method", "seed", "steps", "samples", "date"} <= set(model.training)


def test_where_none_comes_it_is_said() -> None:
    """With what there is."""
    with pytest.raises(ConfigurationError, match=r"no network \(policy\) for .*rubik.* only for .*lights-out 7x7"):
        shipped_model(domain("rubik/demo"), "policy")
    with pytest.raises(ConfigurationError, match=r"`matheur train INSTANCE --out FILE\.npz`"):
        shipped_model(domain("lights-out/all-7x7"), "actions")


def test_a_network_is_chosen_by_the_method_of_its_training() -> None:
    """The one of the paper's method, where it comes with matheur."""
    tiles = domain("sliding-tile/4x4")
    methods = [shipped_model(tiles, "distance", one).training["method"] for one in (None, "labelled", "davi")]
    assert methods == ["labelled", "labelled", "davi"]
    own = domain("sokoban/random-10x10")
    assert shipped_model(own, "distance", "davi") is shipped_model(own, "distance")
    with pytest.raises(ConfigurationError, match=r"no network \(distance by walks\) for .*sokoban.* only for .*rubik"):
        shipped_model(own, "distance", "walks")
    for method, found in (("davi", "network davi"), (None, "network davi")):
        name = "learnt" if method is None else f"learnt(method={method},less=1)"
        assert heuristic_of(own, name, memory=1 << 20).name == found
    with pytest.raises(ConfigurationError, match="distance by walks"):
        heuristic_of(own, "learnt(method=walks)", memory=1 << 20)


def test_distances_of_tiles_are_nearer_than_the_taxicab(data: Path) -> None:
    """Boards whose optima are known."""
    with (data / "state_space" / "deepcubea_puzzle15_test.csv").open() as file:
        rows = list(csv.DictReader(file))[:200]
    boards = np.array([list(map(int, row["tiles"].split())) for row in rows], dtype=np.uint8)
    exact = np.array([int(row["optimal_len"]) for row in rows])
    own = domain_of(SlidingTile(Tiles(4, 4, tuple(boards[0].tolist()), "blank-last")))
    keys = own.packing.pack(boards)
    found = learnt_heuristic(own, shipped_model(own, "distance")).estimate(keys)
    simple = own.heuristics()["manhattan"]().estimate(keys)
    assert np.abs(found - exact).mean() < 2.5
    assert np.corrcoef(found, exact)[0, 1] > 0.9 > np.corrcoef(simple, exact)[0, 1]
    lowered = learnt_heuristic(own, shipped_model(own, "distance"), Use(less=3)).estimate(keys)
    assert (found - lowered == 3).all()


def test_the_least_of_a_board_and_its_mirror_image_counts() -> None:
    """By both engines; where there are no symmetries it is said."""
    own = domain("sliding-tile/4x4")
    model, rng = shipped_model(own, "distance"), np.random.default_rng(0)
    states = own.packing.unpack(walks(own, 20, 60, rng).keys)
    symmetries = own.automorphisms()
    assert symmetries is not None
    mirrored = np.array([symmetries.images(state)[1] for state in states])
    alone = learnt_heuristic(own, model, Use(less=1))
    both = [alone.estimate(own.packing.pack(one)) for one in (states, mirrored)]
    assert (both[0] != both[1]).any()
    for engine in ("compiled", "jax"):
        found = learnt_heuristic(own, model, Use(less=1, images=2, engine=engine)).estimate(own.packing.pack(states))
        assert (found == np.minimum(*both)).mean() > 0.99  # single precision may round the other way
    with pytest.raises(ConfigurationError, match="has 2 images of a state"):
        learnt_heuristic(own, model, Use(images=3))
    cube = domain("rubik/demo")
    with pytest.raises(ConfigurationError, match="has 1 images of a state"):
        learnt_heuristic(cube, shipped_model(cube, "distance"), Use(images=2))


def test_less_is_for_distances_alone() -> None:
    """What is taken off must be a number that makes sense."""
    own = domain("lights-out/all-7x7")
    policy = shipped_model(own, "policy")
    with pytest.raises(ConfigurationError, match="less and images are options of networks of distances"):
        Use(less=1).applied(policy)
    for text in ("-1", "many", "nan"):
        with pytest.raises(ConfigurationError, match="less must be"):
            Use.from_texts({"less": text})
    for text in ("0", "two", "49"):
        with pytest.raises(ConfigurationError, match="images must be"):
            Use.from_texts({"images": text})
    assert Use().applied(policy) is policy
