"""From a nest's answer to what its fixes are made from."""

from __future__ import annotations

from pathlib import PurePath

from warplens.analysis.ports.fix import FixContext
from warplens.server.worker.job import FunctionAnswer, NestAnswer
from warplens.server.worker.packing import unpack


def fix_context(path: str, text: str, function: FunctionAnswer, nest: NestAnswer) -> FixContext:
    """What a fix of a nest is made from; `text` is the file's as the answer speaks of it, `nest` one with a report."""
    return FixContext(
        unpack(nest.packed), nest.spans, text, PurePath(path).name, nest.id, function.span, function.has_one_nest
    )
