"""What nvidia-smi says of the GPU, before the steps and while they run. Without it nothing is said."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from statistics import median
from typing import Any

_FIELDS = (
    "name",
    "driver_version",
    "vbios_version",
    "power.limit",
    "clocks.max.sm",
    "clocks.max.mem",
    "ecc.mode.current",
)
_SAMPLED = ("clocks.sm", "clocks.mem")
_LIMIT_S = 5.0
_EVERY_MS = 500


def first_gpu() -> str:
    """The GPU that programs see as their first, as nvidia-smi counts them (CUDA_DEVICE_ORDER=PCI_BUS_ID)."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0] or "0"


def stated() -> dict[str, str]:
    """Properties by nvidia-smi's names; empty where it does not answer."""
    nvidia_smi = shutil.which("nvidia-smi")
    if nvidia_smi is None:
        return {}
    command = [nvidia_smi, "-i", first_gpu(), f"--query-gpu={','.join(_FIELDS)}", "--format=csv,noheader"]
    try:
        said = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_LIMIT_S, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return dict(zip(_FIELDS, (value.strip() for value in said.split(",")), strict=False))


class Clocks:
    """Samples the clocks in a process of its own until it is closed."""

    def __init__(self) -> None:
        nvidia_smi = shutil.which("nvidia-smi")
        self._samples: list[tuple[float, tuple[float, ...]]] = []
        self._process: subprocess.Popen[str] | None = None
        if nvidia_smi is not None:
            command = [
                nvidia_smi,
                "-i",
                first_gpu(),
                f"--query-gpu={','.join(_SAMPLED)}",
                "--format=csv,noheader,nounits",
            ]
            try:
                self._process = subprocess.Popen(
                    [*command, "-lms", str(_EVERY_MS)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    errors="replace",
                )
            except OSError:
                return
            threading.Thread(target=self._read, daemon=True).start()

    def between(self, start: float, end: float) -> dict[str, Any] | None:
        """Least, median and most in MHz between two times of the monotonic clock; None without a sample."""
        found = [values for at, values in self._samples if start <= at <= end]
        if not found:
            return None
        return {
            name: [min(values), median(values), max(values)]
            for name, values in zip(_SAMPLED, zip(*found, strict=True), strict=True)
        }

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                values = tuple(float(value) for value in line.split(","))
            except ValueError:
                continue
            if len(values) == len(_SAMPLED):
                self._samples.append((time.monotonic(), values))
