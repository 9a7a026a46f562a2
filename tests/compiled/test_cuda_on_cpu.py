"""The GPU on the CPU finds each kind of defect that CUDA code can have, and has nothing against the code without it."""

import subprocess
from pathlib import Path

import pytest
from support.cuda_on_cpu.programs import CUDA_FLAGS, HERE, LINK_FLAGS, machine_object, on_cpu

FINE = {
    0: "a barrier",
    2: "both barriers of a tile that is filled again",
    4: "a barrier that all threads reach",
    7: "the last element of a shared array",
    9: "all elements of an array",
    12: "shared memory that is written first",
    14: "shuffles of a whole warp",
    15: "shuffles of part of a warp",
    18: "atomic additions of many blocks",
    27: "a number written whole and in part by one thread",
    29: "a value that a warp has read before one of its threads writes it",
}
READ, WRITTEN = "reads what another one writes", "writes what another one uses"
FOUND = {
    1: WRITTEN,
    3: READ,
    5: "a barrier that some threads of the block never reach",
    6: "threads of a block wait at different barriers",
    8: "out of bounds",
    10: "a kernel goes beyond an allocation",
    11: "a kernel uses memory of the host",
    13: "orders differ",
    16: "orders differ",
    17: "a thread is not in the mask of its own warp operation",
    19: READ,
    20: READ,
    21: "a failed call that nobody looked at",
    22: "a failed call that nobody looked at",
    23: "memory of the device that is never freed",
    24: "a failed call that nobody looked at",
    25: "a failed call that nobody looked at",
    26: "the host uses memory of the device",
    28: WRITTEN,
    30: WRITTEN,
    31: "another one",
}


@pytest.fixture(scope="module")
def defects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("defects")
    machine, said = machine_object()
    assert said == ""
    (folder / "defects_on_cpu.cc").write_text(on_cpu((HERE / "defects.cu").read_text()))
    for command in (
        ["g++", *CUDA_FLAGS, f"-I{folder}", "-c", str(HERE / "defects_main.cc"), "-o", "defects.o"],
        ["g++", *LINK_FLAGS, str(machine), "defects.o", "-o", "defects"],
    ):
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
    return folder / "defects"


@pytest.mark.parametrize("number", FINE, ids=FINE.get)
def test_code_that_is_right_runs(number: int, defects: Path) -> None:
    ran = subprocess.run([defects, str(number)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("number", FOUND)
def test_defects_are_found(number: int, defects: Path) -> None:
    ran = subprocess.run([defects, str(number)], capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert FOUND[number] in ran.stderr
