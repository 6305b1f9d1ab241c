"""Announcements of long preparations."""

from __future__ import annotations

import logging

import pytest

from matheur.engine.announcing import announce, listening


def test_listeners_hear_what_is_announced(caplog: pytest.LogCaptureFixture) -> None:
    """Only while they listen; nothing is written anywhere else unless logging is set up to."""
    told: list[tuple[str, float]] = []
    announce("before", 0.5)
    with listening(lambda name, share: told.append((name, share))):
        announce("table", 0.25)
        with listening(lambda name, share: told.append((name, -share))):
            announce("table", 1.0)
    announce("after", 0.5)
    assert sorted(told) == [("table", -1.0), ("table", 0.25), ("table", 1.0)]
    with caplog.at_level(logging.INFO):
        announce("shown", 0.5)
    assert "shown: 50 %" in caplog.text
