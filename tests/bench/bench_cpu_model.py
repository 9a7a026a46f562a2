"""Accuracy of the CPU model: nests compiled by `gcc -O3` and timed, beside what `cpu_time` predicts for them.

    python tests/bench/bench_cpu_model.py [--calibrate-only]

Calibrates a profile of this machine (`warplens calibrate cpu`, into build/bench/this_machine.toml), then prints a
table for docs/performance.md.
Nothing is asserted: times depend on the machine and on what else it runs.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.hwprofiles.loader import load_cpu
from warplens.server.cli import calibrate_cpu

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build" / "bench"
MEASURE_S = 0.4
SAMPLE_S = 2e-3
"""Short calls are timed together until a sample is this long."""

Array = npt.NDArray[np.generic]
Argument = int | float | Array


@dataclass(frozen=True, slots=True)
class Case:
    """A nest at a size: the function of cpu_nests/NAME.c, its arguments, and sizes that the source doesn't name."""

    name: str
    n: int
    arguments: Callable[[int], tuple[Argument, ...]]
    sizes: Mapping[str, int]


ALL_CORES = {
    ("vecadd", 20_000_000),
    ("triad", 2_000_000),
    ("gemm_ijk", 500),
    ("gemm_ijk", 512),
    ("gemm_ikj", 500),
    ("transpose", 4_096),
    ("transpose", 4_000),
    ("jacobi_2d", 300),
    ("jacobi_2d", 4_000),
    ("matvec_rows", 2_000),
    ("n_body", 2_000),
    ("gather", 4_000_000),
}
"""Cases that are timed on all cores too, with `omp parallel for` on the outermost loop."""


def doubles(count: int) -> Array:
    return np.random.default_rng(1).random(count)


def floats(count: int) -> Array:
    return doubles(count).astype(np.float32)


def integers(count: int, below: int) -> Array:
    return np.random.default_rng(2).integers(0, below, count, dtype=np.int32)


def _vectors(n: int) -> tuple[Argument, ...]:
    return floats(n), floats(n), floats(n)


def _matrices(n: int) -> tuple[Argument, ...]:
    return doubles(n * n), doubles(n * n), np.zeros(n * n)


def _sparse(n: int) -> tuple[Argument, ...]:
    per_row = 16
    rows = (np.arange(n + 1) * per_row).astype(np.int32)
    return rows, integers(n * per_row, n), doubles(n * per_row), doubles(n), np.zeros(n)


CASES = (
    Case("vecadd", 100_000, _vectors, {}),
    Case("vecadd", 20_000_000, _vectors, {}),
    Case("triad", 2_000_000, lambda n: (3.0, doubles(n), doubles(n), doubles(n)), {}),
    Case("saxpy", 30_000, lambda n: (3.0, doubles(n), doubles(n)), {}),
    Case("saxpy", 10_000_000, lambda n: (3.0, doubles(n), doubles(n)), {}),
    Case("dot", 1_000_000, lambda n: (floats(n), floats(n)), {}),
    Case("sum_int", 1_000_000, lambda n: (integers(n, 9),), {}),
    Case("gemm_ijk", 248, _matrices, {}),
    Case("gemm_ijk", 256, _matrices, {}),
    Case("gemm_ijk", 500, _matrices, {}),
    Case("gemm_ijk", 512, _matrices, {}),
    Case("gemm_ijk", 1024, _matrices, {}),
    Case("gemm_ikj", 256, _matrices, {}),
    Case("gemm_ikj", 500, _matrices, {}),
    Case("transpose", 1_000, lambda n: (doubles(n * n), doubles(n * n)), {}),
    Case("transpose", 1_024, lambda n: (doubles(n * n), doubles(n * n)), {}),
    Case("transpose", 4_096, lambda n: (doubles(n * n), doubles(n * n)), {}),
    Case("transpose", 4_000, lambda n: (doubles(n * n), doubles(n * n)), {}),
    Case("jacobi_2d", 300, lambda n: (doubles(n * n), doubles(n * n)), {}),
    Case("jacobi_2d", 4_000, lambda n: (doubles(n * n), doubles(n * n)), {}),
    Case("convolution_2d", 2_000, lambda n: (floats(n * n), floats(9), floats(n * n)), {}),
    Case("matvec_rows", 2_000, lambda n: (doubles(n * n), doubles(n), doubles(n)), {}),
    Case("matvec_columns", 2_000, lambda n: (doubles(n * n), doubles(n), doubles(n)), {}),
    Case("matvec_columns", 1_024, lambda n: (doubles(n * n), doubles(n), doubles(n)), {}),
    Case("matvec_columns", 4_096, lambda n: (doubles(n * n), doubles(n), doubles(n)), {}),
    Case("n_body", 2_000, lambda n: (floats(n), floats(n), floats(n), floats(n)), {}),
    Case("gather", 4_000_000, lambda n: (integers(n, n), doubles(n), doubles(n)), {}),
    Case("spmv", 200_000, _sparse, {"iterations of k": 16}),
    Case("stencil_3d", 256, lambda n: (floats(n**3), floats(n**3)), {}),
    Case("exp_map", 100_000, lambda n: (doubles(n), doubles(n)), {}),
    Case("prefix_sum", 100_000, lambda n: (doubles(n) * 1e-3,), {}),
)


def calibrate() -> Cpu:
    """Measure this machine as `warplens calibrate cpu` does for a user, and load the profile that it writes."""
    BUILD.mkdir(parents=True, exist_ok=True)
    profile = BUILD / "this_machine.toml"
    parser = argparse.ArgumentParser()
    calibrate_cpu.add_command(parser.add_subparsers())
    arguments = parser.parse_args(("cpu", "-o", str(profile), "--force"))
    if arguments.run(arguments):
        raise SystemExit(1)
    return load_cpu(str(profile))


def predict(case: Case, cpu: Cpu) -> CpuTime:
    """Run the real pipeline on the nest's file."""
    path = HERE / "cpu_nests" / f"{case.name}.c"
    text = subprocess.run(["cc", "-E", path], check=True, capture_output=True, text=True).stdout
    unit = parse_unit(path.read_text(encoding="utf-8"), Preprocessed(text, str(path)), Memo())
    facts = analyse_nest(unit.functions[0].nests[0].nest)
    sizes = {name: case.sizes.get(name, case.n) for name in facts.parameters}
    return cpu_time(facts, sizes, cpu)


def measure_s(case: Case, *, all_cores: bool) -> float:
    """Seconds of a call, caches warm.

    The median of the thread's own CPU time; on all cores that of all threads over their number (waiting threads sleep),
    for other processes take cores away. A static schedule gives the threads equal shares.
    """
    source = (HERE / "cpu_nests" / f"{case.name}.c").read_text(encoding="utf-8")
    if all_cores:
        source = source.replace("for (", "\n#pragma omp parallel for schedule(static)\nfor (", 1)
    library = BUILD / f"{case.name}{'_all' if all_cores else ''}.so"
    command = ["gcc", "-O3", "-shared", "-fPIC", "-x", "c", "-", "-o", library, "-lm", *(["-fopenmp"] * all_cores)]
    subprocess.run(command, input=source, text=True, check=True)
    function = ctypes.CDLL(str(library))[case.name]
    function.restype = None
    clock = time.process_time if all_cores else time.thread_time
    threads = (os.cpu_count() or 1) if all_cores else 1
    arrays = case.arguments(case.n)
    arguments = [ctypes.c_long(case.n), *map(_c_argument, arrays)]
    function(*arguments)
    start = time.perf_counter()
    function(*arguments)
    calls = 1 + int(SAMPLE_S / max(time.perf_counter() - start, 1e-9))
    samples: list[float] = []
    end = time.perf_counter() + MEASURE_S
    while time.perf_counter() < end or len(samples) < 3:
        start = clock()
        for _ in range(calls):
            function(*arguments)
        samples.append((clock() - start) / calls / threads)
    return statistics.median(samples)


def _c_argument(value: Argument) -> object:
    if isinstance(value, int):
        return ctypes.c_long(value)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_void_p(value.ctypes.data)


def main() -> None:
    os.environ["OMP_WAIT_POLICY"] = "passive"
    cpu = calibrate()
    if "--calibrate-only" in sys.argv:
        return
    print(f"{cpu.core_count} cores, {cpu.clock_hz / 1e9:.2f} GHz\n\nOne core\n")
    table(CASES, cpu, all_cores=False)
    print(f"\nAll {cpu.core_count} cores\n")
    table([case for case in CASES if (case.name, case.n) in ALL_CORES], cpu, all_cores=True)


def table(cases: Sequence[Case], cpu: Cpu, *, all_cores: bool) -> None:
    """Print measured and predicted times, and how far apart they are."""
    print("| nest | n | measured ms | predicted ms | ratio | bound by | vectorised |")
    print("| --- | ---: | ---: | ---: | ---: | --- | --- |")
    ratios: list[float] = []
    for case in cases:
        predicted = predict(case, cpu)
        predicted_s = predicted.all_cores_s if all_cores else predicted.one_core_s
        measured_s = measure_s(case, all_cores=all_cores)
        ratios.append(predicted_s / measured_s)
        print(
            f"| {case.name} | {case.n} | {measured_s * 1e3:.4g} | {predicted_s * 1e3:.4g} | {ratios[-1]:.2f} "
            f"| {predicted.bound_by} | {'yes' if predicted.vectorised else 'no'} |",
            flush=True,
        )
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    off = math.exp(statistics.fmean(abs(math.log(ratio)) for ratio in ratios))
    worst = max(ratios, key=lambda ratio: abs(math.log(ratio)))
    print(f"\nGeometric mean of predicted / measured {mean:.2f}, mean factor off {off:.2f}, worst ratio {worst:.2f}.")


if __name__ == "__main__":
    main()
