"""The front end alone, beside what compilers take to parse the same file: cold, one function changed, memory.

Prints tables. Never asserted: the figures are kept in docs/performance.md. CPU time of this process, the least of
several runs; for other programs, the CPU time of their processes. `bench_frontend.py [-I... -D...]
FILE...` measures files instead.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from generated_source import c_source
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.preprocess.flags import PreprocessorFlags, flags_from_arguments
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.worker.child import collect_seldom, run_deep

ROUNDS = 5
CHANGED = "= 0;"
LARGE_LINES = 50_000
PROGRAMS = (
    ("gcc -fsyntax-only", ("gcc", "-fsyntax-only", "-w")),
    ("clang -fsyntax-only", ("clang", "-fsyntax-only", "-w")),
    ("clangd --check", ("clangd", "--check-lines=1", "--log=error")),
)


def milliseconds(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Least CPU time of some runs."""
    least = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        action()
        least = min(least, time.process_time() - started)
    return least * 1e3


def of_program(command: Sequence[str]) -> str:
    """CPU time of a program and of what it starts, least of some runs; says so where there is none or it fails."""
    if shutil.which(command[0]) is None:
        return "not installed"
    least = float("inf")
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            return "fails on this file"
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return f"{least * 1e3:.0f} ms"


def changed(text: str, value: int) -> str:
    """The source with another constant in a function of its last quarter."""
    at = text.find(CHANGED, len(text) * 3 // 4)
    return text if at < 0 else f"{text[:at]}= {value};{text[at + len(CHANGED) :]}"


def time_file(path: Path, flags: Sequence[str] = ()) -> None:
    """One file's table."""
    source = path.read_text(errors="replace")
    chosen = flags_from_arguments(flags, Path.cwd())
    preprocessed = preprocess(path, source, chosen, [path.parent], 60, trusted=True)
    memo = Memo()
    unit = parse_unit(source, preprocessed, memo)
    edits: list[tuple[str, Preprocessed]] = []
    for value in range(1, ROUNDS + 1):
        edited = changed(source, value)
        edits.append((edited, preprocess(path, edited, chosen, [path.parent], 60, trusted=True)))

    def edit() -> None:
        parse_unit(*edits.pop(), memo)

    lines, functions = source.count("\n"), len(unit.functions)
    print(f"{path.name}: {lines} lines, {functions} functions, {unit.loops_found} of {unit.loops_in_text} loops")
    print(f"  preprocessor (cc -E)       {of_program(('cc', '-E', '-w', *flags, str(path)))}")
    print(f"  front end, cold            {milliseconds(lambda: parse_unit(source, preprocessed, Memo())):.0f} ms")
    print(f"  front end, nothing changed {milliseconds(lambda: parse_unit(source, preprocessed, memo)):.1f} ms")
    print(f"  front end, one changed     {milliseconds(edit):.1f} ms")
    for name, command in PROGRAMS:
        is_clangd = command[0] == "clangd"
        if is_clangd and flags:
            continue  # it takes its flags from a compilation database
        arguments = (f"--check={path}",) if is_clangd else (*flags, str(path))
        print(f"  {name:26} {of_program((*command, *arguments))}")


def large(whole_pipeline: bool) -> None:
    """Peak memory and time for a large file; run in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.c")
        source = c_source(LARGE_LINES // 25, LARGE_LINES)
        path.write_text(source)
        preprocessed = preprocess(path, source, PreprocessorFlags(), [path.parent], 60, trusted=True)
        started = time.process_time()
        if whole_pipeline:
            gpu, cpu = load_gpu("a100"), load_cpu("server")
            found = len(analyse(source, preprocessed, gpu, cpu, AnalysisOptions(), Memo()).functions)
        else:
            found = len(parse_unit(source, preprocessed, Memo()).functions)
        seconds = time.process_time() - started
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    what = "whole pipeline" if whole_pipeline else "front end"
    print(f"{source.count(chr(10))} lines, {found} functions, {what}: {seconds:.1f} s, peak {peak_mib} MiB", flush=True)


def main() -> None:
    """Tables for generated or given files, then the large file."""
    if sys.argv[1:] in (["--large"], ["--large-pipeline"]):
        large(sys.argv[1] == "--large-pipeline")
        return
    flags = [word for word in sys.argv[1:] if word.startswith("-")]
    for name in sys.argv[1:]:
        if not name.startswith("-"):
            time_file(Path(name).resolve(), flags)
    if len(sys.argv) > 1:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "thousand.c")
        path.write_text(c_source(40, 1000))
        time_file(path)
    for mode in ("--large", "--large-pipeline"):
        sys.stdout.flush()
        subprocess.run([sys.executable, __file__, mode], check=False, env=os.environ)


if __name__ == "__main__":
    collect_seldom()  # as the process does that analyses for the server and the command line
    run_deep(main)
