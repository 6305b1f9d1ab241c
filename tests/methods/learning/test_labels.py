"""Labels: exact distances of all states on optimal plans, made anew or continued, and refused where they do not fit."""

import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.errors import ConfigurationError, InputError
from matheur.methods.learning import LabellingOptions, Labels, labelled_states, make_labels, read_labels, write_labels
from matheur.methods.learning.archive import Archive
from matheur.methods.learning.labels import starts_of
from matheur.methods.learning.sampling import ball
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.cubical import Cubical
from matheur.problems.cubical import Instance as Rings
from matheur.problems.lights_out import Instance, LightsOut
from matheur.problems.sliding_tile import Instance as Tiles
from matheur.problems.sliding_tile import SlidingTile
from matheur.problems.sliding_tile.problem_type import TYPE
from matheur.problems.sokoban.problem_type import TYPE as SOKOBAN


def exact(domain: Domain) -> dict[bytes, int]:
    """Distances of all states, by breadth-first search."""
    known = ball(domain, 10**6)
    return {key.tobytes(): int(one) for key, one in zip(known.keys, known.distances, strict=True)}


@pytest.mark.parametrize("heuristic", ["auto", "manhattan", "zero"])
def test_labels_are_exact_distances(domain: Domain, heuristic: str) -> None:
    """Of every state on every plan, whatever search has found it: the domain's own, or A*."""
    labels = make_labels(domain, 200, LabellingOptions(heuristic=heuristic), Budget(), 3)
    known, distances = labelled_states(domain, labels), exact(domain)
    assert len(labels) >= 200
    assert len(known.distances) == labels.lengths.sum() > 1000
    assert [distances[key.tobytes()] for key in known.keys] == known.distances.tolist()
    assert known.distances.min() == 1
    starts = [distances[key.tobytes()] for key in domain.packing.pack(labels.starts)]
    assert starts == labels.lengths.tolist()


def test_labelling_ends_where_no_search_finds_a_plan(tmp_path: Path) -> None:
    """With a limit of one node, no state gets a plan: an error, and no empty file."""
    file, drawn, domain = tmp_path / "labels.npz", [], domain_of(SlidingTile(Tiles(3, 3, (8, 7, 6, 5, 4, 3, 2, 1, 0))))
    with pytest.raises(ConfigurationError, match=r"1,000 states in a row: each search ended at its limit \(1 nodes\)"):
        make_labels(
            domain, 10, LabellingOptions(nodes=1), Budget(interrupt=lambda: len(drawn) > 20), 3, file=file,
            on_progress=drawn.append,
        )  # fmt: skip
    assert not file.exists()


def test_ctrl_c_keeps_what_was_made(domain: Domain, tmp_path: Path) -> None:
    """The first one ends the budget."""
    file = tmp_path / "labels.npz"
    made = make_labels(
        domain, 10**9, LabellingOptions(), Budget(), 3, file=file,
        on_progress=lambda _: signal.raise_signal(signal.SIGINT),
    )  # fmt: skip
    assert len(read_labels(file)) == len(made) > 0


def test_limits_hold_while_tables_are_built(domain: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that take longer than the budget leave no labels."""
    now = [0.0]

    def slow(heuristic: str, *, budget: Budget, memory: int, threads: int = 1) -> None:
        for _ in range(100):
            now[0] += 1
            budget.check()
        pytest.fail("the budget is over")

    monkeypatch.setattr(domain, "ida_star", slow)
    assert len(make_labels(domain, 1, LabellingOptions(), Budget(seconds=10, clock=lambda: now[0]), 0)) == 0
    assert now[0] < 20


def test_labels_of_other_puzzles() -> None:
    """A domain that cannot draw its states takes the ends of random walks."""
    lights = domain_of(LightsOut(Instance(3, 3, (True,) * 9)))
    labels = make_labels(lights, 50, LabellingOptions(longest=20), Budget(), 0)
    distances = exact(lights)
    assert [distances[key.tobytes()] for key in labelled_states(lights, labels).keys] == labelled_states(
        lights, labels
    ).distances.tolist()
    with pytest.raises(ConfigurationError, match="equal chances"):
        make_labels(lights, 1, LabellingOptions(walks=0.5), Budget(), 0)
    line = domain_of(SlidingTile(Tiles(1, 4, (1, 0, 2, 3))))
    with pytest.raises(ConfigurationError, match="two rows and two columns"):
        make_labels(line, 1, LabellingOptions(), Budget(), 0)
    assert make_labels(line, 1, LabellingOptions(walks=1.0, longest=3), Budget(), 0).lengths.max() <= 3
    with pytest.raises(ConfigurationError, match="must be reversible"):
        make_labels(domain_of(SOKOBAN.builtin("demo", {})), 1, LabellingOptions(), Budget(), 0)


def test_plans_of_many_moves(tmp_path: Path) -> None:
    """Moves from 256 on are kept as they are, in the labels and in their file, which is continued."""
    places = tuple(range(9))
    rings = domain_of(Cubical(Rings(5, 1, tuple("abcdefghi"), places, places)))
    assert rings.moves == 288
    file = tmp_path / "labels.npz"
    for plans in (150, 300):
        make_labels(rings, plans, LabellingOptions(longest=4), Budget(), 0, file=file)
    labels = read_labels(file)
    assert labels.moves.max() >= 256
    assert len(labels) == 400
    assert labelled_states(rings, labels).distances.max() == 4


def test_uniform_boards_can_be_solved(domain: Domain) -> None:
    """All 360 boards of 2 x 3 come, about equally often, and no others."""
    boards = domain.uniform(36_000, np.random.default_rng(0))  # type: ignore[attr-defined]
    found, counts = np.unique(domain.packing.pack(boards), return_counts=True)
    assert len(found) == 360
    assert {key.tobytes() for key in found} == set(exact(domain))
    assert 50 < counts.min() <= counts.max() < 150


def test_a_file_is_continued_as_if_there_had_been_no_break(domain: Domain, tmp_path: Path) -> None:
    """And refused if it was made in another way, or for another puzzle."""
    path = tmp_path / "labels.npz"
    whole = make_labels(domain, 500, LabellingOptions(), Budget(), 7)
    first = make_labels(domain, 150, LabellingOptions(), Budget(), 7, file=path)
    assert len(first) < len(whole)
    made = make_labels(domain, 500, LabellingOptions(), Budget(), 7, file=path)
    kept = read_labels(path)
    for one in (made, kept):
        for name in ("starts", "lengths", "moves"):
            np.testing.assert_array_equal(getattr(one, name), getattr(whole, name))
    again = make_labels(domain, 500, LabellingOptions(), Budget(iterations=0), 7, file=path)
    assert len(again) == len(whole)
    with pytest.raises(ConfigurationError, match="'seed' differs"):
        make_labels(domain, 600, LabellingOptions(), Budget(), 8, file=path)
    with pytest.raises(ConfigurationError, match=r"labels\.npz: these labels belong to 'sliding-tile 2x3', not to"):
        make_labels(domain_of(TYPE.builtin("3x3", {})), 600, LabellingOptions(), Budget(), 8, file=path)
    with pytest.raises(ConfigurationError, match="not to"):
        labelled_states(domain_of(TYPE.builtin("3x3", {})), kept)


def test_searches_may_be_limited(domain: Domain) -> None:
    """States whose search takes too long are left out, and counted."""
    labels = make_labels(domain, 20, LabellingOptions(heuristic="zero", nodes=50), Budget(), 0)
    assert labels.facts["left_out"] > 0
    distances = exact(domain)
    states = labelled_states(domain, labels)
    assert [distances[key.tobytes()] for key in states.keys] == states.distances.tolist()
    assert len(make_labels(domain, 20, LabellingOptions(), Budget(work=1), 0)) == 0


def test_parts_of_labels(domain: Domain) -> None:
    """The first plans and the others are all plans."""
    labels = make_labels(domain, 100, LabellingOptions(), Budget(), 0)
    head, tail = labels.first(30), labels.after(30)
    assert (len(head), len(tail)) == (30, len(labels) - 30)
    np.testing.assert_array_equal(np.concatenate([head.moves, tail.moves]), labels.moves)
    both = [labelled_states(domain, one).keys for one in (head, tail)]
    np.testing.assert_array_equal(np.concatenate(both), labelled_states(domain, labels).keys)


def test_starts_alone(domain: Domain, tmp_path: Path) -> None:
    """Without moves the lengths label the starts; sets of one goal are joined, others are refused."""
    labels = make_labels(domain, 100, LabellingOptions(), Budget(), 0)
    alone = Labels.joined([labels.first(30).alone(), labels.after(30).alone()])
    write_labels(tmp_path / "alone.npz", alone)
    for one in (alone, read_labels(tmp_path / "alone.npz")):
        known, distances = labelled_states(domain, one), exact(domain)
        assert (len(one), len(one.moves), one.states) == (len(labels), 0, labels.states)
        assert [distances[key.tobytes()] for key in known.keys] == known.distances.tolist()
        np.testing.assert_array_equal(known.distances, labels.lengths[labels.lengths > 0])
        np.testing.assert_array_equal(starts_of(one), np.arange(len(known.distances)))
    with pytest.raises(ConfigurationError, match="cannot be combined"):
        Labels.joined([labels, replace(labels, goal=labels.starts[0])])
    with pytest.raises(ConfigurationError, match="do not fit"):
        Labels.joined([labels, alone])


def test_bad_labels_are_refused(domain: Domain, tmp_path: Path) -> None:
    """Plans that are none, arrays of other shapes or types, files of something else."""
    labels = make_labels(domain, 20, LabellingOptions(), Budget(), 0)
    with pytest.raises(InputError, match=r"not possible|does not lead"):
        labelled_states(domain, replace(labels, moves=(labels.moves + 1).astype(np.uint8) % 4))
    with pytest.raises(InputError, match="does not lead"):
        labelled_states(
            domain, replace(labels, lengths=labels.lengths[:1] * 0, starts=labels.starts[:1], moves=labels.moves[:0])
        )
    with pytest.raises(InputError, match="not a state"):
        labelled_states(domain, replace(labels, starts=labels.starts + np.uint8(200)))
    with pytest.raises(ConfigurationError, match="do not fit"):
        replace(labels, moves=labels.moves[1:])
    path = tmp_path / "labels.npz"
    write_labels(path, labels)
    good = path.read_bytes()
    arrays, description = Archive("matheur-labels", 1, "a file of labels").read(path)
    bad = {"cut": good[: len(good) // 2], "text": b"hello", "empty": b""}
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    other = {key: value for key, value in description.items() if key not in ("format", "version", "checksum")}
    Archive("matheur-network", 1, "a model file").write(tmp_path / "model", arrays, other)
    Archive("matheur-labels", 1, "x").write(
        tmp_path / "double", {**arrays, "moves": arrays["moves"].astype(float)}, other
    )
    Archive("matheur-labels", 1, "x").write(tmp_path / "short", {**arrays, "moves": arrays["moves"][1:]}, other)
    Archive("matheur-labels", 2, "x").write(tmp_path / "newer", arrays, other)
    Archive("matheur-labels", 1, "x").write(tmp_path / "less", arrays, {})
    for name in (*bad, "model", "double", "short", "newer", "less", "missing"):
        with pytest.raises(InputError) as caught:
            read_labels(tmp_path / name)
        assert str(caught.value).startswith(str(tmp_path / name))
        assert "\n" not in str(caught.value)
    again = read_labels(path)
    assert isinstance(again, Labels)
    np.testing.assert_array_equal(again.moves, labels.moves)


def test_options_are_checked() -> None:
    """Values out of range are named; a heuristic that bounds nothing proves nothing."""
    for change in ({"longest": 0}, {"nodes": 0}, {"memory": 0}, {"walks": 1.5}):
        with pytest.raises(ConfigurationError):
            LabellingOptions(**change)  # type: ignore[arg-type]


def test_only_what_bounds_proves(domain: Domain) -> None:
    """A heuristic that may be too large is refused."""
    with pytest.raises(ConfigurationError, match="admissible"):
        make_labels(domain, 1, LabellingOptions(heuristic="sum(manhattan,manhattan)"), Budget(), 0)
