"""What a hover on a loop's header says: the sentence, what it is held against, and the one thing that would help most.

It fits sixteen lines; all else is in the report and in `warplens check FILE:LINE`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from warplens.analysis.advice.mapping_words import shown_mapping
from warplens.analysis.advice.worth import is_gain, worth_of
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.assumption import Assumption, Origin
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.choice.time_range import is_short
from warplens.analysis.models.results.benefit import BenefitCause
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.analysis.ports.fix import OfferedFix
from warplens.analysis.text.quantities import count_text
from warplens.analysis.text.rounded import times_text
from warplens.server.render.amounts import plural
from warplens.server.render.card import Card
from warplens.server.render.grounds_text import listed
from warplens.server.render.headline import written_text
from warplens.server.render.launch_words import shape_text
from warplens.server.render.loop_card import kernel_of, role_text
from warplens.server.render.loop_reasons import LineOf, hottest_access
from warplens.server.render.loop_rows import MEASURED, iterations_text, measured_text
from warplens.server.render.mapping_words import directives_text
from warplens.server.render.model_words import bound_text
from warplens.server.render.worth_sentence import comparison_text, worth_sentence

Row = tuple[str, str]
_HELPS: Mapping[BenefitCause, str] = {
    "uncoalesced": "let neighbouring threads read neighbouring elements",
    "fetched again": "keep what a block reads again in shared memory",
    "shared memory": "less traffic to shared memory",
    "spills": "fewer variables in a thread: its registers do not hold them all",
    "memory latency": "more loads at a time: more threads, or more loads that need no other",
    "barriers": "fewer barriers: larger tiles, or smaller blocks",
    "special functions": "fewer divisions, roots and functions of math.h",
    "divergence": "conditions that all threads of a warp meet alike",
    "bank conflicts": "rows of shared memory that are one element longer",
    "few warps": "more threads: a longer loop, or two loops as one grid",
    "other instructions": "less arithmetic for subscripts and loop counters",
}
_ORIGINS: Mapping[Origin, str] = {
    "default": "a guess",
    "setting": "a setting",
    "file": ".warplens.toml",
    "directive": "your comment",
    "measured": "a run",
    "what-if": "asked for",
}
_SIZES = 2
NO_PLACES: Mapping[str, str] = MappingProxyType({})
_LEAST_BENEFIT = 0.1
"""Of the kernel's time: less would not help much."""


def brief_card(
    evaluation: NestEvaluation,
    loop: NodeId,
    line_of: LineOf,
    fixes: Sequence[OfferedFix] = (),
    places: Mapping[str, str] = NO_PLACES,
    break_even: BreakEven | None = None,
) -> Card:
    """The card of one loop of a nest; `places` are file and line that sizes of the program follow from.

    Raises KeyError for an id that is no loop of it.
    """
    kernel = kernel_of(evaluation, loop)
    worth = worth_of(evaluation, break_even)
    is_run = kernel is not None and evaluation.offload is not None and evaluation.offload.has_work
    rows: list[Row] = []
    if comparison := comparison_text(evaluation):
        directives = directives_text(evaluation, brief=True)
        rows.append(("takes", f"{comparison}; {directives}" if directives else comparison))
    if worth.word == "sizes unknown" and evaluation.steady_bound is not None:
        rows.append(("bound by", f"{evaluation.steady_bound}, whatever they are"))
    elif is_run and kernel is not None and worth.grounds.carry_numbers:
        rows += _kernel_rows(evaluation, kernel, line_of, fixes)
    rows.append(("this loop", _loop_text(evaluation, loop)))
    counts = evaluation.measured_counts(loop)
    if counts is not None:
        rows.append((MEASURED, measured_text(counts)))
    if assumed := _assumed(evaluation, evaluation.facts.verdict(loop), places):
        rows.append(("assumed", assumed))
    return Card(worth_sentence(evaluation, line_of, break_even), tuple(rows))


def _kernel_rows(
    evaluation: NestEvaluation, kernel: KernelEvaluation, line_of: LineOf, fixes: Sequence[OfferedFix]
) -> list[Row]:
    rows: list[Row] = []
    if not is_short(kernel.prediction):
        bound = bound_text(kernel.prediction).removesuffix(" of the time")
        rows.append(("bound by", f"{bound}{_hottest(evaluation, kernel, line_of)}"))
        if helps := _what_helps(kernel, fixes):
            rows.append(("would help", helps))
    launch = kernel.prediction.launch
    arrays = listed([f"`{c_name(choice.array)}`" for choice in launch.shared])
    ported = written_text(evaluation, kernel)
    shared = f", {arrays} in shared memory" if arrays else ""
    if mapping := shown_mapping(evaluation, kernel):
        rows.append(("mapping", f"{mapping}; block {shape_text(launch)}{ported}{shared}"))
    else:
        iterators = {grid.loop: c_name(grid.iterator) for grid in kernel.kernel.grid}
        axes = listed([f"`{iterators[loop]}`" for loop in kernel.kernel.thread_order if loop in iterators])
        rows.append(("block", f"{shape_text(launch)}{ported} along {axes}{shared}"))
    return rows


def _hottest(evaluation: NestEvaluation, kernel: KernelEvaluation, line_of: LineOf) -> str:
    found = hottest_access(evaluation.kernel_facts.nest, kernel, line_of)
    if found is None:
        return ""
    text, line = found
    return f"; waits most for {text} (line {line})"


def _what_helps(kernel: KernelEvaluation, fixes: Sequence[OfferedFix]) -> str:
    """A change that is written, by its gain; else the largest bottleneck, by what removing it would gain."""
    gains = [fix for fix in fixes if fix.gain is not None and is_gain(fix.gain) and not fix.refusal]
    if gains:
        best = max(gains, key=lambda fix: fix.gain or 0)
        return f"{best.title}: {times_text(best.gain or 1)} (quick fix)"
    most = max(kernel.benefits, key=lambda benefit: benefit.share, default=None)
    if most is None or most.share < _LEAST_BENEFIT or most.cause is None:
        return ""
    return f"{_HELPS[most.cause]} (up to {times_text(most.gain)})"


def _loop_text(evaluation: NestEvaluation, loop: NodeId) -> str:
    role = role_text(evaluation, loop)
    return f"{iterations_text(evaluation, loop)}{f'; {role}' if role else ''}"


def _assumed(evaluation: NestEvaluation, verdict: LoopVerdict, places: Mapping[str, str]) -> str:
    """Sizes with where they are from, guesses first, and how many other things are taken for granted."""
    sizes = [each for each in evaluation.assumptions if each.kind == "size" and each.value is not None]
    counted = {name for name, _ in evaluation.sizes}
    sizes = [each for each in sizes if each.subject in counted]
    sizes.sort(key=lambda each: each.origin != "default")
    origins = [_origin(each, places) for each in sizes[:_SIZES]]
    shown = [
        f"`{each.subject}` = {count_text(each.value or 0)}"
        f"{f' ({origins[at]})' if origins[at] and origins[at + 1 : at + 2] != [origins[at]] else ''}"
        for at, each in enumerate(sizes[:_SIZES])
    ]
    if sizes[_SIZES:]:
        shown.append(plural(len(sizes) - _SIZES, "more size"))
    promised = [f"`{each.subject}`" for each in verdict.assumptions if each.promise is not None]
    if promised:
        shown.append(f"your promise of {listed(promised)}")
    left_out = {"size", "machine", "profile", "promise"}
    others = {each for each in (*evaluation.assumptions, *verdict.assumptions) if each.kind not in left_out}
    apart = sum(each.kind == "alias" for each in others)
    if apart:
        shown.append("pointers apart")
    if more := len(others) - apart:
        shown.append(f"{more} more" if shown else plural(more, "thing"))
    return ", ".join(shown)


def _origin(assumption: Assumption, places: Mapping[str, str]) -> str:
    """Who says a size, in a word or two; of neighbours that one says the last names it."""
    return places.get(assumption.subject) or _ORIGINS.get(assumption.origin, "")
