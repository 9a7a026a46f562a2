"""Text to insert above a loop, and the edit that puts it there."""

from __future__ import annotations

from lsprotocol import types
from warplens.analysis.advice.quantities import bytes_text, count_text
from warplens.analysis.models.evaluation import NestEvaluation
from warplens.analysis.text.span import Span
from warplens.server.documents import Document
from warplens.server.render.launch_words import block_text


def insert_above(document: Document, header: Span, lines: tuple[str, ...]) -> types.TextEdit:
    """Insert whole lines above the line of a loop header, indented like it, with the file's line ends.

    A header behind other code on its line gets the lines right in front of itself.
    """
    positions = document.positions
    line = positions.line_of(header.start)
    start = positions.line_start(line)
    before = document.text[start : header.start]
    line_end = "\r\n" if "\r\n" in document.text else "\n"
    if before.strip():
        at, indent, head = header.start, "", line_end
    else:
        at, indent, head = start, before, ""
    text = head + "".join(f"{indent}{each}{line_end}" for each in lines)
    place = positions.position(at)
    return types.TextEdit(types.Range(place, place), text)


def size_directive(evaluation: NestEvaluation, name: str) -> tuple[str, ...]:
    """The comment that sets a parameter, with the value in force for the user to change; empty for an unknown name."""
    return tuple(f"// warplens: {each} = {value}" for each, value in evaluation.sizes if each == name)


def shared_memory_comment(evaluation: NestEvaluation) -> tuple[str, ...]:
    """What to stage in shared memory, as a comment block: arrays, bytes per block, reads served."""
    lines: list[str] = []
    for kernel in evaluation.kernels:
        launch = kernel.prediction.launch
        staged = {choice.array for choice in launch.shared}
        lines.append(f" * Shared memory per block of {block_text(launch.block)} threads ({evaluation.gpu.name}):")
        for choice in kernel.shared_greedy:
            verb = "stage" if choice.array in staged else "leave"
            reads = f"{count_text(choice.reads_per_block)} reads served, saves {bytes_text(choice.saved_bytes)}"
            lines.append(f" *   {verb} {choice.array}: {bytes_text(choice.size_bytes)}, {reads}")
        lines.append(
            f" *   in all {bytes_text(launch.shared_bytes_per_block)} of "
            f"{bytes_text(evaluation.gpu.occupancy.shared_per_block_bytes)}"
        )
    return ("/*", *lines, " */") if lines else ()
