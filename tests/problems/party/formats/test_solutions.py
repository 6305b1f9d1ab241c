"""Parties in JSON and in lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems.party.formats.example import PUZZLE, read
from problems.party.strategies import mutated

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.party import Party, read_solution

PROBLEM = Party(read(PUZZLE))


@pytest.mark.parametrize(
    "text",
    [
        '{"GK": "17", "RB": 8, "ANY": " 9 "}',
        '\ufeff {"ANY": "9", "GK": "17", "RB": "8"}',
        "GK,17\nRB,8\nANY,9\n",
        "slot,item\r\nGK,17\r\n\r\nANY , 9\r\nRB,8",
        "sep=;\r\nslot;item\r\nGK;17\r\nANY;9\r\nRB;8",
        'slot,id\n"GK","17"\nRB,8\nANY,9',
        'slot;id\n"GK";17\nRB;8\nANY;9',
        "GK\t17\rRB\t8\rANY\t9\r\x1a",
    ],
)
def test_forms_of_a_party(text: str) -> None:
    """Objects and lines, in any order, with or without a header."""
    party = read_solution(PROBLEM, Source("party", text.encode()))
    assert party.tolist() == [0, 4, 5]
    assert PROBLEM.encode(party) == {"GK": "17", "RB": "8", "ANY": "9"}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "nothing is in slot 'GK'"),
        ("[]", None, "a party is an object"),
        ('{"GK": "17"}', None, "nothing is in slot 'RB'"),
        ('{"GK": "17", "RB": "8", "ANY": "9", "LB": "5"}', None, "no slot is called 'LB'"),
        ('{"GK": "17", "RB": "8", "ANY": "99"}', None, "slot 'ANY': no item has the id '99'"),
        ('{"GK": "17", "RB": "8", "ANY": true}', None, "slot 'ANY': no item has the id 'True'"),
        ('{"GK": "17", "GK": "8"}', 1, "the key 'GK' appears twice"),
        ('{"GK": ', 1, "not JSON"),
        ("GK,17\nRB\n", 2, "a line of a party is 'slot,item' ('RB')"),
        ("GK,17\n\nGK,8\n", 3, "slot 'GK' appears twice"),
        ("GK,17\nLB,8\n", None, "no slot is called 'LB'"),
        ('GK,"17', 1, "not a party"),
        ("GK,17\nRB,8\nANY,99", None, "no item has the id '99'"),
    ],
)
def test_what_is_no_party(text: str, line: int | None, message: str) -> None:
    """Each mistake names the file, and the line where there is one."""
    with pytest.raises(InputError) as caught:
        read_solution(PROBLEM, Source("party", text.encode()))
    assert message in str(caught.value)
    assert (caught.value.source, caught.value.line) == ("party", line)


@given(st.one_of(st.binary(max_size=60), mutated(b'{"GK": "17", "RB": 8, "ANY": "9"}'), mutated(b"GK,17\nRB,8\nANY,9")))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    """Random bytes and damaged files are a party or an `InputError`."""
    try:
        party = read_solution(PROBLEM, Source("party", data))
    except InputError:
        return
    assert len(party) == 3
