"""The stand-in for a GPU: its made-up truth, the command that measures it, and raw results without it."""

import importlib.util
import json
import shutil
import sys
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path

import pytest
from warplens.server.cli import calibrate_gpu
from warplens.server.cli.main import main
from warplens.server.measure.calibration.gpu_program import GpuProgram
from warplens.server.programs.programs import ANYWHERE, Programs

HERE = Path(__file__).parent
UNCALIBRATED = HERE.parents[1] / "fixtures" / "profiles"
"""Where synthetic_gpu.py lies."""

_SPEC = importlib.util.spec_from_file_location("calibration_truth", HERE / "synthetic_gpu.py")
assert _SPEC is not None
assert _SPEC.loader is not None
_MODULE = importlib.util.module_from_spec(_SPEC)
sys.modules["calibration_truth"] = _MODULE
_SPEC.loader.exec_module(_MODULE)

Command = Callable[..., int]


def _stand_in_command(folder: Path, patch: pytest.MonkeyPatch) -> Command:
    patch.chdir(folder)
    patch.setenv("COLUMNS", "300")
    program = folder / "synthetic_gpu.sh"
    shutil.copy(HERE / "synthetic_gpu.py", folder / "synthetic_gpu.py")
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{folder}/synthetic_gpu.py" "$@"\n')
    program.chmod(0o755)

    def built(_folder: Path, _architecture: str, _programs: Programs) -> GpuProgram:
        return GpuProgram(program, "synthetic", "nvcc", ANYWHERE)

    patch.setattr(calibrate_gpu, "build_gpu_program", built)
    patch.setattr(calibrate_gpu, "miscompiled", lambda _program, _folder: {})

    def command(*arguments: str) -> int:
        try:
            return main(["calibrate", "gpu", "--color", "never", *arguments])
        except SystemExit as ended:
            return int(str(ended.code))

    return command


@pytest.fixture(scope="session")
def stand_in_command() -> Callable[[Path, pytest.MonkeyPatch], Command]:
    """Of a folder: the command in it, with the stand-in in place of what nvcc builds."""
    return _stand_in_command


@pytest.fixture
def updating(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command in a folder with an h100.toml that nobody calibrated and h200.toml: exit code, output, errors."""
    command = _stand_in_command(tmp_path, monkeypatch)
    for path in (UNCALIBRATED / "h100.toml", files("warplens.hwprofiles") / "gpu" / "nvidia" / "h200.toml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())

    def captured(*arguments: str) -> tuple[int, str, str]:
        code = command(*arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return captured


def _write_made_up_results(
    folder: Path,
    *,
    device: str = "NVIDIA H100 80GB HBM3",
    sm_count: int = 132,
    bandwidth_gb_per_s: float = 3010,
    chain: tuple[int, ...] = (283, 539, 1051),
    without: str = "",
) -> None:
    points: list[tuple[str, str, str, float, dict[str, float]]] = [
        ("device.properties", "sm_count", "count", sm_count, {}),
        ("device.properties", "memory_size", "bytes", 85e9, {}),
        ("device.properties", "warp_size", "count", 32, {}),
        ("device.properties", "l2_size", "bytes", 60e6, {}),
        ("device.sm_clock_mhz", "clock", "MHz", 1755, {"milliseconds": 500}),
        ("l2.latency_cycles", "latency", "cycles", 262, {"footprint_bytes": 4096}),
        ("l2.latency_cycles", "clock", "MHz", 1755, {"footprint_bytes": 4096}),
        ("dram.bandwidth_gb_per_s", "triad", "GB/s", bandwidth_gb_per_s, {"array_bytes": 1 << 30}),
        ("host.launch_interval_us", "interval", "s", 3.2e-5, {"launches": 10}),
        ("host.launch_interval_us", "interval", "s", 2.12e-4, {"launches": 100}),
    ]
    points += [
        ("instructions.fp32_add", "dependent", "cycles", cycles, {"links": 64 << at}) for at, cycles in enumerate(chain)
    ]
    lines: list[dict[str, object]] = [
        {"quantity": "device.properties", "series": series, "x": {}, "unit": "-", "text": text}
        for series, text in (("name", device), ("compute_capability", "9.0"))
    ]
    lines += [
        {"quantity": quantity, "series": series, "x": x, "unit": unit, "samples": [value]}
        for quantity, series, unit, value, x in points
    ]
    lines += [{"quantity": quantity, "done": True} for quantity in {str(line["quantity"]): None for line in lines}]
    head = {"version": 1, "device": device, "digest": "made up", "date": "2026-01-02"}
    kept = [head, *(line for line in lines if line["quantity"] != without)]
    (folder / "made-up.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in kept))


@pytest.fixture
def made_up_results(tmp_path: Path) -> Callable[..., None]:
    """Write made-up.jsonl: what a program could say of a few quantities; SYNTHETIC. `without` leaves one out."""
    return partial(_write_made_up_results, tmp_path)
