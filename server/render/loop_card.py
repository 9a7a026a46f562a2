"""All that is known of a loop, for the command line and the report: the prediction, and why."""

from __future__ import annotations

from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, Statement, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.choice.time_range import is_short
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.server.render.card import Card, Section
from warplens.server.render.launch_sentences import benefits_section, launches_section
from warplens.server.render.loop_reasons import (
    LineOf,
    assumed_sentences,
    hotspot_sentences,
    shared_sentences,
    verdict_sentences,
)
from warplens.server.render.loop_rows import loop_rows, nest_rows
from warplens.server.render.mapping_words import level_text
from warplens.server.render.model_names import model_name
from warplens.server.render.model_words import models_section
from warplens.server.render.trust import trust_sentences
from warplens.server.render.worth_sentence import worth_sentence

PARALLEL = "Parallel?"
ASSUMED = "Assumed"
TRUST = "How far to trust this"
SIMPLIFIED = "Simplified in the model"
"""Titles of the sections that the command line puts elsewhere."""


def loop_card(
    evaluation: NestEvaluation,
    loop: NodeId,
    line_of: LineOf,
    *,
    break_even: BreakEven | None = None,
) -> Card:
    """The card of one loop of a nest; raises KeyError for an id that is no loop of it.

    `break_even` is the nest's, where it is known already.
    """
    nest = evaluation.facts.nest
    verdict = evaluation.facts.verdict(loop)
    kernel = kernel_of(evaluation, loop)
    assumptions = tuple(dict.fromkeys((*evaluation.assumptions, *_pointers_apart(evaluation, verdict))))
    simplified = tuple(a.text for a in assumptions if a.kind == "machine")
    assumed = [a for a in assumptions if a.kind not in {"machine", "profile"}]
    return Card(
        headline=worth_sentence(evaluation, line_of, break_even),
        rows=(
            *nest_rows(evaluation, kernel, line_of, break_even),
            *loop_rows(evaluation, loop, kernel),
            *((("this loop", role),) if (role := role_text(evaluation, loop)) else ()),
        ),
        sections=(
            Section(PARALLEL, verdict_sentences(nest, verdict, line_of)),
            *_kernel_sections(evaluation, kernel, line_of),
            Section(ASSUMED, assumed_sentences(sorted(assumed, key=lambda a: a.kind != "size"))),
            Section(TRUST, trust_sentences(evaluation)),
            Section(SIMPLIFIED, simplified),
        ),
        footer=provenance(evaluation),
    )


def _kernel_sections(
    evaluation: NestEvaluation, kernel: KernelEvaluation | None, line_of: LineOf
) -> tuple[Section, ...]:
    """Where a kernel's time goes and what would change it; nothing but its launches where the time is no matter."""
    if kernel is None or evaluation.offload is None or not evaluation.offload.has_work:
        return ()
    if grounds_of(evaluation).undeclared:
        return ()
    launches = launches_section(kernel, evaluation.gpu)
    if is_short(kernel.prediction):
        return (launches,)
    return (
        Section("Hotspots", hotspot_sentences(evaluation.kernel_facts.nest, kernel, line_of)),
        benefits_section(kernel),
        Section("Shared memory", shared_sentences(kernel)),
        launches,
        models_section(kernel),
    )


def kernel_of(evaluation: NestEvaluation, loop: NodeId) -> KernelEvaluation | None:
    """The kernel that a loop is part of (a grid loop, or one that its threads run), else the nest's longest one."""
    with_loop = [each for each in evaluation.kernels if loop in evaluation.loops_of_kernel(each.kernel)]
    return max(with_loop or evaluation.kernels, key=lambda k: k.launches * k.prediction.time_s, default=None)


def provenance(evaluation: NestEvaluation) -> str:
    """The model and the profiles that the numbers come from."""
    weak = sum(p.kind in {"assumed", "memory", "measured_proxy", "simulator_config"} for p in evaluation.gpu.provenance)
    total = len(evaluation.gpu.provenance)
    model = f"Model {model_name(evaluation.kernels[0].prediction.model)}; " if evaluation.kernels else ""
    return (
        f"{model}GPU profile {evaluation.gpu.id} ({total - weak} of {total} values sourced for this device"
        f"{f', {weak} assumed or from a sibling' if weak else ''}); CPU profile {evaluation.cpu.id}"
    )


def _pointers_apart(evaluation: NestEvaluation, verdict: LoopVerdict) -> tuple[Assumption, ...]:
    """What this loop's verdict assumes, and what those of all loops that run in parallel do."""
    parallel = (v for v in evaluation.facts.verdicts if v.can_run_in_parallel) if evaluation.kernels else ()
    return (*verdict.assumptions, *(a for v in parallel for a in v.assumptions))


def role_text(evaluation: NestEvaluation, loop: NodeId) -> str:
    """What becomes of one loop of a nest with kernels."""
    kernel, verdict = kernel_of(evaluation, loop), evaluation.facts.verdict(loop)
    if kernel is None:
        return ""
    if evaluation.mapped is not None:
        return level_text(evaluation, loop)
    if any(grid.loop == loop for grid in kernel.kernel.grid):
        sums = sorted({f"`{c_name(each.variable)}`" for each in verdict.reductions})
        return (
            f"its iterations are threads, which combine {' and '.join(sums)}" if sums else "its iterations are threads"
        )
    if any(each.kernel.root == inner.id for each in evaluation.kernels for inner in _inside(evaluation, loop)):
        return "starts the kernels from the CPU"
    if verdict.can_run_in_parallel:
        return "each thread runs it from start to end"
    return "sequential unless you promise what is asked for" if verdict.conditions else "sequential in each thread"


def _inside(evaluation: NestEvaluation, loop: NodeId) -> list[Statement]:
    root = next(each for each in loops_of(evaluation.facts.nest) if each.id == loop)
    return [inner for inner in walk_statements(root.body) if isinstance(inner, Loop)]
