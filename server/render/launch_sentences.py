"""What removing a bottleneck would gain, and the launches in their order: two sections of a loop's card."""

from __future__ import annotations

from math import prod

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.models.launches.launch_search import GAIN_PER_DOUBLING
from warplens.analysis.models.results.benefit import Benefit
from warplens.analysis.models.results.current_launch import DEFAULT_ORIGIN
from warplens.analysis.models.results.evaluation import KernelEvaluation
from warplens.analysis.models.results.launch_ranking import LaunchRanking, RankedLaunch
from warplens.analysis.text.quantities import count_text, extent_text, percent_text, time_text
from warplens.server.render.card import Section
from warplens.server.render.columns import Table
from warplens.server.render.launch_words import (
    factor_text,
    launch_text,
    outputs_text,
    slower_text,
    staged_text,
)
from warplens.server.render.model_names import model_name

BENEFITS = "What would help"
BENEFITS_MODEL = "gpuperf"
"""Of whose time the benefits are shares."""

LAUNCHES = "Launches"

LEAST_BENEFIT = 0.01
"""Benefits below this share of the time are left out of what people read."""

ANY_LAUNCH = "The block hardly matters: the kernel takes less time than launching it."

_LAUNCHES_SHOWN = 5
_REASONS_SHOWN = 2
_CLEARLY_FASTER = 0.97


def benefits_section(kernel: KernelEvaluation) -> Section:
    """The bottlenecks by what removing each would gain, the largest first."""
    found = sorted(kernel.benefits, key=lambda benefit: -benefit.share)
    predictions = kernel.comparison.predictions if kernel.comparison else ()
    title, shown = BENEFITS, kernel.prediction
    theirs = next((each for each in predictions if each.model == BENEFITS_MODEL), shown)
    if theirs.model != shown.model:
        bound = f", bound by {theirs.bound_by}" if theirs.bound_by != shown.bound_by else ""
        title = f"{BENEFITS} (of {model_name(theirs.model)}'s {time_text(theirs.time_s)}{bound})"
    return Section(title, tuple(benefit_sentence(b) for b in found if b.share >= LEAST_BENEFIT))


def benefit_sentence(benefit: Benefit) -> str:
    """One bottleneck: "Memory parallelism: 420 µs (38 %, 1 200 000 SM cycles): …, see WL201, quick fix."."""
    how = benefit.how.rstrip(". ")
    finding = f", see {benefit.finding}" if benefit.finding else ""
    fix = ", quick fix" if benefit.has_fix else ""
    cycles = count_text(round(benefit.cycles))
    amount = f"{time_text(benefit.time_s)} ({percent_text(benefit.share)}, {cycles} SM cycles)"
    kind = benefit.kind[:1].upper() + benefit.kind[1:]
    return f"{kind}: {amount}{f': {how}' if how else ''}{finding}{fix}."


def launches_section(kernel: KernelEvaluation, gpu: Gpu) -> Section:
    """The best launches, why the first is first, and what the user's own costs; empty where none was searched."""
    ranking = kernel.ranking
    if ranking is None or not ranking.ranked:
        return Section(LAUNCHES)
    title = f"{LAUNCHES} ({count_text(ranking.searched)} searched with {model_name(ranking.model)})"
    if any_will_do(ranking, gpu):
        return Section(title, (ANY_LAUNCH,))
    reasons = "; ".join(reason.rstrip(". ") for reason in ranking.reasons[:_REASONS_SHOWN])
    why = (f"The first is recommended: {reasons}.",) if reasons else ()
    sentences = (*why, *order_sentences(ranking), *other_sentences(ranking))
    return Section(title, sentences, ranking_table(ranking, _LAUNCHES_SHOWN, brief=True))


def any_will_do(ranking: LaunchRanking, gpu: Gpu) -> bool:
    """Whether the first launch and the user's own both take less than launching them."""
    usual = (ranking.best, *((ranking.current,) if ranking.current else ()))
    return all(each.time_s < gpu.host.launch_overhead_s for each in usual)


def order_sentences(ranking: LaunchRanking) -> tuple[str, ...]:
    """Why launches that are predicted to be faster stand below the first."""
    mapped = (time_s for row in ranking.map.times_s for time_s in row)
    least = min((*mapped, *(each.time_s for each in ranking.ranked)))
    if least <= 0 or least > _CLEARLY_FASTER * ranking.best.time_s:
        return ()
    gain = f"up to {factor_text(ranking.best.time_s / least)} faster"
    rule = f"twice the outputs per thread must gain {percent_text(GAIN_PER_DOUBLING)} to come first"
    return (f"Launches further down are predicted to be {gain}: {rule}.",)


def ranking_table(ranking: LaunchRanking, shown: int, *, brief: bool = False) -> Table:
    """The first launches of a ranking, columns that say nothing left out."""
    rows = [_row(rank, each, ranking.best) for rank, each in enumerate(ranking.ranked[:shown], 1)]
    head = _HEAD
    dropped = {at for at, name in enumerate(head) if brief and name in _NOT_IN_BRIEF}
    dropped |= {at for at, plain in _PLAIN.items() if all(row[at] == plain for row in rows)}
    return tuple(tuple(cell for at, cell in enumerate(row) if at not in dropped) for row in (head, *rows))


_HEAD = ("rank", "block", "outputs per thread", "time", "vs first", "occupancy", "registers", "shared arrays")
_NOT_IN_BRIEF = ("rank", "registers")
_PLAIN = {2: "1", 7: ""}
"""Columns that are left out where all rows have this."""

NUMBERS = frozenset(("rank", "time", "vs first", "occupancy", "registers"))
"""Columns of numbers, which are aligned to the right."""


def _row(rank: int, each: RankedLaunch, best: RankedLaunch) -> tuple[str, ...]:
    spills = " + spills" if each.spills else ""
    return (
        str(rank),
        extent_text(each.launch.block),
        outputs_text(each.launch.outputs_per_thread),
        time_text(each.time_s),
        factor_text(each.time_s / best.time_s) if best.time_s > 0 else "",
        percent_text(each.occupancy),
        f"{each.registers_per_thread}{spills}",
        staged_text(each.launch),
    )


def other_sentences(ranking: LaunchRanking) -> tuple[str, ...]:
    """What the best that a directive can ask for costs, and the launch that the user has now; the best says nothing."""
    best, current, single = ranking.best, ranking.current, ranking.one_output
    sentences: list[str] = []
    against = [(best, "the first")]
    if single is not None and single.launch != best.launch:
        costs = slower_text(_factor(single, best), "the first")
        limits = "with one output per thread" if prod(best.launch.outputs_per_thread) > 1 else "without that tile"
        sentences.append(f"Best {limits}, as a directive has it: {costs} ({_timed(single)}).")
        against.insert(0, (single, "that"))
    if current is not None and current.launch not in {each.launch for each, _ in against}:
        origin = f"A block of {prod(current.launch.block)} threads, what compilers take where none is named"
        if ranking.current_origin != DEFAULT_ORIGIN:
            origin = f"`{ranking.current_origin}` here"
        costs = ", ".join(slower_text(_factor(current, each), than) for each, than in against)
        sentences.append(f"{origin}: {costs} ({_timed(current)}).")
    return tuple(sentences)


def _factor(each: RankedLaunch, other: RankedLaunch) -> float:
    return each.time_s / other.time_s if other.time_s > 0 else 1.0


def _timed(each: RankedLaunch) -> str:
    return f"{time_text(each.time_s)} with {launch_text(each.launch)}"
