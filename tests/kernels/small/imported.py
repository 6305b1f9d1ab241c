"""Imported by an intrinsic while it is compiled."""

from __future__ import annotations

LATE = 10
