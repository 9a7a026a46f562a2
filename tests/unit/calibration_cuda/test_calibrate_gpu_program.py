"""The program builds for all architectures without a warning, and says what is wrong with how it is run."""

import os
import subprocess
from pathlib import Path

import pytest

NO_GPU_THERE = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}


def run(built, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [built.program, *arguments], capture_output=True, text=True, env=NO_GPU_THERE, check=False, timeout=120
    )


def test_it_builds_without_a_warning(built) -> None:
    assert built.said == ""
    assert built.program.exists()
    assert built.architectures


def test_list_has_every_file(built, gpu_sources: Path) -> None:
    listed = run(built, "list")
    assert listed.returncode == 0
    assert sorted(listed.stdout.split()) == sorted(
        f"{one.parent.name}.{one.stem}" for one in gpu_sources.glob("*/*.cu")
    )


@pytest.mark.parametrize("quantity", ["instructions.fp32_add", "host.context_init_ms", "device.properties"])
def test_without_a_gpu_it_says_so(built, quantity: str) -> None:
    answer = run(built, "run", quantity)
    assert (answer.returncode, answer.stdout) == (4, "")
    assert answer.stderr.startswith("there is no GPU that CUDA can use here: ")


@pytest.mark.parametrize(
    "arguments",
    [(), ("lists",), ("list", "all"), ("run",), ("run", "dram.latency_cycles", "--fast"), ("run", "--quick")],
)
def test_a_wrong_command_line_is_told_the_right_one(built, arguments: tuple[str, ...]) -> None:
    answer = run(built, *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr != ""


def test_an_unknown_quantity_is_named(built) -> None:
    answer = run(built, "run", "dram.latency")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "dram.latency" in answer.stderr
