"""How the analysis process starts: Python's garbage collector looks seldom until all is loaded.

What is imported stays, and looking through it again and again is an eighth of the time that loading takes.
"""

from __future__ import annotations

import gc
from importlib import import_module

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Never to look would save no more time and cost 6 MB."""

if __name__ == "__main__":
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    import_module("warplens.server.worker.child").main()
