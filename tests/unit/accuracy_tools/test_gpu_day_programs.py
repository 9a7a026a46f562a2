"""The comparison programs of tests/accuracy/gpu_day: nvcc builds them, and what they compute is right, without a GPU.

A whole program runs on the CPU: by support/cuda_on_cpu, with what programs/on_cpu adds to it. There CUB, cuBLAS and
cuSPARSE are plain C and C++ that follow their documentation, and times are made up.
"""

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from ctypes.util import find_library
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from support.cuda_on_cpu.programs import CUDA_FLAGS, HERE, LINK_FLAGS, MACHINE_FLAGS, on_cpu
from support.made_once import made_once

FOLDER = Path(__file__).parents[2] / "accuracy" / "gpu_day" / "programs"
CALIBRATION = Path(str(files("warplens.hwprofiles"))) / "calibrate" / "gpu"
COMMANDS: dict[str, list[dict[str, Any]]] = tomllib.loads((FOLDER / "programs.toml").read_text(encoding="utf-8"))
NAMES = sorted(path.stem for path in FOLDER.glob("*.cu"))
RUNS = 2
MOST_BINS = 12288
ORDERS = ("1", "2")
VARIANTS = {
    "column_sums": ("thread per column", "32 columns x 256 rows per block"),
    "csr_product": ("thread per row", "warp per row", "cuSPARSE SpMV", "cuSPARSE SpMV, preprocessed"),
    "histogram": (
        "global atomics, uniform values", "copy per block, uniform values",
        "global atomics, equal values", "copy per block, equal values",
    ),
    "matrix_product": ("naive", "tiled 32x32", "tiled 32x32, 4 outputs per thread", "cuBLAS sgemm"),
    "matrix_vector": ("thread per row", "warp per row", "block per row", "cuBLAS sgemv"),
    "row_softmax": ("thread per row", "warp per row", "block per row"),
    "scan": ("CUB DeviceScan::InclusiveSum, uint32", "CUB DeviceScan::InclusiveSum, float"),
    "sort": ("CUB DeviceRadixSort::SortKeys", "CUB DeviceRadixSort::SortPairs"),
    "sum": ("atomic per thread", "atomic per block", "two passes", "CUB DeviceReduce::Sum"),
    "transpose": ("naive, coalesced loads", "naive, coalesced stores", "tile 32x32", "tile 32x33"),
}  # fmt: skip
SMALL = {
    "column_sums": ("n=300 m=45", "n=1 m=33"),
    "csr_product": ("n=67 m=50 mean_length=20 spread_percent=100", "n=300 m=9 mean_length=1 spread_percent=0"),
    "histogram": ("n=9001 bins=37", "n=300 bins=1000"),
    "matrix_product": ("n=35 m=40 k=33", "n=1 m=65 k=2"),
    "matrix_vector": ("n=37 m=71", "n=9 m=300", "n=1 m=1"),
    "row_softmax": ("n=37 m=71", "n=3 m=300"),
    "scan": ("n=3001",),
    "sort": ("n=3001",),
    "sum": ("n=9001", "n=5"),
    "transpose": ("n=45 m=70", "n=1 m=33"),
}
CHANGES = {
    "a barrier less": ("matrix_vector", "warp_reduction.cuh", "    __syncthreads();\n", ""),
    "another element of the tile": (
        "transpose",
        "transpose_kernels.cuh",
        "tile[x * stride + y]",
        "tile[y * stride + x]",
    ),
    "matrices in the wrong order": ("matrix_product", "cublas.cuh", "b, m, a, k, &zero", "a, m, b, k, &zero"),
    "counts that are not cleared": (
        "histogram",
        "histogram.cu",
        "CHECK(cudaMemsetAsync",
        "if (0) CHECK(cudaMemsetAsync",
    ),
}
_UNCHANGED: Mapping[str, Callable[[str], str]] = {}


def _said(*command: str | Path, folder: Path) -> str:
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return f"{' '.join(map(str, command))}: {run.stdout}{run.stderr}" if run.returncode or run.stderr else ""


def _built_once(name: str, make: Callable[[Path], str], factory: pytest.TempPathFactory) -> Path:
    """A folder of all processes of the run, filled once, without a word of a compiler."""
    folder, said = made_once(name, make, factory)
    assert said == ""
    return folder


def _for_cpu(text: str) -> str:
    """CUDA text as C++; what a launch gives a block as shared memory has the largest size instead."""
    return re.sub(r"extern __shared__ (\w+) (\w+)\[\]", rf"__shared__ \1 \2[{MOST_BINS}]", on_cpu(text))


def _build_on_cpu(
    name: str, machine: Path, folder: Path, changed: Mapping[str, Callable[[str], str]] = _UNCHANGED
) -> str:
    """What compilers say against a program that runs on the CPU, built in a folder; files' text may be `changed`."""
    sources = [FOLDER / f"{name}.cu", *FOLDER.glob("*.cuh"), *FOLDER.glob("*.h")]
    for path in (*sources, CALIBRATION / "check.cuh", CALIBRATION / "device_memory.cuh"):
        text = changed.get(path.name, str)(path.read_text(encoding="utf-8"))
        (folder / path.name).write_text(_for_cpu(text), encoding="utf-8")
    include = ("-I.", f"-I{FOLDER / 'on_cpu'}", *(flag for flag in CUDA_FLAGS if flag.startswith("-I")))
    flags = (*(flag for flag in CUDA_FLAGS if not flag.startswith("-I")), *include, f"-DGPU_DAY_RUNS={RUNS}")
    compiled = _said("g++", *flags, "-x", "c++", "-c", f"{name}.cu", "-o", "program.o", folder=folder)
    linked = ("g++", *LINK_FLAGS, "program.o", machine / "control.o", "-ldl", "-o", name)
    return compiled or _said(*linked, folder=folder)


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all programs on the CPU have in common: CUDA's threads, and libraries with the names that are opened."""

    def make(into: Path) -> str:
        control = ("g++", *MACHINE_FLAGS, "-c", HERE / "control.cc", "-o", "control.o")
        library = ("gcc", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra")
        return "".join(
            _said(*command, folder=into)
            for command in (
                control,
                (*library, FOLDER / "on_cpu" / "libcublas.c", "-o", "libcublas.so.13"),
                (*library, FOLDER / "on_cpu" / "libcusparse.c", "-o", "libcusparse.so.12"),
            )
        )

    return _built_once("gpu_day_machine", make, tmp_path_factory)


Build = Callable[[str], Path]


@pytest.fixture(scope="session")
def on_cpu_program(machine: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A program by its name, built when it is first asked for."""

    def built(name: str) -> Path:
        folder = _built_once(f"gpu_day_{name}", lambda into: _build_on_cpu(name, machine, into), tmp_path_factory)
        return folder / name

    return built


def run(program: Path, arguments: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0"} | environment
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, env=environment, check=False, timeout=100
    )


def lines_of(ran: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """What a program wrote: it was done, and its last line says so."""
    assert (ran.returncode, ran.stderr) == (0, "")
    *lines, last = map(json.loads, ran.stdout.splitlines())
    assert last == {"program": lines[0]["program"], "done": True}
    return lines


def test_every_program_is_run_and_tested() -> None:
    assert NAMES == sorted(COMMANDS) == sorted(VARIANTS) == sorted(SMALL)


@pytest.mark.parametrize("name", NAMES)
def test_command_lines_are_said_once_with_their_seconds(name: str) -> None:
    commands = COMMANDS[name]
    assert all(command.keys() == {"arguments", "estimated_s"} and command["estimated_s"] >= 1 for command in commands)
    assert len({command["arguments"] for command in commands}) == len(commands) > 1


def test_the_first_command_lines_take_less_than_25_seconds() -> None:
    assert sum(commands[0]["estimated_s"] for commands in COMMANDS.values()) < 25


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_plain_c_in_every_order_of_threads(
    name: str, on_cpu_program: Build, machine: Path
) -> None:
    for arguments in SMALL[name]:
        sizes = {key: int(value) for key, _, value in (said.partition("=") for said in arguments.split())}
        for order in ORDERS:
            ran = run(
                on_cpu_program(name), arguments.split(), GPU_DAY_ORDER=order, GPU_DAY_LIBRARIES=f":/none:{machine}"
            )
            lines = lines_of(ran)
            assert tuple(line["variant"] for line in lines) == VARIANTS[name]
            for line in lines:
                assert (line["program"], line["sizes"]) == (name, sizes)
                assert line["data_bytes"] > 0
                assert line["times_s"] == [0.001] * RUNS
                check = line["check"]
                assert (check["differing"], check["difference"]) == (0, ""), line
                assert check["compared"] >= 1
                assert check["largest_relative_error"] < 1e-5
                is_library = line["variant"].startswith(("CUB", "cu"))
                assert [len(line[key] or ()) for key in ("block", "grid")] == ([0, 0] if is_library else [3, 3])


@pytest.mark.parametrize("change", CHANGES)
def test_a_wrong_program_is_found(change: str, machine: Path, tmp_path: Path) -> None:
    name, file, old, new = CHANGES[change]
    assert old in (FOLDER / file).read_text(encoding="utf-8")
    assert _build_on_cpu(name, machine, tmp_path, {file: lambda text: text.replace(old, new)}) == ""
    ran = run(tmp_path / name, SMALL[name][0].split(), GPU_DAY_ORDER="1", GPU_DAY_LIBRARIES=str(machine))
    if ran.returncode == 0:
        checks = [line["check"] for line in lines_of(ran)]
        assert any(check["differing"] and re.match(r"element \d+ is ", check["difference"]) for check in checks)
    else:
        assert (ran.returncode, "wrong CUDA: " in ran.stderr) == (3, True)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_line_is_understood(name: str, on_cpu_program: Build) -> None:
    """Without a GPU a program ends once it has read them."""
    for command in COMMANDS[name]:
        ran = run(on_cpu_program(name), command["arguments"].split(), GPU_DAY_GPUS="0")
        assert (ran.returncode, ran.stdout) == (4, ""), (command, ran.stderr)
        assert ran.stderr.startswith("there is no GPU that CUDA can use here: ")


@pytest.mark.parametrize(
    "arguments",
    [
        "n",
        "n=",
        "n=1x",
        "n=0x10",
        "n=-1",
        "n=+1",
        "n= 1",
        "n=0",
        "n=99999999999",
        "rows=4",
        "=4",
        "",
        "n=4 n=4",
        "--help",
    ],
)
def test_a_wrong_command_line_is_told_the_right_one(arguments: str, on_cpu_program: Build) -> None:
    said = arguments.split() if arguments.startswith("n=4") else [arguments]
    ran = run(on_cpu_program("matrix_vector"), said)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"matrix_vector: {said[-1]} ")
    assert ran.stderr.endswith("\nusage: matrix_vector [n=8192] [m=8192]\n")


@pytest.mark.parametrize("call", ["0", "3", "9"])
def test_a_call_that_fails_is_said_and_nothing_is_done(call: str, on_cpu_program: Build) -> None:
    ran = run(on_cpu_program("sum"), ["n=100"], GPU_DAY_FAILS=call)
    assert ran.returncode == 1
    assert re.search(r"\.cuh?:\d+: .*: cudaErrorSomething: something failed\n$", ran.stderr)
    assert "done" not in ran.stdout


@pytest.mark.skipif(bool(find_library("cublas")), reason="the system has a cuBLAS of its own")
def test_a_missing_library_is_said_in_its_line(on_cpu_program: Build, tmp_path: Path) -> None:
    program = on_cpu_program("matrix_vector")
    *kernels, library = lines_of(run(program, ["n=3", "m=3"]))
    assert all("times_s" in line for line in kernels)
    assert library == {
        "program": "matrix_vector",
        "variant": "cuBLAS sgemv",
        "sizes": {"n": 3, "m": 3},
        "missing": "libcublas.so.13, .so.12 and .so are on no search path",
    }
    (tmp_path / "libcublas.so.12").write_text("no library")
    *_, library = lines_of(run(program, ["n=3", "m=3"], GPU_DAY_LIBRARIES=str(tmp_path)))
    assert library["missing"].startswith(f"{tmp_path}/libcublas.so.12: ")
    assert "times_s" not in library


def test_nvcc_builds_them_without_a_warning(tmp_path: Path) -> None:
    """All in one file, each in a namespace of its own: what CUB takes to compile, it takes once."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not installed")
    headers = {path.name for path in FOLDER.glob("*.*h")} - {f"{name}_kernels.cuh" for name in NAMES}
    lines = sorted({line for name in NAMES for line in _includes_of_the_system(name)})
    lines += [f'#include "{header}"' for header in sorted(headers)]
    for name in NAMES:
        lines += [f"namespace {name}_alone {{", f'#include "{name}.cu"', "}"]
    calls = " ".join(f'if (name == "{name}") return {name}_alone::main(count - 1, arguments + 1);' for name in NAMES)
    lines.append(f"int main(int count, char **arguments) {{ std::string name = arguments[1]; {calls} return 99; }}")
    (tmp_path / "all.cu").write_text("\n".join(lines), encoding="utf-8")
    warnings = ("--Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra")
    command = [nvcc, "-O3", "-std=c++17", *warnings, "-arch=sm_80", f"-I{CALIBRATION}", f"-I{FOLDER}", "all.cu", "-ldl"]
    assert _said(*command, "-o", "all", folder=tmp_path) == ""
    for name in NAMES:
        ran = run(tmp_path / "all", [name, *COMMANDS[name][0]["arguments"].split()], CUDA_VISIBLE_DEVICES="")
        assert (ran.returncode, ran.stdout) == (4, ""), ran.stderr
        assert ran.stderr.startswith("there is no GPU that CUDA can use here: ")
        assert run(tmp_path / "all", [name, "n=1.5"], CUDA_VISIBLE_DEVICES="").returncode == 2


def _includes_of_the_system(name: str) -> list[str]:
    return re.findall(r"^#include <.*>$", (FOLDER / f"{name}.cu").read_text(encoding="utf-8"), re.MULTILINE)
