"""The dependence analysis alone: CPU time per nest of tests/fixtures/dependence, delinearisation included.

Prints median, 95th and 99th percentile, worst and the slowest nests, of the verdicts and of the graph of all
dependences (only computed when a transformation is asked for). Never asserted: the figures are kept in
docs/performance.md.
`bench_dependence.py [-I... -D...] FILE...` measures files instead.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.transforms.nest_legality import legality_of
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.ir.nest import LoopNest
from warplens.server.preprocess.flags import flags_from_arguments
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.worker.child import run_deep

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "dependence"
SHOWN = 15


def nests(path: Path, flags: Sequence[str]) -> Iterator[tuple[str, LoopNest]]:
    """Nests of a file, with their names."""
    source = path.read_text(errors="replace")
    chosen = flags_from_arguments(flags, Path.cwd())
    unit = parse_unit(source, preprocess(path, source, chosen, [path.parent], 60, trusted=True), Memo())
    for function in unit.functions:
        for at, lowered in enumerate(function.nests):
            yield f"{path.name} {function.name} {at}", lowered.nest


def summary(name: str, times_ms: list[float]) -> str:
    """One line on a list of times."""
    ordered = sorted(times_ms)
    middle, high, highest = (ordered[len(ordered) * share // 100] for share in (50, 95, 99))
    return (
        f"{name:9} median {middle:6.2f} ms   95 % {high:6.1f} ms   99 % {highest:6.1f} ms   worst {ordered[-1]:6.1f} ms"
    )


def main() -> None:
    """Table for the fixtures or the files given."""
    flags = [word for word in sys.argv[1:] if word.startswith("-")]
    paths = [Path(name).resolve() for name in sys.argv[1:] if not name.startswith("-")]
    every = [nest for path in paths or sorted(FIXTURES.glob("*.c")) for nest in nests(path, flags)]
    gc.collect()
    gc.freeze()  # collecting the nests themselves is no part of an analysis
    verdict_ms, graph_ms = [], []
    for _, nest in every:
        begin = time.process_time()
        split = delinearise(nest)
        verdicts = loop_verdicts(split)
        decided = time.process_time()
        _ = legality_of(split, verdicts).graph
        verdict_ms.append((decided - begin) * 1e3)
        graph_ms.append((time.process_time() - decided) * 1e3)
    if not every:
        return
    print(f"{len(every)} nests, {sum(verdict_ms) / 1e3:.2f} s for all verdicts")
    print(summary("verdicts", verdict_ms))
    print(summary("graph", graph_ms))
    slowest = sorted(zip(verdict_ms, graph_ms, (name for name, _ in every), strict=True), reverse=True)
    for verdict, graph, name in slowest[:SHOWN]:
        print(f"  {verdict:7.1f} ms  graph {graph:7.1f} ms  {name}")


if __name__ == "__main__":
    run_deep(main)
