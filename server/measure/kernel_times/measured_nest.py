"""What was measured of a nest: one launch at one set of sizes on one GPU, as a value and as JSON (docs/measure.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Any

from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ir.dump import dump
from warplens.analysis.ir.nest import LoopNest

JSON_VERSION = 1
_DIGEST_LENGTH = 16
_MAX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of several runs."""

    median_s: float
    least_s: float
    most_s: float

    @staticmethod
    def of(seconds: Sequence[float]) -> Times:
        """Summary of at least one time.

        >>> Times.of([3.0, 1.0, 2.0])
        Times(median_s=2.0, least_s=1.0, most_s=3.0)
        """
        return Times(median(seconds), min(seconds), max(seconds))


@dataclass(frozen=True, slots=True)
class Device:
    """The GPU as the driver describes it; clocks are the most that it may run at, 0 where they are not said."""

    name: str
    compute_capability: str
    multiprocessors: int
    driver: int
    runtime: int
    clock_khz: int
    memory_clock_khz: int
    l2_bytes: int


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of `runs` runs. `kernels` is from the first launch of a run to the end of the last of its `launches`."""

    device: Device
    runs: int
    launches: int
    kernels: Times
    copies_in: Times
    copies_out: Times


@dataclass(frozen=True, slots=True)
class Check:
    """The result held against that of the C: numbers compared, and how many differ by more than rounding explains.

    `tolerance` is relative; `by_rounding` are beyond it, and no further off than the roundings of the C explain (what
    is left of large numbers that cancelled). `difference` says which one comes first and both of its values.
    """

    compared: int
    differing: int
    largest_relative_error: float
    tolerance: float
    difference: str = ""
    by_rounding: int = 0


@dataclass(frozen=True, slots=True)
class MeasuredLaunch:
    """One kernel's launch; `shared` are the arrays that a block stages."""

    kernel: str
    block: Extent
    outputs_per_thread: Extent
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MeasuredNest:
    """`nest` is the digest of the nest's content. `timing` is None where only the result was checked, on the CPU.

    `predicted_s` are the kernels' times by model for `profile`, at these launches; `reference_s` is that of the C on
    one core, compiled with -O2. `is_cold`: the L2 was cleared before each run. `versions` are those of the programs.
    """

    path: str
    function: str
    line: int
    nest: str
    sizes: tuple[tuple[str, int], ...]
    launches: tuple[MeasuredLaunch, ...]
    is_cold: bool
    data_bytes: int
    check: Check
    reference_s: float
    profile: str
    predicted_s: tuple[tuple[str, float], ...]
    predicted_copies_s: tuple[float, float]
    versions: tuple[tuple[str, str], ...]
    date: str
    timing: Timing | None = None

    @property
    def subject(self) -> tuple[object, ...]:
        """What a later measurement of the same replaces."""
        device = self.timing.device.name if self.timing else ""
        return self.path, self.function, self.nest, self.sizes, self.launches, self.is_cold, device


def nest_digest(nest: LoopNest) -> str:
    """Digest of a nest's content: text that moved has the same, edited text has another."""
    return hashlib.sha256(dump(nest).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]


def timings_of(nest: LoopNest, measured: Sequence[MeasuredNest]) -> tuple[MeasuredNest, ...]:
    """Those of the measurements that are of this content; the digest is made only where there are any."""
    if not measured:
        return ()
    digest = nest_digest(nest)
    return tuple(one for one in measured if one.nest == digest)


def as_json(one: MeasuredNest) -> dict[str, Any]:
    """One measurement."""
    timing = one.timing
    return {
        "path": one.path,
        "function": one.function,
        "line": one.line,
        "nest": one.nest,
        "sizes": dict(one.sizes),
        "launches": [
            {
                "kernel": launch.kernel,
                "block": list(launch.block),
                "outputs_per_thread": list(launch.outputs_per_thread),
                "shared_arrays": list(launch.shared),
            }
            for launch in one.launches
        ],
        "cache": "cold" if one.is_cold else "warm",
        "data_bytes": one.data_bytes,
        "check": {
            "compared": one.check.compared,
            "differing": one.check.differing,
            "largest_relative_error": one.check.largest_relative_error,
            "tolerance": one.check.tolerance,
            "difference": one.check.difference or None,
            "by_rounding": one.check.by_rounding,
        },
        "reference_s": one.reference_s,
        "predicted": {
            "profile": one.profile,
            "kernels_s": dict(one.predicted_s),
            "copies_in_s": one.predicted_copies_s[0],
            "copies_out_s": one.predicted_copies_s[1],
        },
        "versions": dict(one.versions),
        "date": one.date,
        "timing": None
        if timing is None
        else {
            "gpu": {
                "name": timing.device.name,
                "compute_capability": timing.device.compute_capability,
                "multiprocessors": timing.device.multiprocessors,
                "driver": timing.device.driver,
                "runtime": timing.device.runtime,
                "clock_khz": timing.device.clock_khz,
                "memory_clock_khz": timing.device.memory_clock_khz,
                "l2_bytes": timing.device.l2_bytes,
            },
            "runs": timing.runs,
            "launches": timing.launches,
            "kernels_s": _times_as_json(timing.kernels),
            "copies_in_s": _times_as_json(timing.copies_in),
            "copies_out_s": _times_as_json(timing.copies_out),
        },
    }


def from_json(entry: Mapping[str, Any]) -> MeasuredNest:
    """A measurement that `as_json` wrote.

    Raises KeyError, TypeError, ValueError, OverflowError and AttributeError for another.
    """
    check, predicted, timing = entry["check"], entry["predicted"], entry["timing"]
    return MeasuredNest(
        path=str(entry["path"]),
        function=str(entry["function"]),
        line=int(entry["line"]),
        nest=str(entry["nest"]),
        sizes=tuple(sorted((_line(name), int(size)) for name, size in entry["sizes"].items())),
        launches=tuple(
            MeasuredLaunch(
                _line(launch["kernel"]),
                _extent(launch["block"]),
                _extent(launch["outputs_per_thread"]),
                tuple(_line(name) for name in launch["shared_arrays"]),
            )
            for launch in entry["launches"]
        ),
        is_cold=entry["cache"] == "cold",
        data_bytes=int(entry["data_bytes"]),
        check=Check(
            int(check["compared"]),
            int(check["differing"]),
            float(check["largest_relative_error"]),
            float(check["tolerance"]),
            str(check["difference"] or ""),
            int(check.get("by_rounding", 0)),
        ),
        reference_s=_seconds(entry["reference_s"]),
        profile=_line(predicted["profile"]),
        predicted_s=tuple((_line(model), _seconds(time_s)) for model, time_s in predicted["kernels_s"].items()),
        predicted_copies_s=(_seconds(predicted["copies_in_s"]), _seconds(predicted["copies_out_s"])),
        versions=tuple((str(name), str(text)) for name, text in entry["versions"].items()),
        date=str(entry["date"]),
        timing=None if timing is None else _timing(timing),
    )


def _timing(entry: Mapping[str, Any]) -> Timing:
    gpu = entry["gpu"]
    device = Device(
        _line(gpu["name"]),
        str(gpu["compute_capability"]),
        int(gpu["multiprocessors"]),
        int(gpu["driver"]),
        int(gpu["runtime"]),
        int(gpu["clock_khz"]),
        int(gpu["memory_clock_khz"]),
        int(gpu["l2_bytes"]),
    )
    kernels, copies_in, copies_out = (_times(entry[name]) for name in ("kernels_s", "copies_in_s", "copies_out_s"))
    return Timing(device, int(entry["runs"]), int(entry["launches"]), kernels, copies_in, copies_out)


def device_from_json(entry: Mapping[str, Any]) -> Device:
    """The GPU as the measuring program says it."""
    return Device(**{name: entry[name] for name in Device.__dataclass_fields__})


def _times_as_json(times: Times) -> dict[str, float]:
    return {"median": times.median_s, "min": times.least_s, "max": times.most_s}


def _times(entry: Mapping[str, Any]) -> Times:
    return Times(_seconds(entry["median"]), _seconds(entry["min"]), _seconds(entry["max"]))


def _seconds(value: Any) -> float:
    time_s = float(value)
    if not 0 <= time_s < inf:
        raise ValueError(f"{time_s} is no time")
    return time_s


def _line(value: Any) -> str:
    """Text that is shown: one line, and a short one, whoever wrote the file."""
    text = str(value)
    if len(text) > _MAX_LENGTH or not text.isprintable():
        raise ValueError(f"{text[:20]!r} is no name")
    return text


def _extent(values: Sequence[Any]) -> Extent:
    x, y, z = (int(value) for value in values)
    return x, y, z
