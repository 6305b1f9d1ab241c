"""Memory of what has been proved, keyed by everything that the proof depends on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

__all__ = ["ProofMemory", "proof_key"]


def proof_key(operator: str, *parts: NDArray[np.generic] | bytes | int | str) -> str:
    """Name a subproblem by its content: a digest of the operator's name and of all that its proof depends on."""
    digest = blake2b(operator.encode(), digest_size=16)
    for part in parts:
        data = np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class ProofMemory:
    """A bounded set of proved subproblems; the oldest are forgotten first.

    A key (see `proof_key`) covers the content of the subproblem and of its border, so that a change of either
    makes another key and the proof no longer applies: nothing ever has to be invalidated.

    Parameters
    ----------
    capacity
        Number of proofs kept.
    on_proof
        Called with the key of each new proof.
    """

    def __init__(self, capacity: int = 200_000, on_proof: Callable[[str], None] | None = None) -> None:
        self._capacity = capacity
        self._keys: OrderedDict[str, None] = OrderedDict()
        self.on_proof = on_proof

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def remember(self, key: str) -> None:
        """Store a proof."""
        if key in self._keys:
            return
        self._keys[key] = None
        if len(self._keys) > self._capacity:
            self._keys.popitem(last=False)
        if self.on_proof is not None:
            self.on_proof(key)

    def keys(self) -> list[str]:
        """All keys, oldest first, for a checkpoint."""
        return list(self._keys)

    def restore(self, keys: list[str]) -> None:
        """Take the keys of a checkpoint, without events."""
        self._keys = OrderedDict.fromkeys(keys[-self._capacity :])
