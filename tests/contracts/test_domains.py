"""Every registered domain keeps the contracts of `matheur.testing.domain`."""

from __future__ import annotations

import pytest
from contracts.domains import BENCHES, Bench

from matheur.methods.statespace.domains import domains
from matheur.problems import problem_types
from matheur.testing import Contract, NotPromisedError
from matheur.testing.contract import hold
from matheur.testing.domain import CONTRACTS, DomainCase


def test_every_domain_is_here() -> None:
    """Each registered domain belongs to a problem and has a bench."""
    known = {*domains.names(), "pancakes"}
    assert {next(one for one in known if name.startswith(one)) for name in BENCHES} == known
    assert set(domains.names()) <= {*problem_types.names(), "cubical"}


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("bench", BENCHES.values(), ids=BENCHES.keys())
def test_every_contract_is_kept(bench: Bench, contract: Contract) -> None:
    """Every domain keeps each contract on small and large instances; the successors are compared."""
    try:
        hold(contract, DomainCase(bench.domain, bench.successors))
    except NotPromisedError as error:
        pytest.skip(str(error))
