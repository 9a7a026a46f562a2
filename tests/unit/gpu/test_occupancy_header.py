"""Occupancy against NVIDIA's own cuda_occupancy.h (PyPI nvidia-cuda-runtime), compiled here, over many launches."""

import shutil
import subprocess
import sysconfig
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from warplens.analysis.gpu.launch.occupancy import occupancy, resident_blocks
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.loader import gpu_names, load_gpu

_THREADS = (1, 31, 33, 100, *range(32, 1025, 32), 1025)
_REGISTERS = (*range(16, 256, 4), 17, 33, 37, 57, 65, 129, 254, 255)
_SHARED_BYTES = (
    0,
    1,
    127,
    1000,
    4096,
    5000,
    9000,
    16384,
    24576,
    33000,
    49152,
    49153,
    65536,
    98304,
    101376,
    163840,
    232448,
)

_EVERY = 61
"""Of the launches that are asked for together, one in so many is asked for alone."""


def _by_capability() -> dict[str, list[Gpu]]:
    """GPUs that the header knows: compute capability 3.0 and later."""
    gpus: defaultdict[str, list[Gpu]] = defaultdict(list)
    for gpu in map(load_gpu, gpu_names()):
        if not gpu.compute_capability.startswith(("1.", "2.", "gfx")):
            gpus[gpu.compute_capability].append(gpu)
    return dict(gpus)


_GPUS = _by_capability()


@pytest.fixture(scope="module")
def header_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "a C compiler is needed: the front end's tests need one too"
    packages = Path(sysconfig.get_paths()["purelib"])
    headers = sorted(packages.glob("nvidia/*/include/cuda_occupancy.h"))
    assert headers, "the development dependencies install nvidia-cuda-runtime, which has cuda_occupancy.h"
    program = tmp_path_factory.mktemp("occupancy") / "occupancy_header"
    source = Path(__file__).parent / "occupancy_header.c"
    command = [compiler, "-O1", f"-I{headers[-1].parent}", str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    return program


@pytest.mark.parametrize("capability", _GPUS)
def test_blocks_equal_the_header(capability: str, header_program: Path) -> None:
    gpu = _GPUS[capability][0]
    most = gpu.occupancy.registers_max_per_thread  # 3.0 has 63, of which the header knows nothing
    launches = list(product(_THREADS, [count for count in _REGISTERS if count <= most], _SHARED_BYTES))
    asked = "".join(f"{threads} {registers} {shared}\n" for threads, registers, shared in launches)
    answered = subprocess.run(
        [header_program, capability.replace(".", "")], input=asked, capture_output=True, text=True, check=True
    )
    expected = [int(line) for line in answered.stdout.split()]
    threads, registers, shared_bytes = np.array(launches, dtype=np.int64).T
    got = resident_blocks(gpu, threads, registers, shared_bytes.astype(float), np.full(len(launches), np.inf))
    wrong = [case for case in zip(launches, expected, got.tolist(), strict=True) if case[1] != case[2]]
    assert wrong == []
    alone = [occupancy(gpu, *launch).blocks_per_sm for launch in launches[::_EVERY]]
    assert alone == expected[::_EVERY]
    assert len(set(expected)) > 10
    assert occupancy(gpu, 32, most + 1, 0).blocks_per_sm == 0


@pytest.mark.parametrize("capability", _GPUS)
def test_gpus_of_one_compute_capability_have_the_same_limits(capability: str) -> None:
    first, *others = _GPUS[capability]
    assert [gpu.id for gpu in others if gpu.occupancy != first.occupancy] == []
