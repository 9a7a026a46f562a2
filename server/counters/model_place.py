"""Where models lie that are shown beside loops, and how their names end."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(".warplens") / "counters"
SUFFIX = ".counters"
