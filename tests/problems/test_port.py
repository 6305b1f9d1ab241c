"""What is generated, under the names of its files."""

from __future__ import annotations

import pytest

from matheur.engine.problem_type import STEM, Generated


@pytest.mark.parametrize(
    ("stem", "file"), [("one", "one-cards.csv"), ('a b"c\\d', "a_b_c_d-cards.csv"), ("ünï.x", "ünï.x-cards.csv")]
)
def test_companions_are_named_after_the_instance(stem: str, file: str) -> None:
    """The instance speaks of them by the names that they get; characters that would need care are replaced."""
    made = Generated(f'{{"cards": "{STEM}-cards.csv"}}', None, 0, {f"{STEM}-cards.csv": "id"})
    assert made.named(stem) == (f'{{"cards": "{file}"}}', {file: "id"})


def test_most_instances_are_one_file() -> None:
    """Then nothing is replaced."""
    assert Generated(STEM, None, 0).named("one") == (STEM, {})
    forms = Generated("MPS", None, 0, forms={".lp": lambda: "LP"})
    assert [forms.named("one", ending)[0] for ending in ("", ".mps", ".lp")] == ["MPS", "MPS", "LP"]
