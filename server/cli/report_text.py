"""Everything about the loops of a file as text: per nest the prediction, its loops with their findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text
from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.worth import worth_of
from warplens.analysis.engine.stand_in_code import stand_in_code
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.server.cli.analyse_files import FileResult
from warplens.server.cli.layout import print_indented, print_list, print_rows, print_section
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import header_span, line_in, node_span
from warplens.server.measure.counters.static_times import static_times_of_nest
from warplens.server.render.card import Card, Section
from warplens.server.render.elsewhere_rows import elsewhere_rows
from warplens.server.render.fix_title import refused_fixes
from warplens.server.render.hidden_text import hidden_text
from warplens.server.render.loop_card import ASSUMED, PARALLEL, SIMPLIFIED, TRUST, kernel_of, loop_card
from warplens.server.render.loop_reasons import assumption_text, verdict_sentences
from warplens.server.render.loop_rows import MEASURED, loop_rows, nest_rows
from warplens.server.render.macro_rows import macro_rows
from warplens.server.render.measured_kernel import kernel_sections
from warplens.server.render.measured_times import timing_rows
from warplens.server.render.size_places import with_places
from warplens.server.render.visible_text import visible_name
from warplens.server.render.worth_sentence import comparison_text
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack

_SEVERITY_STYLE = {"warning": "yellow", "information": "cyan", "hint": "dim"}
_MARK = {"parallel": "parallel", "reduction": "reduction", "carried": "sequential", "unknown": "not known"}
_WITH_PLACES = frozenset(("WL103", "WL104"))
"""Rules whose findings are about several places, which are all printed."""

_SAID_ONCE = (ASSUMED, SIMPLIFIED, TRUST)


def print_file(console: Console, result: FileResult, at_lines: Sequence[int] = (), *, is_quiet: bool = False) -> None:
    """Print everything about one file, or about the nests at some lines; what several have in common comes last.

    Quiet: nothing of nests that show nothing beside their code.
    """
    path, answer = result.path, result.answer
    if answer is None:
        return
    lines = Lines(result.text)
    place = partial(_place, path, lines)
    for problem in answer.config_problems:
        console.print(Text(problem.text if problem.path else f"{path}: {problem.message}", "yellow"))
    if answer.is_cpp:
        console.print(Text(f"{visible_name(path)}: a header of C++, which is not read", "dim"))
    for item in answer.problems:
        print_indented(console, place(item.span.start), Text(f" {item.severity}: {item.message}"), 2)
    nests = [
        _Nest.of(lines, nest, result.break_evens.get(nest.packed), answer.program_root)
        for function in answer.functions
        for nest in function.nests
        if (not at_lines or any(_is_at(lines, nest, line) for line in at_lines))
        and not (is_quiet and nest.hidden is not None and not at_lines)
    ]
    common = _common(nests)
    for nest in nests:
        _print_nest(console, place, nest, common)
    for opaque in (each for each in answer.opaque if each.is_shown and not at_lines):
        where = f" in {opaque.function}" if opaque.function else ""
        reason = Text(f" not analysed{where}: {opaque.reason}", "magenta")
        print_indented(console, place(opaque.span.start), reason, 2)
    for title in _SAID_ONCE:
        print_list(console, f"{title} (several loops)", common[title], 0)
    for footer in dict.fromkeys(nest.card.footer for nest in nests if nest.card):
        print_indented(console, Text(), Text(footer, "dim"), 2)
    console.print()


def _is_at(lines: Lines, nest: NestAnswer, line: int) -> bool:
    """Whether a line, which counts from 1, is one of the nest's."""
    base = nest.spans.base
    whole = (span for node, span in nest.spans.whole if node == NodeId(0))
    return any(lines.line_of(base + span.start) < line <= lines.line_of(base + span.end) + 1 for span in whole)


@dataclass(frozen=True, slots=True)
class _Nest:
    """A nest with its card; both None where nothing was evaluated."""

    answer: NestAnswer
    line_of: Callable[[NodeId], int]
    line_at: Callable[[int], int]
    evaluation: NestEvaluation | None = None
    card: Card | None = None
    break_even: BreakEven | None = None

    @staticmethod
    def of(lines: Lines, answer: NestAnswer, break_even: BreakEven | None, root: str) -> _Nest:
        line_of = partial(line_in, lines, answer.spans)
        if not answer.packed:
            return _Nest(answer, line_of, lines.line_of)
        evaluation = unpack(answer.packed)
        card = loop_card(evaluation, evaluation.facts.nest.root.id, line_of, break_even=break_even)
        card = with_places(card, evaluation, answer.size_sources, root)
        return _Nest(answer, line_of, lines.line_of, evaluation, card, break_even)

    def start_of(self, node: NodeId) -> int:
        span = node_span(self.answer.spans, node)
        return span.start if span else self.answer.spans.base

    def loop_around(self, finding: Finding) -> NodeId:
        """The innermost loop that a finding stands in, the root for one without a place."""
        at = self.start_of(finding.node) - self.answer.spans.base
        around = [(span.end - span.start, loop) for loop, span in self.answer.spans.whole if span.contains(at)]
        return min(around, default=(0, NodeId(0)))[1]


def _common(nests: Sequence[_Nest]) -> dict[str, list[str]]:
    """By section what more than one nest says; sizes stay with their nest."""
    assumed = (assumption for nest in nests if nest.evaluation for assumption in nest.evaluation.assumptions)
    sizes = tuple({assumption_text(one) for one in assumed if one.kind == "size"})
    sections = [section for nest in nests if nest.card for section in nest.card.sections]
    common: dict[str, list[str]] = {}
    for title in _SAID_ONCE:
        said = Counter(item for section in sections if section.title == title for item in section.items)
        common[title] = [item for item, count in said.items() if count > 1 and not item.startswith(sizes)]
    return common


def _print_nest(console: Console, place: Callable[[int], Text], nest: _Nest, common: dict[str, list[str]]) -> None:
    start = header_span(nest.answer.spans, NodeId(0))
    head = place(start.start if start else nest.answer.spans.base)
    title = Text(f" {nest.answer.id.function}()", "bold")
    if nest.card is None or nest.evaluation is None:
        reason = Text.assemble(title, (f" not analysed: {nest.answer.failure}", "magenta"))
        print_indented(console, head, reason, 2)
        console.print()
        return
    evaluation = nest.evaluation
    console.print(head, title, sep="")
    print_indented(console, Text("  "), Text(nest.card.headline, _headline_style(evaluation, nest.break_even)), 4)
    if comparison := comparison_text(evaluation):
        print_indented(console, Text("  "), Text(comparison), 4)
    if nest.answer.hidden is not None:
        print_indented(console, Text("  "), Text(hidden_text(nest.answer.hidden), "dim"), 4)
    rows = nest_rows(evaluation, kernel_of(evaluation, NodeId(0)), nest.line_of, nest.break_even)
    print_rows(console, (*rows, *timing_rows(nest.answer.timings, evaluation)), 4)
    console.print(Text("  Loops", "bold"))
    stand_ins = stand_in_code(evaluation.facts.nest, nest.answer.spans)
    for loop in loops_of(evaluation.facts.nest):
        if loop.id not in stand_ins:
            _print_loop(console, place, nest, evaluation, loop)
    for section in nest.card.sections:
        if section.title != PARALLEL:
            items = [item for item in section.items if item not in common.get(section.title, ())]
            print_section(console, Section(section.title, tuple(items), section.table), 2)
    print_section(console, refused_fixes(nest.answer.fixes, evaluation.facts.nest.root.id), 2)
    if kernels := nest.answer.kernels:
        predicted = static_times_of_nest(evaluation, kernels, (Path.cwd(),))
        for section in kernel_sections(kernels, predicted, evaluation.gpu.id):
            print_section(console, section, 2)
    console.print()


def _print_loop(
    console: Console, place: Callable[[int], Text], nest: _Nest, evaluation: NestEvaluation, loop: Loop
) -> None:
    verdict = evaluation.facts.verdict(loop.id)
    why, *more = verdict_sentences(evaluation.facts.nest, verdict, nest.line_of)
    head = f"    line {nest.line_of(loop.id)}, {c_name(loop.iterator)}: {_MARK[verdict.kind]}."
    print_indented(console, Text(head), Text(f" {why}"), 6)
    for sentence in more:
        print_indented(console, Text("      "), Text(sentence), 6)
    rows = loop_rows(evaluation, loop.id, kernel_of(evaluation, loop.id))
    counts = ", ".join(f"{name} {value}" for name, value in rows if name != MEASURED)
    print_indented(console, Text("      "), Text(counts, "dim"), 6)
    for name, value in rows:
        if name == MEASURED:
            print_indented(console, Text("      "), Text(f"{name}: {value}"), 6)
    beside = macro_rows(nest.answer.macros, loop.id, nest.line_at)
    if loop.id == evaluation.facts.nest.root.id:
        beside += elsewhere_rows(nest.answer.elsewhere)
    for name, value in beside:
        print_indented(console, Text("      "), Text(f"{name} {value}", "dim"), 6)
    for finding in nest.answer.findings:
        if nest.loop_around(finding) == loop.id:
            code = Text(f" {finding.severity} {finding.code}", _SEVERITY_STYLE[finding.severity])
            where = Text.assemble("      ", place(nest.start_of(finding.node)))
            print_indented(console, where, Text.assemble(code, f" {finding.message}"), 8)
            for related in finding.related if finding.code in _WITH_PLACES else ():
                at = Text.assemble("        ", place(nest.start_of(related.node)))
                print_indented(console, at, Text(f" {related.message}", "dim"), 10)


def _headline_style(evaluation: NestEvaluation, break_even: BreakEven | None) -> str:
    word = worth_of(evaluation, break_even).word
    return {"worth it": "bold cyan", "if data stays": "bold cyan", "size decides": "bold blue"}.get(word, "bold")


def _place(path: str, lines: Lines, offset: int) -> Text:
    return Text(f"{visible_name(path)}:{lines.line_of(offset) + 1}:{lines.column_of(offset) + 1}:", "cyan")
