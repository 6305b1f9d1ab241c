"""Heuristics by name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from contracts.domains import Pancakes
from hypothesis import given
from hypothesis import strategies as st

from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics import (
    Heuristic,
    file_and_options,
    file_named,
    heuristic_by_name,
    heuristic_names,
    maximum,
    pattern_databases,
    total,
    zero,
)
from matheur.methods.statespace.heuristics.patterns import walk_states
from matheur.problems.cubical.domain import CubicalDomain

DOMAIN = CubicalDomain(4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1])
KEYS = walk_states(DOMAIN, 50, np.random.default_rng(0))


@pytest.mark.parametrize("spec", ["zero", "hamming", "pattern-database", "pattern-database(bits=8)"])
def test_single_names(spec: str) -> None:
    """Each name gives its heuristic."""
    packed = {
        "zero": zero,
        "hamming": DOMAIN.hamming,
        "pattern-database": lambda: pattern_databases(DOMAIN),
        "pattern-database(bits=8)": lambda: pattern_databases(DOMAIN, bits=8),
    }
    found = heuristic_by_name(DOMAIN, spec)
    assert (found.estimate(KEYS) == packed[spec]().estimate(KEYS)).all()
    assert found.admissible


def test_combined_and_nested_names() -> None:
    """`max` and `sum` take any names, spaces do not matter."""
    hamming, small = DOMAIN.hamming(), pattern_databases(DOMAIN, [(0, 1), (1, 2)], symmetric=False)
    expected = total(DOMAIN.packing, [zero(), maximum(DOMAIN.packing, [hamming, small])])
    found = heuristic_by_name(DOMAIN, "sum( zero, max(hamming ,pattern-database(patterns=0.1+1.2, symmetric=no) ) )")
    assert (found.estimate(KEYS) == expected.estimate(KEYS)).all()
    assert not found.admissible
    assert found.name.startswith("sum(zero,max(hamming,pattern-database(0.1+1.2")


def test_the_least_of_several() -> None:
    """`min` takes any names, too."""
    found = heuristic_by_name(DOMAIN, "min(hamming, pattern-database)")
    parts = [heuristic_by_name(DOMAIN, name).estimate(KEYS) for name in ("hamming", "pattern-database")]
    assert (found.estimate(KEYS) == np.minimum(*parts)).all()
    assert found.admissible


def test_options_as_keywords() -> None:
    """Options of the outermost name may come as keywords."""
    found = heuristic_by_name(DOMAIN, "pattern-database", bits=8, symmetric=False)
    assert (
        found.estimate(KEYS) == heuristic_by_name(DOMAIN, "pattern-database(bits=8,symmetric=no)").estimate(KEYS)
    ).all()


def test_symmetric_look_ups_are_on_by_default() -> None:
    """They help here, so that they are used."""
    plain = heuristic_by_name(DOMAIN, "pattern-database(bits=8,symmetric=no)").estimate(KEYS)
    default = heuristic_by_name(DOMAIN, "pattern-database(bits=8)").estimate(KEYS)
    assert (default >= plain).all()
    assert (default > plain).any()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "haming",
            "unknown heuristic 'haming'. Maybe 'hamming'? Known: hamming, max, min, pattern-database, sum, zero",
        ),
        ("pdb", "unknown heuristic 'pdb'. Maybe one of: hamming, max"),
        ("max(hamming,zeroo)", "'zeroo'. Maybe 'zero'?"),
        ("net.npz", "unknown heuristic 'net.npz'"),
        ("max", "takes heuristics"),
        ("max()", "cannot read"),
        ("max(hamming", "not closed"),
        ("max(hamming zero)", "not closed"),
        ("hamming)", "cannot read"),
        ("", "cannot read"),
        ("(", "cannot read"),
        ("zero(hamming)", "not made of others"),
        ("zero(bits=3)", "no option 'bits'"),
        ("max(hamming,bits=3)", "takes heuristics"),
        ("pattern-database(bit=3)", "no option 'bit'. Maybe 'bits'?"),
        ("pattern-database(bits=many)", "not a number"),
        ("pattern-database(bits=-1)", "not a number"),
        ("pattern-database(bits=)", "cannot read"),
        ("pattern-database(symmetric=perhaps)", "neither yes nor no"),
        ("pattern-database(patterns=0.x)", "not a number"),
        ("pattern-database(patterns=0.9)", "components 0 to 4"),
        ("max(" * 30 + "zero" + ")" * 30, "cannot read"),
    ],
)
def test_what_cannot_be_read_is_one_clear_error(spec: str, message: str) -> None:
    """Each mistake is named."""
    with pytest.raises(ConfigurationError) as caught:
        heuristic_by_name(DOMAIN, spec)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["net.npz", "my nets/net 1.npz", "nets (1)/a,b=c (2).npz", "net.npz(1).npz"])
def test_a_file_may_have_any_name(name: str, tmp_path: Path) -> None:
    """Blanks, brackets, commas and equals signs belong to the name of a file that exists; options follow it."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    asked = []

    def files(domain: Domain, name: str, options: Mapping[str, str]) -> Heuristic:
        asked.append((name, dict(options)))
        return zero()

    for options in ({}, {"less": "1", "cache": "2"}):
        spec = str(path) + (f"({', '.join(f'{key}={value}' for key, value in options.items())})" if options else "")
        heuristic_by_name(DOMAIN, spec, files=files)
        assert asked[-1] == file_and_options(spec) == file_named(spec) == (str(path), options)
    heuristic_by_name(DOMAIN, "max( zero,  my nets/net.npz(cache=0) ,other.npz)", files=files)
    assert asked[-2:] == [("my nets/net.npz", {"cache": "0"}), ("other.npz", {})]
    assert file_named("max(my nets/net.npz)") is None
    assert file_named("learnt(method=davi)") is None


@given(st.text(alphabet="max(),=zero 0.1+-bits", max_size=30))
def test_any_text_is_a_heuristic_or_an_error(spec: str) -> None:
    """Nothing else comes out of any text."""
    with suppress(ConfigurationError):
        assert heuristic_by_name(DOMAIN, spec).estimate(KEYS).shape == (50,)


def test_memory_is_shared_by_the_parts() -> None:
    """Tables of all parts together stay within the limit."""
    spec = "max(pattern-database(patterns=0.1.2),pattern-database(patterns=1.2.3))"
    assert heuristic_by_name(DOMAIN, spec, memory=8192).memory == 8192
    with pytest.raises(ConfigurationError, match="4096 bytes, 4095 are allowed"):
        heuristic_by_name(DOMAIN, spec, memory=8191)


def test_the_names_of_a_domain() -> None:
    """Its own names come first; a domain without projections still has the others."""
    assert list(heuristic_names(DOMAIN)) == ["hamming", "zero", "pattern-database", "max", "min", "sum"]
    assert list(heuristic_names(Pancakes(5))) == ["zero", "pattern-database", "max", "min", "sum"]
    assert heuristic_by_name(Pancakes(5), "zero").estimate(Pancakes(5).packing.pack([[0, 1, 2, 3, 4]])).tolist() == [0]
    with pytest.raises(ConfigurationError, match="no projections"):
        heuristic_by_name(Pancakes(5), "pattern-database")
