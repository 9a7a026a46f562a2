"""Running Nsight Compute over a program at several sizes, a file of its counters for each."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from warplens.hwprofiles.counter_metrics import Vocabulary
from warplens.server.files.atomic_file import replace_file
from warplens.server.files.regular_file import read_regular
from warplens.server.measure.counters.asked_sizes import number_text
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files
from warplens.server.measure.kernel_times.toolchain import BuildError, Finished, last_lines, run_tool
from warplens.server.programs.programs import BroughtAlongError, Programs

TIME = "gpu__time_duration.sum"
ALWAYS = (
    TIME,
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "device__attribute_display_name",
)
"""The time, and what is of the launch and the driver: in no list of metrics, and on every GPU."""
_BASE = re.compile(r"^\s*([a-z0-9]+__[a-z0-9_]+)\b", re.MULTILINE)
_QUERY_LIMIT_S = 120
_MOST_BYTES = 512 << 20
_NO_KERNELS = "No kernels were profiled"
_ENDED = "The application returned an error code"
_SAID = {
    "ERR_NVGPUCTRPERM": (
        "the driver lets only administrators read counters: run it as one, or let everybody "
        "(options nvidia NVreg_RestrictProfilingToAdminUsers=0 for the kernel module)"
    ),
    _NO_KERNELS: "the program launched no kernel, or none of the names of --kernel",
    "no CUDA-capable device": "there is no GPU",
    "libcuda": "there is no NVIDIA driver, so no GPU",
    "Driver could not be loaded": "there is no NVIDIA driver, or it sees no GPU",
    "driver version is insufficient": "the driver is older than the CUDA runtime of the program",
}


class CollectError(Exception):
    """Why there are no counters, for the user."""


@dataclass(frozen=True, slots=True)
class Collection:
    """What is run: `program` has `{n}` where a size is meant; `kernels` are those to profile, all where empty."""

    ncu: str
    metrics: tuple[str, ...]
    program: tuple[str, ...]
    kernels: tuple[str, ...]
    launches: int
    limit_s: float

    def command(self, sizes: Mapping[str, float], output: Path) -> tuple[str, ...]:
        """The whole command line, the counters to go to a file."""
        chosen = ("--kernel-name", f"regex:^({'|'.join(map(re.escape, self.kernels))})$") if self.kernels else ()
        return (
            self.ncu, "--csv", "--page", "raw", "--print-units", "base", "--target-processes", "all",
            "--clock-control", "none", "--metrics", ",".join(self.metrics), *chosen,
            "--launch-count", str(self.launches), "--log-file", str(output), *with_sizes(self.program, sizes),
        )  # fmt: skip


def found_ncu(programs: Programs) -> str:
    """Where Nsight Compute is; raises CollectError."""
    try:
        return programs.required("ncu")
    except BroughtAlongError as error:
        raise CollectError(str(error)) from None
    except FileNotFoundError:
        message = (
            "ncu (Nsight Compute, part of the CUDA toolkit) is not on PATH. Where neither it nor a GPU is, --dry-run "
            "prints what to run on a machine that has both; `warplens counters fit` reads its files anywhere"
        )
        raise CollectError(message) from None


def metrics_for(ncu: str, vocabulary: Vocabulary, folder: Path, programs: Programs) -> tuple[str, ...]:
    """Those of the vocabulary that the GPU of this machine has; raises CollectError where ncu does not say."""
    command, environment = (ncu, "--query-metrics"), programs.environment()
    try:
        said = run_tool(command, folder, _QUERY_LIMIT_S, "ncu --query-metrics", environment)
    except BuildError as error:
        raise CollectError(str(error)) from error
    known = set(_BASE.findall(said.output))
    if said.code or not known:
        raise CollectError(f"ncu --query-metrics does not say which counters this machine's GPU has: {_reason(said)}")
    return wanted_metrics(vocabulary, known)


def wanted_metrics(vocabulary: Vocabulary, known: set[str] | None = None) -> tuple[str, ...]:
    """Raw names of the vocabulary, the best that is known for each metric; all of them without `known`."""
    names: list[str] = []
    for group in metric_groups(vocabulary):
        found = [name for name in group if known is None or name.partition(".")[0] in known]
        names += found if known is None else found[:1]
    return tuple(dict.fromkeys((*ALWAYS, *names)))


def metric_groups(vocabulary: Vocabulary) -> tuple[tuple[str, ...], ...]:
    """For each metric the raw names that it goes by, best first."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for name, source in vocabulary.sources["ncu"].items():
        if "__" in name and " " not in name:
            groups.setdefault(source.metric, []).append((source.order, name))
    return tuple(tuple(name for _, name in sorted(group, key=lambda one: one[0])) for group in groups.values())


def with_sizes(program: Sequence[str], sizes: Mapping[str, float]) -> tuple[str, ...]:
    """The program's words with sizes in place of `{n}`.

    >>> with_sizes(("./heat", "--n={n}"), {"n": 256.0})
    ('./heat', '--n=256')
    """
    words = []
    for word in program:
        for name, size in sizes.items():
            word = word.replace(f"{{{name}}}", number_text(size))  # noqa: PLW2901 - one size after the other
        words.append(word)
    return tuple(words)


def collect_one(collection: Collection, sizes: Mapping[str, float], output: Path, folder: Path) -> int:
    """Run once in a folder; the number of launches that are in the file then. Raises CollectError."""
    with tempfile.TemporaryDirectory(prefix="warplens-counters-") as own:
        log = Path(own) / output.name  # ncu would write through a link that lies at the other's place
        command = collection.command(sizes, log)
        shown = shlex.join(command[-len(collection.program) :])
        try:
            finished = run_tool(command, folder, collection.limit_s, shown, os.environ)  # as the user has it
            content = read_regular(log, _MOST_BYTES) if log.exists() else b""
            written = content.decode("utf-8", "replace")
            if finished.code or "==ERROR==" in written or _NO_KERNELS in written:
                raise CollectError(_reason(finished, written))
            launches = len(read_counter_files([log], ReadOptions()).runs)
            replace_file(output, content)
        except (BuildError, CounterFileError) as error:
            raise CollectError(str(error)) from error
        except OSError as error:
            raise CollectError(f"{output}: {error.strerror or error}") from error
    return launches


def _reason(finished: Finished, written: str = "") -> str:
    text = f"{finished.output}\n{finished.messages}\n{written}"
    for sign, meaning in _SAID.items():
        if sign in text:
            return meaning
    if _ENDED in text:
        said = last_lines(finished.messages or finished.output)
        return f"the program ended with an error{f': {said}' if said else ''}"
    errors = [line.removeprefix("==ERROR==").strip() for line in text.splitlines() if line.startswith("==ERROR==")]
    if errors:
        return "; ".join(errors[:3])
    return last_lines(finished.messages or finished.output) or f"exit code {finished.code}"
