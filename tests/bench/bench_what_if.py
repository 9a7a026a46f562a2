"""What-if beside hover at the client, and its CPU time in one process: sizes, GPUs and launches, one after another.

Prints a table. Never asserted: the figures are kept in docs/performance.md. Run: python tests/bench/bench_what_if.py
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from editor_session import WARPLENS, Session
from lsprotocol import types
from warplens.server.settings.settings import Settings
from warplens.server.what_if.answer import answered
from warplens.server.what_if.job import WhatIfJob
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.job import AnalysisJob

NESTS = {
    "vecadd": "for (int i = 0; i < n; i++) e[i] = a[i] + b[i];",
    "transpose": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) e[j*n+i] = a[i*n+j];",
    "matmul": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {"
    " float s = 0; for (int k = 0; k < n; k++) s += a[i*n+k] * b[k*n+j]; e[i*n+j] = s; }",
    "convolution": "for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) { float s = 0;"
    " for (int i = 0; i < 15; i++) for (int j = 0; j < 15; j++) s += a[(y+i)*(n+14)+x+j] * b[i*15+j];"
    " e[y*n+x] = s; }",
    "four_arrays": "for (int h = 1; h < n-1; h++) for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++)"
    " e[(h*n+i)*n+j] = a[(h*n+i)*n+j] + a[((h-1)*n+i)*n+j] + a[((h+1)*n+i)*n+j]"
    " + b[(h*n+i)*n+j] + b[(h*n+i-1)*n+j] + b[(h*n+i+1)*n+j]"
    " + c[(h*n+i)*n+j] + c[(h*n+i)*n+j-1] + c[(h*n+i)*n+j+1]"
    " + d[(h*n+i)*n+j] + d[(h*n+i)*n+j-1] + d[(h*n+i+1)*n+j+1];",
}
ARRAYS = ", ".join(f"const float *restrict {name}" for name in "abcd")
SOURCE = "".join(f"void {name}(int n, {ARRAYS}, float *restrict e) {{\n  {body}\n}}\n" for name, body in NESTS.items())
ROUNDS = 8
GPUS = ("k20", "h100", "v100", "rtx2080ti", "a4000", "gtx980")


def questions(number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Changes by kind; no two numbers ask the same, so that none is remembered."""
    flat = number % 2 == 0
    yield "nothing", {}
    yield "size", {"sizes": {"n": 300 + 7 * number}}
    yield "GPU and size", {"gpu": GPUS[number % len(GPUS)], "sizes": {"n": 301 + 7 * number}}
    yield "block", {"block": [32 + 32 * (number % 8)], "sizes": {"n": 302 + 7 * number}}
    yield "work per thread", {"workPerThread": 2 if flat else 4, "sizes": {"n": 303 + 7 * number}}
    yield "shared none", {"shared": [], "sizes": {"n": 304 + 7 * number}}
    yield "CPU, resident", {"cpu": "desktop", "data": "resident"}


async def at_the_client() -> None:
    """Requests of a client to a warm server, hovers between them."""
    times: dict[tuple[str, str], list[float]] = {}
    hovers: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.c")
        editor = Session(WARPLENS, path.parent)
        await editor.start()
        await editor.open(path, SOURCE)
        await asyncio.sleep(3)  # break-evens are found behind the diagnostics
        for number in range(-1, ROUNDS):
            for at, name in enumerate(NESTS):
                for kind, changes in questions(number):
                    seconds = await asked(editor, path, name, changes)
                    if number >= 0:
                        times.setdefault((name, kind), []).append(seconds)
                if number >= 0:
                    hovers.append(await editor.hover(path, 3 * at + 1, 4))
        await editor.stop()
    print("\nat the client, milliseconds: median, 95 %, most")
    for (name, kind), some in times.items():
        print(f"{name:12} {kind:16} {row(some)}")
    print(f"{'all':12} {'what-if':16} {row([each for some in times.values() for each in some])}")
    print(f"{'all':12} {'hover':16} {row(hovers)}")


async def asked(editor: Session, path: Path, function: str, changes: dict[str, Any]) -> float:
    """Seconds for one what-if."""
    params = {
        "textDocument": {"uri": path.as_uri()},
        "nest": {"function": function, "ordinal": 0},
        "changes": changes,
        "panel": "bench",
    }
    command = types.ExecuteCommandParams("warplens.whatIf", [params])
    started = time.perf_counter()
    answer: Any = await editor.client.workspace_execute_command_async(command)
    seconds = time.perf_counter() - started
    if answer["result"] is None or answer["problems"]:
        raise RuntimeError(answer["problems"])
    return seconds


def in_one_process() -> None:
    """CPU time of the analysis process for one answer: what another process on the core does not change much."""
    job = AnalysisJob("/bench.c", SOURCE, Settings(), ("/",))
    answer = analyse_document(job, Remembered())
    print("CPU time of an answer, milliseconds: median, 95 %, most; with what the report's page draws")
    for function in answer.functions:
        times: dict[str, tuple[list[float], list[float]]] = {}
        for number in range(-1, ROUNDS):
            for kind, changes in questions(number):
                for with_page in (False, True):
                    started = time.process_time()
                    answered(WhatIfJob(SOURCE, function.nests[0], changes, 10.0, with_page=with_page))
                    if number >= 0:
                        times.setdefault(kind, ([], []))[with_page].append(time.process_time() - started)
        for kind, (bare, page) in times.items():
            print(f"{function.name:12} {kind:16} {row(bare)}   {row(page)}")


def row(seconds: list[float]) -> str:
    """Median, 95th percentile and the longest, in milliseconds."""
    ordered = sorted(seconds)
    late = ordered[max(0, -(-len(ordered) * 95 // 100) - 1)]
    return f"{1e3 * ordered[len(ordered) // 2]:7.1f} {1e3 * late:7.1f} {1e3 * ordered[-1]:7.1f}"


if __name__ == "__main__":
    in_one_process()
    asyncio.run(at_the_client())
