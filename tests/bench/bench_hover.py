"""Hover at the server: from the request's parameters to the bytes of its answer; printed, never asserted.

Run: python tests/bench/bench_hover.py
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from statistics import median

from generated_source import c_source
from lsprotocol import types
from warplens.server.app import build_server
from warplens.server.features.hover import hover
from warplens.server.lsp.positions import PositionMap
from warplens.server.session.documents import Document
from warplens.server.settings.settings import Settings
from warplens.server.worker.job import AnalysisJob
from warplens.server.worker.packing import unpack

ROUNDS = 5


async def main() -> None:
    """Each loop's header, the first time with its evaluation still packed, then again."""
    text = c_source(60, 2000)
    server = build_server()
    server.protocol.client_capabilities = types.ClientCapabilities()
    path = Path("/nowhere/bench.c")
    document = Document(path.as_uri(), str(path), 1, PositionMap(text, "utf-16"), "utf-16")
    document.take_text()
    document.accept(await server.analysis.run(AnalysisJob(str(path), text, Settings(analysis_time_limit_s=300), ())))
    server.documents[document.uri] = document
    await server.analysis.close()
    lines = text.split("\n")
    places = [types.Position(n, line.index("for")) for n, line in enumerate(lines) if line.lstrip().startswith("for (")]
    for name, forget in (("packed", True), ("unpacked", False)):
        times, used = [], []
        for at in places * ROUNDS:
            if forget:
                unpack.cache_clear()
            started, before = time.perf_counter(), time.thread_time()
            found = hover(server, types.HoverParams(types.TextDocumentIdentifier(document.uri), at))
            response = types.HoverResponse(id=1, result=found)
            content = json.dumps(server.converter.unstructure(response, unstructure_as=types.HoverResponse)).encode()
            times.append(time.perf_counter() - started)
            used.append(time.thread_time() - before)
            assert found
            assert b'"value"' in content
        print(f"hover, {name} ({len(times)} hovers): {_row(times)}; CPU time {_row(used)}")


def _row(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    late = ordered[-(-len(ordered) * 99 // 100) - 1]
    return f"median {1e3 * median(ordered):.2f} ms, 99 % {1e3 * late:.2f} ms, worst {1e3 * ordered[-1]:.2f} ms"


if __name__ == "__main__":
    asyncio.run(main())
