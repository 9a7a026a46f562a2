"""How the analysis process starts: Python's garbage collector does not look until all is loaded.

What is imported stays, and looking through it again and again is an eighth of the time that loading takes.
"""

from __future__ import annotations

import gc
from importlib import import_module

if __name__ == "__main__":
    gc.disable()
    import_module("warplens.server.worker.child").main()
