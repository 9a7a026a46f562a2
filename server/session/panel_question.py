"""A what-if that a panel of the client waits for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class PanelQuestion:
    """A question that is in front of the analysis process, or in it."""

    task: asyncio.Task[dict[str, Any]]
    has_begun: bool = False
    is_superseded: bool = False
