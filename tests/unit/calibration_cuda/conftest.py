"""The calibration program, built once for all tests of a run, and the disassembler from the virtual environment."""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest
from support.examples import is_nightly
from support.made_once import made_once
from support.nvidia_tools import nvidia_tools_on_path

ARCHITECTURES = ("sm_75", "sm_90", "sm_120")
"""The oldest, the newest, and one between them; by night the others too, which take the same instructions."""
MORE_ARCHITECTURES = ("sm_80", "sm_100")
SOURCES = Path(str(files("warplens.hwprofiles"))) / "calibrate" / "gpu"
_WARNINGS = ("--Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra")


@dataclass(frozen=True)
class Built:
    """The program, for which architectures it is, and what nvcc said."""

    program: Path
    architectures: tuple[str, ...]
    said: str


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("compiled")


@pytest.fixture(scope="session")
def gpu_sources() -> Path:
    return SOURCES


@pytest.fixture(scope="session")
def nvcc() -> str:
    found = shutil.which("nvcc")
    if found is None:
        pytest.skip("nvcc is not installed")
    return found


def _said(*command: str | Path, folder: Path) -> str:
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return (run.stdout + run.stderr).strip()


@pytest.fixture(scope="session")
def built(nvcc: str, tmp_path_factory: pytest.TempPathFactory) -> Built:
    known = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True).stdout.split()
    wanted = (*ARCHITECTURES, *(MORE_ARCHITECTURES if is_nightly() else ()))
    architectures = tuple(arch for arch in known if arch in wanted)
    targets = [f"-gencode=arch={arch.replace('sm', 'compute')},code={arch}" for arch in architectures]
    command = [nvcc, "-O3", "-std=c++17", "--threads", "2", *_WARNINGS, *targets, str(SOURCES / "calibrate_gpu.cu")]
    folder, said = made_once(
        "calibrate_gpu", lambda into: _said(*command, "-o", "calibrate_gpu", folder=into), tmp_path_factory
    )
    return Built(folder / "calibrate_gpu", architectures, said)


@pytest.fixture(scope="session")
def host_side(nvcc: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with a runtime that needs no GPU (fake_cuda_runtime.cpp); its host code looks for bad accesses."""

    def make(into: Path) -> str:
        compiled = [nvcc, "-c", "-std=c++17", "-Xcompiler", "-fsanitize=address,-fsanitize=undefined"]
        # No GPU runs the kernels: to optimise them takes a third of the time.
        target = ["--cudart", "none", "-gencode=arch=compute_80,code=compute_80", "-Xcicc", "-O0"]
        return "".join(
            (
                _said(*compiled, *target, SOURCES / "calibrate_gpu.cu", "-o", "program.o", folder=into),
                _said(*compiled, Path(__file__).with_name("fake_cuda_runtime.cpp"), "-o", "fake.o", folder=into),
                _said("g++", "-fsanitize=address,undefined", "program.o", "fake.o", "-o", "program", folder=into),
            )
        )

    folder, said = made_once("calibrate_gpu_host_side", make, tmp_path_factory)
    assert said == ""
    return folder / "program"


@pytest.fixture
def cuobjdump() -> Iterator[str]:
    with nvidia_tools_on_path():
        for tool in ("cuobjdump", "nvdisasm"):
            if shutil.which(tool) is None:
                pytest.skip(f"{tool} is not installed")
        yield "cuobjdump"
