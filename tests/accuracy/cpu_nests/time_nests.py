"""Build and time the corpus on this machine: `PYTHONPATH=tests python -m accuracy.cpu_nests.time_nests [NEST ...]`.

Each function runs at each of its sizes, built by gcc with each set of flags, on one core and caches warm. What is kept
is the shortest time per call by the thread's own clock; a file that is there already gives way where a time is shorter:
run the sweep at different times. `--anew NEST` forgets what was timed of it before.
"""

from __future__ import annotations

import os

os.environ["NUMPY_MADVISE_HUGEPAGE"] = "0"  # pages as the profile has them

import argparse
import csv
import ctypes
import re
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from accuracy.cpu_nests.corpus import TimedNest, corpus

HERE = Path(__file__).parent
TIMES = HERE / "times.csv"
FLAGS = ("-O2", "-O3 -march=native", "-O3 -march=native -ffast-math")
SAMPLE_S = 5e-4
"""Short calls are timed together until a sample is this long."""
MEASURE_S = 0.12
LINE_BYTES = 64
TOLERANCE = 1e-2
"""How far results may lie apart that were built with other flags."""

REPEAT = """
typedef void called(long, long, long, long, long, long, long, long, double, double);
void repeat(called *f, long calls, const long *w, const double *x) {
    for (long i = 0; i < calls; i++) f(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], x[0], x[1]);
}
"""
"""Calls a function without Python in between: x86-64 and AArch64 pass whole numbers and pointers by themselves."""

_ARRAY = re.compile(r"(?P<kind>\w+)\[(?P<count>[^\]]+)\](?:\*(?P<each>\d+))?(?:\+(?P<more>\d+))?(?:<(?P<below>\w+))?")
_TYPES = {"f64": np.float64, "f32": np.float32, "u8": np.uint8, "i16": np.int16, "i32": np.int32, "i64": np.int64}

Array = npt.NDArray[np.generic]
Key = tuple[str, int, str]


@dataclass(frozen=True)
class Arguments:
    """What a function is called with: whole numbers and addresses, floating-point numbers, the arrays behind them."""

    words: ctypes.Array[ctypes.c_long]
    numbers: ctypes.Array[ctypes.c_double]
    arrays: list[Array]


def arguments_of(nest: TimedNest, n: int) -> Arguments:
    """Arguments at a size; the same ones every time."""
    sizes = {"n": n, **nest.also}
    generator = np.random.default_rng(1)
    words: list[int] = []
    numbers: list[float] = []
    arrays: list[Array] = []
    for text in nest.arguments:
        found = _ARRAY.fullmatch(text)
        if found:
            arrays.append(aligned(_array(found, sizes, generator)))
            words.append(arrays[-1].ctypes.data)
        elif text in sizes or text.isdigit():
            words.append(sizes[text] if text in sizes else int(text))
        else:
            is_float = text.endswith("f")
            bits = struct.pack("<ff", float(text[:-1]), 0.0) if is_float else struct.pack("<d", float(text))
            numbers += struct.unpack("<d", bits)
    return Arguments(
        (ctypes.c_long * 8)(*words, *[0] * (8 - len(words))),
        (ctypes.c_double * 2)(*numbers, *[0.0] * (2 - len(numbers))),
        arrays,
    )


def _array(found: re.Match[str], sizes: dict[str, int], generator: np.random.Generator) -> Array:
    count = int(eval(found["count"], {}, dict(sizes)))
    if found["kind"] == "rows":
        return (np.arange(count) * int(found["each"])).astype(np.int32)
    if found["kind"] == "cycle":
        order, after = generator.permutation(count), np.empty(count, np.int32)
        after[order] = np.roll(order, -1)
        return after
    more = int(found["more"] or 0)
    kind = _TYPES[found["kind"]]
    if kind in {np.float32, np.float64}:
        return (generator.random(count, dtype=np.float32) + more).astype(kind)
    below = sizes.get(found["below"]) or int(found["below"] or 1)
    return (generator.integers(0, below, count, dtype=np.int32) + more).astype(kind)


def aligned(values: Array) -> Array:
    """Copy to the beginning of a cache line."""
    room = np.empty(values.nbytes + LINE_BYTES, np.uint8)
    start = -room.ctypes.data % LINE_BYTES
    copy = room[start : start + values.nbytes].view(values.dtype)
    copy[:] = values
    return copy


def time_s(nest: TimedNest, n: int, library: ctypes.CDLL, repeat: Callable[..., object]) -> tuple[float, float]:
    """Shortest seconds of a call, and the sum of all that the first call leaves."""
    given, function = arguments_of(nest, n), library[nest.name]

    def call(calls: int) -> None:
        repeat(function, ctypes.c_long(calls), given.words, given.numbers)

    call(1)
    left = sum(float(array.sum(dtype=np.float64)) for array in given.arrays)
    calls, taken_s = 1, 0.0
    while True:
        start_s = time.thread_time()
        call(calls)
        taken_s = time.thread_time() - start_s
        if taken_s >= SAMPLE_S:
            break
        calls *= 2
    best_s, samples, end = taken_s / calls, 0, time.perf_counter() + MEASURE_S
    while time.perf_counter() < end or samples < 3:
        start_s = time.thread_time()
        call(calls)
        best_s, samples = min(best_s, (time.thread_time() - start_s) / calls), samples + 1
    return best_s, left


def compiled(flags: str, source: str, target: Path) -> ctypes.CDLL:
    """Build C text as a library."""
    command = ["gcc", *flags.split(), "-shared", "-fPIC", "-x", "c", "-", "-o", target, "-lm"]
    subprocess.run(command, check=True, input=source, text=True)
    return ctypes.CDLL(str(target))


def built(flags: str, folder: Path) -> dict[str, ctypes.CDLL]:
    """All files of nests by name, each a library."""
    sources = {nest.file: nest.source for nest in corpus()}
    name = flags.replace(" ", "")
    return {file: compiled(flags, source, folder / f"{file}{name}.so") for file, source in sources.items()}


def read() -> dict[Key, float]:
    """Seconds by nest, n and flags, of the sweeps before."""
    if not TIMES.exists():
        return {}
    with TIMES.open(encoding="utf-8", newline="") as file:
        return {(row["nest"], int(row["n"]), row["flags"]): float(row["seconds"]) for row in csv.DictReader(file)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nests", nargs="*")
    parser.add_argument("--anew", action="append", default=[])
    options = parser.parse_args()
    wanted = {*options.nests, *options.anew}
    times = {key: seconds for key, seconds in read().items() if key[0] not in options.anew}
    order = [(nest.name, n, flags) for nest in corpus() for n in nest.n for flags in FLAGS]
    with tempfile.TemporaryDirectory() as folder:
        repeat = compiled("-O2", REPEAT, Path(folder) / "repeat.so").repeat
        libraries = {flags: built(flags, Path(folder)) for flags in FLAGS}
        for nest in (nest for nest in corpus() if not wanted or nest.name in wanted):
            for n in nest.n:
                sums = []
                for flags in FLAGS:
                    seconds, left = time_s(nest, n, libraries[flags][nest.file], repeat)
                    sums.append(left)
                    times[nest.name, n, flags] = min(seconds, times.get((nest.name, n, flags), float("inf")))
                if max(sums) - min(sums) > TOLERANCE * max(map(abs, sums)):
                    print(f"{nest.name} {n}: results differ: {sums}")
    with TIMES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("nest", "n", "flags", "seconds"))
        writer.writerows((*key, f"{times[key]:.4g}") for key in order if key in times)


if __name__ == "__main__":
    main()
