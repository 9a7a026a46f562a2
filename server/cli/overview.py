"""All nests of the files of a command, one row each: what is at stake, the verdict, and why where there is none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from warplens.analysis.advice.stakes import Stake, stake_of, together, total_copied_gain_s, total_gain_s, total_now_s
from warplens.analysis.advice.worth import WORTH, Word
from warplens.analysis.ir.ids import NodeId
from warplens.server.cli.analyse_files import FileResult
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import header_span, line_in
from warplens.server.render.amounts import plural
from warplens.server.render.bound_word import bound_word
from warplens.server.render.next_step import NOTHING_TO_DO, NextStep, next_step
from warplens.server.render.open_reason import open_reason
from warplens.server.render.stakes_order import LEAST_GAIN_S, depth_of, listed_gain_s, stakes_order
from warplens.server.render.stakes_sentence import OPEN_SIZES
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack


@dataclass(frozen=True, slots=True)
class Row:
    """One nest; `line` counts from 1. `stake` is None of one that was not evaluated. `reason` says why it is open."""

    path: str
    line: int
    function: str
    stake: Stake | None
    bound: str = ""
    step: NextStep = NOTHING_TO_DO
    reason: str = ""
    depth: int = 0
    """How many loops lie in each other."""

    @property
    def is_listed(self) -> bool:
        """Whether the table has it: worth it, or it may be for sizes that somebody can say."""
        return self.word == OPEN_SIZES or listed_gain_s(self.stake) >= LEAST_GAIN_S

    @property
    def word(self) -> Word | None:
        """The verdict."""
        return None if self.stake is None else self.stake.worth.word

    @property
    def is_guessed(self) -> bool:
        """Whether its times are of a guessed size."""
        return self.stake is not None and bool(self.stake.worth.grounds.guesses)


@dataclass(frozen=True, slots=True)
class Message:
    """A warning and its place; a line of 0 is that of no line."""

    path: str
    line: int
    text: str


@dataclass(slots=True)
class Overview:
    """Rows of files that come one after the other."""

    rows: list[Row] = field(default_factory=list)
    opaque: Counter[str] = field(default_factory=Counter)
    """Code that no loop was made of, by the reason."""
    files: int = 0
    messages: list[Message] = field(default_factory=list)
    """Warnings: of the code, of what could not be read, of settings."""
    machines: tuple[str, str] = ("", "")
    """Names of the GPU and the CPU."""
    cores: str = "all cores"
    """What all of the CPU's are called."""

    def add(self, result: FileResult) -> None:
        """Take over what was found in one file; one without an answer has nothing."""
        answer = result.answer
        if answer is None:
            return
        self.files += 1
        self.opaque.update(each.reason for each in answer.opaque)
        lines = Lines(result.text)
        if answer.is_cpp:
            self.messages.append(Message(result.path, 0, "a header of C++, which is not read"))
        self.messages += [Message(each.path or result.path, each.line, each.message) for each in answer.config_problems]
        self.messages += [
            Message(result.path, lines.line_of(each.span.start) + 1, each.message)
            for each in answer.problems
            if each.severity in {"error", "warning"}
        ]
        for function in answer.functions:
            for nest in function.nests:
                self.rows.append(self._row(result, lines, function.name, nest))
                self.messages += [
                    Message(result.path, line_in(lines, nest.spans, each.node), f"{each.code} {each.message}")
                    for each in nest.findings
                    if each.severity == "warning"
                ]

    def _row(self, result: FileResult, lines: Lines, function: str, nest: NestAnswer) -> Row:
        span = header_span(nest.spans, NodeId(0))
        line = lines.line_of(span.start if span else nest.spans.base) + 1
        if not nest.packed:
            return Row(result.path, line, function, None, reason=nest.failure or "not evaluated")
        evaluation = unpack(nest.packed)
        self.machines = evaluation.gpu.name, evaluation.cpu.name
        self.cores = plural(evaluation.cpu.core_count, "core")
        stake = stake_of(function, evaluation, result.break_evens.get(nest.packed), result.path)
        step = next_step(stake.worth, evaluation, nest.fixes)
        bound, reason = bound_word(evaluation), open_reason(evaluation, stake.worth)
        return Row(result.path, line, function, stake, bound, step, reason, depth_of(evaluation.facts.nest.root))

    def seen_together(self) -> list[Row]:
        """The rows, each with whether it is part of another one; what gains most comes first."""
        known = [row.stake for row in self.rows if row.stake is not None]
        marked = iter(together(known))
        rows = [row if row.stake is None else replace(row, stake=next(marked)) for row in self.rows]
        return sorted(rows, key=lambda row: (*stakes_order(row.stake, row.depth), row.path, row.line))


def overview_as_json(overview: Overview) -> dict[str, Any]:
    """Totals and the rows, what gains most first; times are of all counted runs, None where they have no ground."""
    rows = overview.seen_together()
    stakes = [row.stake for row in rows if row.stake is not None]
    worth = [row.stake for row in rows if row.stake is not None and row.word in WORTH]
    return {
        "now_s": total_now_s(stakes),
        "gain_s": total_gain_s(worth),
        "copied_gain_s": total_copied_gain_s(worth),
        "nests": len(rows),
        "verdicts": [
            {"verdict": word, "count": count}
            for word, count in Counter(row.word or "not evaluated" for row in rows).most_common()
        ],
        "rows": [_row_as_json(row) for row in rows],
    }


def _row_as_json(row: Row) -> dict[str, Any]:
    stake = row.stake
    has_time = stake is not None and stake.has_time
    return {
        "path": row.path,
        "line": row.line,
        "function": row.function,
        "verdict": row.word,
        "now_s": stake.now_s if stake is not None and has_time else None,
        "gain_s": stake.gain_s if stake is not None and has_time else None,
        "runs": None if stake is None else stake.runs,
        "is_part": stake is not None and stake.is_part,
        "is_guessed": row.is_guessed,
        "bound": row.bound or None,
        "step": row.step.long.replace("`", "") or None,
        "reason": row.reason.replace("`", "") or None,
    }
