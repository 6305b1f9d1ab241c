"""Memory of proofs."""

from __future__ import annotations

import numpy as np

from matheur.engine import ProofMemory, proof_key


def test_a_key_covers_everything_it_is_made_of() -> None:
    """Operator, order, shape of the parts and every value change the key; equal content does not."""
    base = np.arange(6)
    keys = {
        proof_key("region", base, 1),
        proof_key("border", base, 1),
        proof_key("region", base, 2),
        proof_key("region", 1, base),
        proof_key("region", base[::-1], 1),
        proof_key("region", base[:3], base[3:], 1),
        proof_key("region", base, "1"),
        proof_key("region", base, b"1"),
        proof_key("region", base.astype(np.int16), 1),
    }
    assert len(keys) == 9
    assert proof_key("region", base.copy(), 1) in keys


def test_oldest_proofs_are_forgotten_first() -> None:
    """The memory is bounded, keeps the newest and reports each new proof once."""
    heard: list[str] = []
    memory = ProofMemory(2, heard.append)
    for key in ("a", "b", "b", "c"):
        memory.remember(key)
    assert memory.keys() == ["b", "c"]
    assert "a" not in memory
    assert len(memory) == 2
    assert heard == ["a", "b", "c"]


def test_restoring_is_silent_and_bounded() -> None:
    """A restored memory holds the newest keys that fit, without events."""
    heard: list[str] = []
    memory = ProofMemory(2, heard.append)
    memory.restore(["a", "b", "c"])
    assert memory.keys() == ["b", "c"]
    assert heard == []
