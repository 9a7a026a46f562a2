"""A C file with the OpenMP ports of its nests, as an editor inserts them."""

import re

from warplens.analysis.engine.report import NestReport, Report
from warplens.analysis.ports.openmp.target import OpenMpPort, insertable, openmp_target


def ported_text(source: str, report: Report) -> tuple[str, list[OpenMpPort]]:
    """Source with the lines of all nests of `work` above their loops, indented like them, and the ports."""
    ports: list[OpenMpPort] = []
    edits: list[tuple[int, str]] = []
    for nest in _nests_of_work(report):
        assert nest.evaluation is not None, nest.failure
        port = insertable(openmp_target(nest.evaluation), nest.spans, source)
        ports.append(port)
        headers = dict(nest.spans.header)
        for order, line in enumerate(port.lines):
            at = source.rfind("\n", 0, nest.spans.base + headers[line.loop].start) + 1
            indent = re.match(r"[ \t]*", source[at:])
            edits.append((at, f"{indent[0] if indent else ''}{line.text}\n"))
            assert order == 0 or edits[-2][0] <= at, "outermost first"
    for at in sorted({at for at, _ in edits}, reverse=True):
        source = source[:at] + "".join(text for place, text in edits if place == at) + source[at:]
    return source, ports


def _nests_of_work(report: Report) -> list[NestReport]:
    return [nest for function in report.functions if function.name == "work" for nest in function.nests]
