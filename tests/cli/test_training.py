"""`matheur train`, and what it writes as a heuristic."""

from pathlib import Path

from cli.conftest import Command


def test_a_network_is_trained_and_used(matheur: Command, tmp_path: Path) -> None:
    """A few steps are enough for a search to finish."""
    out = tmp_path / "model.npz"
    arguments = ("train", "sliding-tile/3x3", "--steps", 20, "--longest", 30, "--batch", 200, "--out", out)
    facts = matheur(*arguments, "--json").json
    assert (facts["steps"], facts["samples"], facts["method"]) == (20, 4000, "davi")
    told = matheur(*arguments)
    assert told.code == 0
    assert "rank correlation" in told.err
    for name in ("batch-astar", "beam"):
        options = ("--construct", name, "--set", f"construction.heuristic={out}", "--work", 200_000)
        found = matheur("solve", "sliding-tile/3x3-farthest", *options, "--set", "neighbourhoods=[]", "--json").json
        assert found["objective"] is not None
        assert found["objective"] >= 31
    assert "FILE.npz" in matheur("train", "sliding-tile/3x3", "--out", tmp_path / "model.txt").err
    junk = tmp_path / "junk.npz"
    junk.write_bytes(b"junk")
    refused = matheur("solve", "sliding-tile/3x3", "--construct", "beam", "--set", f"construction.heuristic={junk}")
    assert refused.code == 2
    assert "not a model file" in refused.err
