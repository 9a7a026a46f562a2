"""Occupancy against NVIDIA's own cuda_occupancy.h, whose answers are recorded in cuda_occupancy.txt."""

from pathlib import Path

import pytest
from warplens.analysis.gpu.occupancy import occupancy
from warplens.hwprofiles.loader import load_gpu

_RECORDED = (Path(__file__).parent / "cuda_occupancy.txt").read_text(encoding="utf-8")


def _tables() -> dict[str, list[tuple[int, int, list[int]]]]:
    tables: dict[str, list[tuple[int, int, list[int]]]] = {}
    rows: list[tuple[int, int, list[int]]] = []
    for line in _RECORDED.splitlines():
        if line.startswith(("#", "registers")):
            continue
        configuration, colon, blocks = line.partition(":")
        if not colon:
            rows = tables.setdefault(line, [])
            continue
        threads, shared = configuration.split()
        rows.append((int(threads), int(shared), [int(count) for count in blocks.split()]))
    return tables


_REGISTERS = next(
    [int(count) for count in line.split()[1:]] for line in _RECORDED.splitlines() if line.startswith("registers")
)


@pytest.mark.parametrize(("gpu_id", "rows"), _tables().items())
def test_blocks_equal_the_header(gpu_id: str, rows: list[tuple[int, int, list[int]]]) -> None:
    gpu = load_gpu(gpu_id)
    wrong = [
        (threads, registers, shared, expected, got)
        for threads, shared, row in rows
        for registers, expected in zip(_REGISTERS, row, strict=True)
        if (got := occupancy(gpu, threads, registers, shared).blocks_per_sm) != expected
    ]
    assert len(rows) == 13 * 12
    assert wrong == []
