"""One function edited in files with the shape of real ones: what the front end takes once the file is known.

Prints a table for a generated file of 3000 lines with a header of 15 000, or for `bench_warm.py [-I... -D...] FILE...`.
Never asserted: the figures are kept in docs/performance.md. CPU time of this process without the preprocessor's, the
least of several edits of each function; a ratio to the cold run of the same file says more on a busy machine.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from generated_project import HEADER, project
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.comments.translation_unit import LoweredFunction
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.server.preprocess.flags import PreprocessorFlags, flags_from_arguments
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.worker.child import collect_seldom, run_deep

ROUNDS = 5
MOST_FUNCTIONS = 30
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_LOCAL = re.compile(r"\b(?:int|long|float|double|size_t)\s+(\w+)\s*[=;,]")


def constant_changed(source: str, function: LoweredFunction, value: int) -> str | None:
    """Another number at the end of the function's first nest."""
    spans = function.nests[0].spans
    start, end = (spans.base + at for at in (spans.whole[0][1].start, spans.whole[0][1].end))
    numbers = list(_NUMBER.finditer(source, start, end))
    if not numbers:
        return None
    return source[: numbers[-1].start()] + str(value + 3) + source[numbers[-1].end() :]


def line_added(source: str, function: LoweredFunction, value: int) -> str | None:
    """Statements at the start of the body: all that follows stands lower."""
    opening = source.find("{", function.span.start, function.span.end)
    return None if opening < 0 else source[: opening + 1] + "\n    ;" * (value + 1) + source[opening + 1 :]


def local_renamed(source: str, function: LoweredFunction, value: int) -> str | None:
    """Another name for a local throughout the function."""
    start, end = function.span.start, function.span.end
    local = _LOCAL.search(source, source.find("{", start, end), end)
    if local is None:
        return None
    return source[:start] + re.sub(rf"\b{local[1]}\b", f"{local[1]}_{value}", source[start:end]) + source[end:]


EDITS: tuple[tuple[str, Callable[[str, LoweredFunction, int], str | None]], ...] = (
    ("a constant changed", constant_changed),
    ("a line added", line_added),
    ("a local renamed", local_renamed),
)


def time_file(path: Path, flags: PreprocessorFlags) -> None:
    """One file's table."""
    source = path.read_text(errors="replace")

    def preprocessed(text: str) -> Preprocessed:
        return preprocess(path, text, flags, [path.parent], 60, trusted=True)

    first, memo = preprocessed(source), Memo()
    cold = min(milliseconds(source, first, Memo()) for _ in range(3))
    unit = parse_unit(source, first, memo)
    same = min(milliseconds(source, first, memo) for _ in range(ROUNDS))
    lines = first.text.count("\n")
    print(f"{path.name}: {source.count(chr(10))} lines, {lines} preprocessed, {len(unit.functions)} functions")
    print(f"  cold {cold:.0f} ms, nothing changed {same:.2f} ms")
    functions = [function for function in unit.functions if function.nests]
    functions = functions[:: max(len(functions) // MOST_FUNCTIONS, 1)]
    for name, change in EDITS:
        took = list(times(source, functions, change, preprocessed, memo))
        if took:
            middle, worst = statistics.median(took), max(took)
            shown = (
                f"median {middle:.1f} ms, worst {worst:.1f} ms, {sum(one < 10 for one in took)} of {len(took)} under 10"
            )
            print(f"  {name:18} {shown} ms; {middle / cold:.3f} of a cold run")


def times(
    source: str,
    functions: Sequence[LoweredFunction],
    change: Callable[[str, LoweredFunction, int], str | None],
    preprocessed: Callable[[str], Preprocessed],
    memo: Memo,
) -> Iterator[float]:
    """The least time of some edits of each function, each text a new one."""
    for function in functions:
        texts = [text for value in range(ROUNDS) if (text := change(source, function, value)) is not None]
        if texts:
            yield min(milliseconds(text, preprocessed(text), memo) for text in texts)


def milliseconds(source: str, preprocessed: Preprocessed, memo: Memo) -> float:
    """CPU time of the front end."""
    started = time.process_time()
    parse_unit(source, preprocessed, memo)
    return (time.process_time() - started) * 1e3


def main() -> None:
    """The generated file, or those that are named."""
    words = [word for word in sys.argv[1:] if word.startswith("-")]
    paths = [Path(word).resolve() for word in sys.argv[1:] if not word.startswith("-")]
    for path in paths:
        time_file(path, flags_from_arguments(words, Path.cwd()))
    if not paths:
        with tempfile.TemporaryDirectory() as folder:
            made = project(60, 3000, 15_000)
            Path(folder, HEADER).write_text(made.header)
            path = Path(folder, "project.c")
            path.write_text(made.source)
            time_file(path, PreprocessorFlags())


if __name__ == "__main__":
    collect_seldom()  # as the process does that analyses for the server and the command line
    run_deep(main)
