"""The nests of an analysed file as fixes are asked about them."""

from collections.abc import Iterator

from warplens.analysis.engine.report import Report
from warplens.analysis.ports.fix import FixContext


def contexts(source: str, report: Report, file_name: str = "main.c") -> Iterator[FixContext]:
    """One per nest of the report, in source order; a nest whose analysis failed is an error."""
    for function in report.functions:
        for nest in function.nests:
            assert not nest.failure, nest.failure
            assert nest.evaluation is not None
            only = len(function.nests) == 1
            yield FixContext(nest.evaluation, nest.spans, source, file_name, nest.id, function.span, only)
