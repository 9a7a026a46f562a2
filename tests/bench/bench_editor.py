"""What a person waits for in an editor, beside clangd on the same files in turns; printed, never asserted.

Start to the first and to all diagnostics (fresh process), open to diagnostics of a further file, save to diagnostics
with one nest changed, hover, code actions, memory with 1 and 20 files open, CPU time when idle. CPU time stands beside
each time: it hardly depends on what else runs. The figures are kept in docs/performance.md.

Run: python tests/bench/bench_editor.py
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from editor_session import WARPLENS, Server, Session
from generated_source import c_program, c_source
from process_tree import cpu_s, memory_by_process

COLD_ROUNDS = 5
"""After one that compiles what is not compiled yet."""
SAVE_ROUNDS = 25
HOVERS = 100
IDLE_S = 10.0
REACH_S = 0.3
"""From the last key to the keys that save, of a quick typist."""
OPEN_FILES = 20
PROGRAM_FILES = 50
WRITTEN_S = 2.0
"""After the last break-even: what the next session may use is written then."""
ROOT = Path(__file__).parents[2]
REAL_FILES = (
    "examples/heat2d.c",
    "tests/fixtures/dependence/polybench_like.c",
    "tests/fixtures/dependence/sorts_and_tables.c",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A file to measure; `edited(round)` differs from the text in one constant of one loop."""

    name: str
    text: str
    before: str
    after: str

    def edited(self, number: int) -> str:
        """Another text each time."""
        return self.text.replace(self.before, self.after.format(number + 2), 1)

    @property
    def loops(self) -> list[tuple[int, int]]:
        """Line and column of each `for` that begins a line."""
        lines = enumerate(self.text.split("\n"))
        return [(number, line.index("for")) for number, line in lines if line.lstrip().startswith("for (")]


def samples() -> list[Sample]:
    """Generated files of two sizes, and files as people write them."""
    stencil = ("a[(i - 1) * m + j]", "{}.5 * a[(i - 1) * m + j]")
    found = [
        Sample(f"{lines} lines, {nests} nests", c_source(nests, lines), *stencil)
        for nests, lines in ((40, 1000), (60, 2000))
    ]
    for name in REAL_FILES:
        text = (ROOT / name).read_text(encoding="utf-8")
        assigned = next(line for line in text.split("\n") if re.match(r"\s+\w+\[.*\] = .*;$", line))
        found.append(Sample(name, text, assigned, assigned.replace(" = ", " = {}.5 * ", 1).replace("{}", "{0}")))
    return found


class Table:
    """Runs by row and server: seconds by the clock, and CPU seconds of the server's processes."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._rows: dict[str, dict[str, list[tuple[float, float]]]] = {}

    def add(self, row: str, server: str, took_s: float, used_s: float) -> None:
        """One run."""
        self._rows.setdefault(row, {}).setdefault(server, []).append((took_s, used_s))

    async def run(self, row: str, session: Session, work: Awaitable[float]) -> None:
        """One run of something that gives its own time."""
        before = cpu_s(session.process_id)
        took_s = await work
        self.add(row, session.server.name, took_s, cpu_s(session.process_id) - before)

    def show(self, title: str) -> None:
        """Medians, 95 % and CPU time per run in ms, and the ratio of the medians where there are two."""
        print(f"\n{title}: median, 95 % and CPU time per run in ms\n{'':45}" + "".join(f"{n:>27}" for n in self._names))
        for row, by_server in self._rows.items():
            cells = "".join(f"{_cell(by_server[name]) if name in by_server else '-':>27}" for name in self._names)
            medians = [median(took for took, _ in by_server[name]) for name in self._names if name in by_server]
            print(f"{row:45}{cells}" + (f"   ratio {medians[0] / medians[1]:.2f}" if len(medians) > 1 else ""))


def _cell(runs: Sequence[tuple[float, float]]) -> str:
    times = [took for took, _ in runs]
    used = sum(used for _, used in runs) / len(runs)
    return f"{1e3 * median(times):8.1f} {1e3 * percentile(times, 95):8.1f} {1e3 * used:8.1f}"


def percentile(values: Sequence[float], percent: int) -> float:
    """The least value that so many of a hundred do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def servers(cache: Path) -> list[Server]:
    """Ours, and clangd where it is installed; each with a home of its own, where nothing was remembered before."""
    ours = replace(WARPLENS, environment={"XDG_CACHE_HOME": str(cache)})
    clangd = shutil.which("clangd")
    if clangd is None:
        print("clangd is not on PATH: its columns are left out (Debian: apt-get install clangd)")
        return [ours]
    command = (clangd, "--log=error", "--background-index=false")
    return [ours, Server("clangd", command, analyses_on_save=False, environment={"XDG_CACHE_HOME": str(cache)})]


async def cold(table: Table, rows: tuple[str, str], server: Server, path: Path, text: str) -> None:
    """Rows of a fresh process: from its start to the first diagnostics, and to all."""
    session = Session(server, path.parent)
    started = time.perf_counter()
    await session.start()
    await session.open(path, text)
    first_s, used_s = time.perf_counter() - started, cpu_s(session.process_id)
    whole_s = await session.whole() - started
    table.add(rows[0], server.name, first_s, used_s)
    if server.analyses_on_save:
        table.add(rows[1], server.name, whole_s, cpu_s(session.process_id))
        await session.settled()
        await asyncio.sleep(WRITTEN_S)
    await session.stop()


async def measure_file(every: Sequence[Server], sample: Sample, folder: Path, cache: Path) -> None:
    """Fresh processes in turns, then everything else in turns in one session of each."""
    path = folder / "bench.c"
    path.write_text(sample.text, encoding="utf-8")
    table = Table([server.name for server in every])
    for number in range(1 + COLD_ROUNDS):
        for server in every:
            shutil.rmtree(cache, ignore_errors=True)
            fresh = ("start to first diagnostics", "start to all diagnostics")
            await cold(table if number else Table(()), fresh, server, path, sample.text)
    for number in range(1 + COLD_ROUNDS):  # the first one finds what clangd's turn left: nothing
        kept = ("start to first, with an earlier session's results", "start to all, with those")
        await cold(table if number else Table(()), kept, every[0], path, sample.text)
    sessions = [Session(server, folder) for server in every]
    for session in sessions:
        await session.start()
        await session.open(path, sample.text)
        await session.whole()
    await _measure_warm(table, sessions, path, sample)
    for session in sessions:
        await session.stop()
    table.show(sample.name)


async def _measure_warm(table: Table, sessions: Sequence[Session], path: Path, sample: Sample) -> None:
    for number in range(SAVE_ROUNDS):
        for each in sessions:
            await table.run("save to diagnostics, one nest changed", each, each.save(path, sample.edited(number)))
    ours = sessions[0]
    for number in range(SAVE_ROUNDS, 2 * SAVE_ROUNDS):
        row = f"save {REACH_S:g} s after the last key"
        await table.run(row, ours, ours.save(path, sample.edited(number), REACH_S))
    for each in sessions:
        await each.save(path, sample.text)
    for line, column in sample.loops * (1 + HOVERS // len(sample.loops)):
        for each in sessions:
            await table.run("hover, at the client", each, each.hover(path, line, column + 1))
    for line, column in sample.loops:
        for each in sessions:
            await table.run("code actions of a line", each, each.actions(path, line, column))
            for action in each.listed:
                if action.data is not None and not action.disabled:
                    await table.run("edit of a code action", each, each.resolve(action))


async def measure_memory(every: Sequence[Server], folder: Path) -> None:
    """One file, 20 files, then nothing for a while."""
    text = c_source(20, 500)
    for server in every:
        session = Session(server, folder)
        await session.start()
        times = []
        for number in range(OPEN_FILES):
            path = folder / f"file{number}.c"
            own = text.replace("kernel_", f"file{number}_kernel_").replace("0.", f"{number + 1}.")
            path.write_text(own, encoding="utf-8")
            times.append(await session.open(path, own))
            await session.whole()
            if number in {0, OPEN_FILES - 1}:
                await asyncio.sleep(1.0)
                each = memory_by_process(session.process_id)
                print(
                    f"{server.name}: {number + 1} files open (500 lines, 20 nests each): "
                    f"RSS {sum(m.rss_mib for m in each):.0f} MiB, PSS {sum(m.pss_mib for m in each):.0f} MiB, "
                    f"by process {', '.join(f'{m.rss_mib:.0f}' for m in each)}"
                )
        print(f"{server.name}: a further file, open to diagnostics: {1e3 * median(times[1:]):.0f} ms in the median")
        await session.settled()
        await asyncio.sleep(WRITTEN_S)
        before = cpu_s(session.process_id)
        await asyncio.sleep(IDLE_S)
        print(
            f"{server.name}: {cpu_s(session.process_id) - before:.2f} s of CPU time in {IDLE_S:g} s without a request"
        )
        await session.stop()


async def measure_program(folder: Path, cache: Path) -> None:
    """Saves in a file of a program that was read, and of one that gives it a size; beside the same file alone."""
    files = c_program(PROGRAM_FILES // 2, 60, 2000)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "README").write_text("A program.\n", encoding="utf-8")
    ours = replace(WARPLENS, environment={"XDG_CACHE_HOME": str(cache)})
    alone = replace(ours, name="the file alone", settings={"program": {"enabled": False}})
    sessions = [Session(replace(ours, name="with its program", settings={}), folder), Session(alone, folder)]
    table = Table([session.server.name for session in sessions])
    path, text = folder / "part0.c", files["part0.c"]
    for session in sessions:
        started = time.perf_counter()
        await session.start()
        await session.open(path, text)
        first_s, used_s = time.perf_counter() - started, cpu_s(session.process_id)
        table.add("start to first diagnostics", session.server.name, first_s, used_s)
        await session.whole()
        await session.settled()
    for number in range(SAVE_ROUNDS):
        edited = text.replace("a[(i - 1) * m + j]", f"{number + 2}.5 * a[(i - 1) * m + j]", 1)
        for session in sessions:
            await table.run("save to diagnostics, one nest changed", session, session.save(path, edited))
    with_program, caller, called = sessions[0], folder / "caller0.c", files["caller0.c"]
    await with_program.open(caller, called)
    for number in range(SAVE_ROUNDS):
        edited = called.replace("part0_kernel_0(100,", f"part0_kernel_0({200 + number},")
        caller.write_text(edited, encoding="utf-8")
        await with_program.save(caller, edited)
        await table.run("then the other file's, whose size it gives", with_program, with_program.diagnosed(path))
    for session in sessions:
        await session.stop()
    table.show(f"a program of {len(files)} files")


async def main(wanted: Sequence[str]) -> None:
    """All of it, or the samples whose names contain a word of the command line."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as home:
        folder, cache = Path(home), Path(home, "cache")
        every = servers(cache)
        for sample in samples():
            if not wanted or any(word in sample.name for word in wanted):
                await measure_file(every, sample, folder, cache)
        if not wanted or "program" in wanted:
            (folder / "program").mkdir()
            await measure_program(folder / "program", cache)
        if not wanted or "memory" in wanted:
            print()
            await measure_memory(every, folder)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
