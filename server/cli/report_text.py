"""The report of a file as text: per nest the prediction, its loops and the findings; colour only on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from rich.console import Console
from rich.text import Text
from warplens.analysis.advice.naming import c_name
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.models.evaluation import NestEvaluation
from warplens.server.positions import PositionMap
from warplens.server.render.card import Card
from warplens.server.render.headline import plural
from warplens.server.render.loop_card import PARALLEL, SIMPLIFIED, loop_card, verdict_sentences
from warplens.server.to_lsp import header_span, node_span
from warplens.server.worker.job import Answer, NestAnswer
from warplens.server.worker.packing import unpack

_SEVERITY_STYLE = {"warning": "yellow", "information": "cyan", "hint": "dim"}
_MARK = {"parallel": "parallel", "reduction": "reduction", "carried": "sequential", "unknown": "not known"}


def print_file(console: Console, path: str, text: str, answer: Answer) -> None:
    """Print everything about one file."""
    positions = PositionMap(text, "utf-32")
    for problem in answer.config_problems:
        console.print(Text(f"{problem.path or path}: {problem.message}", "yellow"))
    for item in answer.problems:
        console.print(_place(path, positions, item.span.start), Text(f"{item.severity}: {item.message}"))
    nests = [nest for function in answer.functions for nest in function.nests]
    cards = [_card(positions, nest) for nest in nests]
    simplified = Counter(item for card in cards if card for item in _simplified(card))
    throughout = [item for item, count in simplified.items() if count > 1]
    for nest, card in zip(nests, cards, strict=True):
        _print_nest(console, path, positions, nest, card, throughout)
    _print_list(console, f"{SIMPLIFIED}, in several loops", throughout)
    for opaque in answer.opaque:
        where = f" in {opaque.function}" if opaque.function else ""
        console.print(
            _place(path, positions, opaque.span.start), Text(f"not analysed{where}: {opaque.reason}", "magenta")
        )


def print_summary(console: Console, answers: Sequence[Answer], failed: int) -> None:
    """Print the counts over all files: loops found, parallel, opaque by reason."""
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    nests = 0
    for answer in answers:
        reasons.update(opaque.reason for opaque in answer.opaque)
        for function in answer.functions:
            for nest in function.nests:
                nests += 1
                if nest.packed:
                    kinds.update(verdict.kind for verdict in unpack(nest.packed).facts.verdicts)
                else:
                    reasons[nest.failure or "not evaluated"] += 1
    loops = sum(answer.loops_found for answer in answers)
    counts = ", ".join(f"{count} {_MARK[kind]}" for kind, count in kinds.most_common())
    found = f"{plural(len(answers), 'file')}, {plural(loops, 'loop')} in {plural(nests, 'nest')}"
    console.print(
        Text(f"{found}: {counts}" if counts else found, "bold"),
        Text(f"; {sum(reasons.values())} not analysed" if reasons else ""),
        sep="",
    )
    for reason, count in reasons.most_common():
        console.print(Text(f"  {count} x {reason}"))
    if failed:
        console.print(Text(f"{plural(failed, 'file')} not analysed", "bold red"))


def _line_of(positions: PositionMap, nest: NestAnswer, node: NodeId) -> int:
    span = node_span(nest.spans, node)
    return 0 if span is None else positions.line_of(span.start) + 1


def _card(positions: PositionMap, nest: NestAnswer) -> Card | None:
    if not nest.packed:
        return None
    evaluation = unpack(nest.packed)
    return loop_card(evaluation, evaluation.facts.nest.root.id, partial(_line_of, positions, nest))


def _simplified(card: Card) -> tuple[str, ...]:
    return next((section.items for section in card.sections if section.title == SIMPLIFIED), ())


def _print_nest(
    console: Console,
    path: str,
    positions: PositionMap,
    nest: NestAnswer,
    card: Card | None,
    said_below: Sequence[str],
) -> None:
    start = header_span(nest.spans, NodeId(0))
    place = _place(path, positions, start.start if start else nest.spans.base)
    title = Text(f"{nest.id.function}()", "bold")
    if card is None:
        console.print(place, title, Text(f"not analysed: {nest.failure}", "magenta"))
        return
    evaluation = unpack(nest.packed)
    line_of = partial(_line_of, positions, nest)
    console.print(place, title)
    console.print(Text(f"  {card.headline}", _headline_style(evaluation)))
    _print_card(console, card, said_below)
    console.print(Text("  Loops", "bold"))
    for loop in loops_of(evaluation.facts.nest):
        verdict = evaluation.facts.verdict(loop.id)
        head = f"    line {line_of(loop.id)}, {c_name(loop.iterator)}: {_MARK[verdict.kind]}"
        console.print(Text(f"{head}. {' '.join(verdict_sentences(evaluation.facts.nest, verdict, line_of))}"))
    for finding in nest.findings:
        span = node_span(nest.spans, finding.node)
        console.print(
            Text("  "),
            _place(path, positions, span.start if span else nest.spans.base),
            Text(f" {finding.severity} {finding.code}", _SEVERITY_STYLE[finding.severity]),
            Text(f" {finding.message}"),
            sep="",
        )
    console.print()


def _print_card(console: Console, card: Card, said_below: Sequence[str]) -> None:
    width = max((len(name) for name, _ in card.rows), default=0)
    for name, value in card.rows:
        console.print(Text(f"    {name:<{width}}  ", "dim"), Text(value), sep="")
    for section in card.sections:
        if section.title != PARALLEL:
            _print_list(console, f"  {section.title}", [item for item in section.items if item not in said_below])
    console.print(Text(f"  {card.footer}", "dim"))


def _print_list(console: Console, title: str, items: Sequence[str]) -> None:
    if items:
        indent = title[: len(title) - len(title.lstrip())]
        console.print(Text(title, "bold"))
        for item in items:
            console.print(Text(f"{indent}  - {item}"))


def _headline_style(evaluation: NestEvaluation) -> str:
    offload = evaluation.offload
    if offload is None:
        return "dim"
    if offload.cold_s < offload.one_core_s:
        return "bold green"
    return "bold yellow" if offload.resident_s < offload.one_core_s else "bold red"


def _place(path: str, positions: PositionMap, offset: int) -> Text:
    position = positions.position(offset)
    return Text(f"{path}:{position.line + 1}:{position.character + 1}:", "cyan")
