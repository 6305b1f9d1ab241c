"""Options of readers and generators, for every kind of problem."""

from __future__ import annotations

from typing import Any

import pytest

from matheur.errors import ConfigurationError
from matheur.problems import problem_types
from matheur.problems.type_options import whole


@pytest.mark.parametrize("name", problem_types.names())
@pytest.mark.parametrize("key", ["sise", 1])
def test_an_unknown_option_of_a_generator_is_an_error(name: str, key: Any) -> None:
    """Whatever the type of its key."""
    with pytest.raises(ConfigurationError, match=f"option {key!r}"):
        problem_types.get(name).generate({key: 3}, 1)


@pytest.mark.parametrize("name", problem_types.names())
@pytest.mark.parametrize("seed", [-1, "1", True])
def test_a_seed_is_a_whole_number(name: str, seed: Any) -> None:
    """From 0."""
    with pytest.raises(ConfigurationError, match="the seed must be a whole number from 0"):
        problem_types.get(name).generate({}, seed)


def test_a_whole_number_may_be_a_text() -> None:
    """Of a few digits; anything else is an error with its value."""
    assert whole({"moves": "12"}, "moves") == whole({"moves": 12}, "moves") == 12
    assert whole({}, "moves") is None
    for wrong in ("12345678", "1.5", 1.5, True):
        with pytest.raises(ConfigurationError, match="moves must be a whole number"):
            whole({"moves": wrong}, "moves")
