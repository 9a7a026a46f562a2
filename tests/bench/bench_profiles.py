"""How long loading profiles takes; printed, never asserted. Each figure is the median of fresh processes.

Run: python tests/bench/bench_profiles.py
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

_ROUNDS = 9
_PROGRAM = """
import sys
from time import perf_counter
from warplens.hwprofiles.loader import gpu_names, load_gpu
start = perf_counter()
for name in gpu_names() if sys.argv[1] == "all" else [sys.argv[1]]:
    load_gpu(name)
print(perf_counter() - start)
"""


def main() -> None:
    """One by its file's name, one by an alias that all files are searched for, all."""
    for what in ("a100", "NVIDIA GeForce RTX 5090", "all"):
        command = [sys.executable, "-c", _PROGRAM, what]
        times_s = [
            float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(_ROUNDS)
        ]
        print(f"{what}: {median(times_s) * 1e3:.1f} ms (slowest {max(times_s) * 1e3:.1f})")


if __name__ == "__main__":
    main()
