"""Copies over PCIe against published times by size (pcie_copies.csv)."""

import csv
from pathlib import Path
from typing import get_args

import pytest
from warplens.analysis.models.offload.transfer_time import TransferDirection, transfer_time_s
from warplens.hwprofiles.loader import load_gpu

_MEGABYTE = 1_000_000


def _measured() -> dict[tuple[str, str], dict[int, float]]:
    """Seconds by size, of each GPU and direction."""
    text = (Path(__file__).parent / "pcie_copies.csv").read_text(encoding="utf-8")
    found: dict[tuple[str, str], dict[int, float]] = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        size = int(row["size_bytes"])
        found.setdefault((row["gpu"], row["direction"]), {})[size] = size / (float(row["gb_per_s"]) * 1e9)
    return found


_TIMES = _measured()


@pytest.mark.parametrize("gpu", ["p100_pcie", "a100_pcie_40"])
@pytest.mark.parametrize("direction", get_args(TransferDirection))
@pytest.mark.parametrize("size_bytes", [_MEGABYTE, 64 * _MEGABYTE, 100 * _MEGABYTE, 1000 * _MEGABYTE])
def test_copies_take_what_was_measured(gpu: str, direction: TransferDirection, size_bytes: int) -> None:
    times = _TIMES[gpu, direction]
    if size_bytes in times:
        expected = times[size_bytes]
    else:  # 64 MB lie between two sizes that were measured
        low, high = times[10 * _MEGABYTE], times[100 * _MEGABYTE]
        expected = low + (high - low) * (size_bytes - 10 * _MEGABYTE) / (90 * _MEGABYTE)
    assert transfer_time_s(size_bytes, load_gpu(gpu).host, direction) == pytest.approx(expected, rel=0.10)
