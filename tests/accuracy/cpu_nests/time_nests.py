"""Build and time the corpus on this machine: `python tests/accuracy/cpu_nests/time_nests.py [NEST ...]`.

Each function runs at each of its sizes, built by gcc with each set of flags, on one core and caches warm. What is kept
is the shortest time per call by the thread's own clock; a file that is there already gives way where a time is shorter, so
run the sweep at different times. `--anew NEST` forgets what was timed of it before.
"""

from __future__ import annotations

import os

os.environ["NUMPY_MADVISE_HUGEPAGE"] = "0"  # pages as the profile has them

import argparse
import csv
import ctypes
import re
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
from corpus import TimedNest, corpus

HERE = Path(__file__).parent
TIMES = HERE / "times.csv"
FLAGS = ("-O2", "-O3 -march=native", "-O3 -march=native -ffast-math")
SAMPLE_S = 5e-4
"""Short calls are timed together until a sample is this long."""
MEASURE_S = 0.12
LINE_BYTES = 64
TOLERANCE = 1e-3
"""How far results may lie apart that were built with other flags."""

_ARRAY = re.compile(r"(?P<kind>\w+)\[(?P<count>[^\]]+)\](?:\*(?P<each>\d+))?(?:\+(?P<more>\d+))?(?:<(?P<below>\w+))?")
_TYPES = {"f64": np.float64, "f32": np.float32, "u8": np.uint8, "i16": np.int16, "i32": np.int32, "i64": np.int64}

Array = npt.NDArray[np.generic]
Key = tuple[str, int, str]


def arguments_of(nest: TimedNest, n: int) -> tuple[list[object], list[Array]]:
    """C arguments, and the arrays among them; the same ones every time."""
    sizes = {"n": n, **nest.also}
    generator = np.random.default_rng(1)
    given: list[object] = []
    arrays: list[Array] = []
    for text in nest.arguments:
        found = _ARRAY.fullmatch(text)
        if found:
            arrays.append(aligned(_array(found, sizes, generator)))
            given.append(ctypes.c_void_p(arrays[-1].ctypes.data))
        elif text in sizes or text.isdigit():
            given.append(ctypes.c_long(sizes[text] if text in sizes else int(text)))
        else:
            given.append(ctypes.c_float(float(text[:-1])) if text.endswith("f") else ctypes.c_double(float(text)))
    return given, arrays


def _array(found: re.Match[str], sizes: dict[str, int], generator: np.random.Generator) -> Array:
    count = int(eval(found["count"], {}, dict(sizes)))  # noqa: S307 (our own table)
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


def time_s(nest: TimedNest, n: int, library: ctypes.CDLL) -> tuple[float, float]:
    """Shortest seconds of a call, and the sum of all that the first call leaves."""
    function = library[nest.name]
    returns = re.search(rf"(\w+) {nest.name}\(", nest.source)
    function.restype = {"double": ctypes.c_double, "float": ctypes.c_float}.get(returns[1] if returns else "")
    given, arrays = arguments_of(nest, n)
    result = function(*given)
    left = sum(float(array.sum(dtype=np.float64)) for array in arrays) + (result or 0.0)
    start = time.perf_counter()
    function(*given)
    calls = 1 + int(SAMPLE_S / max(time.perf_counter() - start, 1e-9))
    best, samples, end = float("inf"), 0, time.perf_counter() + MEASURE_S
    while time.perf_counter() < end or samples < 3:
        start_s = time.thread_time()
        for _ in range(calls):
            function(*given)
        best, samples = min(best, (time.thread_time() - start_s) / calls), samples + 1
    return best, left


def built(flags: str, folder: Path) -> dict[str, ctypes.CDLL]:
    """All files of nests by name, each a library."""
    libraries = {}
    for source in sorted((HERE / "nests").glob("*.c")):
        target = folder / f"{source.stem}{flags.replace(' ', '')}.so"
        subprocess.run(["gcc", *flags.split(), "-shared", "-fPIC", source, "-o", target, "-lm"], check=True)
        libraries[source.stem] = ctypes.CDLL(str(target))
    return libraries


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
        libraries = {flags: built(flags, Path(folder)) for flags in FLAGS}
        for nest in (nest for nest in corpus() if not wanted or nest.name in wanted):
            for n in nest.n:
                sums = []
                for flags in FLAGS:
                    seconds, left = time_s(nest, n, libraries[flags][nest.file])
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
