"""What `warplens compare` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.server.cli.layout import print_indented, print_list, print_table
from warplens.server.compared_gpus.job import ComparedGpu, smallest_row
from warplens.server.json.compared_gpus import row_as_json
from warplens.server.json.version import JSON_VERSION
from warplens.server.render.compared_table import DATA_WORDS, compared_notes, compared_table, smallest_sentence
from warplens.server.render.headline import sizes_text


@dataclass(frozen=True, slots=True)
class Compared:
    """A nest's rows, and what was asked of them; `limit_s` is None where no time was."""

    path: str
    line: int
    function: str
    evaluation: NestEvaluation
    rows: tuple[ComparedGpu, ...]
    data: str
    limit_s: float | None

    @property
    def smallest(self) -> ComparedGpu | None:
        """The smallest GPU that takes at most the time that was asked for."""
        return None if self.limit_s is None else smallest_row(self.rows, self.limit_s, self.data)

    @property
    def notes(self) -> tuple[str, ...]:
        """What stands below the table, the answer to the question last."""
        notes = compared_notes(self.rows)
        if self.limit_s is None:
            return notes
        return (*notes, smallest_sentence(self.smallest, self.limit_s, self.data, len(self.rows)))


def print_compared(console: Console, compared: Compared) -> None:
    """The table, and last what follows from it."""
    head = Text.assemble((f"{compared.path}:{compared.line}:", "cyan"), (f" {compared.function}()", "bold"))
    of = f"{sizes_text(compared.evaluation)}; {compared.evaluation.cpu.name}"
    print_indented(
        console, head, Text(f" on {len(compared.rows)} GPUs, fastest first {DATA_WORDS[compared.data]}{of}"), 2
    )
    print_table(console, compared_table(compared.rows), 2)
    print_list(console, "Notes", compared.notes, 2)


def compared_as_json(compared: Compared) -> dict[str, Any]:
    """The rows with what they are of (docs/compare.md)."""
    smallest = compared.smallest
    return {
        "version": JSON_VERSION,
        "path": compared.path,
        "line": compared.line,
        "function": compared.function,
        "cpu": compared.evaluation.cpu.id,
        "sizes": dict(compared.evaluation.sizes),
        "data": compared.data,
        "gpus": [row_as_json(row) for row in compared.rows],
        "notes": list(compared.notes),
        "limit_s": compared.limit_s,
        "smallest": None if smallest is None else smallest.gpu,
    }
