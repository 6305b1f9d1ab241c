"""The workbench: solving in the browser, on this machine. Needs the extra `web` (Starlette, uvicorn)."""

from __future__ import annotations

from matheur.web.extra import need_web
from matheur.web.limits import Limits

__all__ = ["Limits", "need_web"]
