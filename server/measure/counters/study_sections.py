"""A studied kernel in words and tables: what the terminal and the page both show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.drivers import GroupResult
from warplens.analysis.counters.error_band import MOST_REACH, ErrorBand
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.counters.predictors import quantity_text
from warplens.analysis.counters.time_model import Accuracy, TimeModel
from warplens.analysis.text.quantities import time_text
from warplens.server.render.card import Section

Titles = Mapping[str, str]
MOST_GROUPS = 10
_MOST_NAMED = 4
_TELLING_LOADING = 0.5
_OUT_OF_BAG = "time (logarithm), by trees that had not seen the run"
_WIDE = 0.03
"""Doublings; narrower bands are told in thousandths."""
_ENOUGH_RUNS = 24
"""As many as the paper had; with fewer a forest may not tell a counter that makes the time from chance."""
_STRENGTH = {
    "level and time": "its counters show it, and the time goes with them",
    "level": "its counters show it (that the time goes with them does not show)",
    "time": "the time goes with its counters (which are not remarkable in themselves)",
}


def heading(kernel: StudiedKernel) -> str:
    """What was measured, in one line."""
    fit = kernel.fit
    where = f"{kernel.gpu} (profile {kernel.profile})" if kernel.profile else f"{kernel.gpu} (no profile of this GPU)"
    sizes = [
        f"{scale.name} {quantity_text(scale, low)} to {quantity_text(scale, high)}"
        for scale, (low, high) in zip(fit.model.scales, fit.model.trained.ranges, strict=False)
    ] if fit.model else []  # fmt: skip
    return f"{fit.kernel} on {where}: {fit.runs} runs, " + ", ".join(
        [*sizes, f"{time_text(fit.time_s[0])} to {time_text(fit.time_s[1])}"]
    )


def sections(kernel: StudiedKernel, titles: Titles) -> tuple[Section, ...]:
    """What holds it back first, then why that is believed, how well times are predicted, and what was left out."""
    fit = kernel.fit
    found = [*_bottlenecks(kernel), _importance(fit, titles)]
    if not fit.noise.is_noise:
        found.append(_components(fit, titles))
    found.append(_quality(fit))
    if fit.model is not None and fit.model.chain.counters:
        found.append(_counter_models(fit.model, titles))
    found += [Section("Left out of the predictors", _left_out(fit, titles)), Section("Remarks", fit.remarks)]
    return tuple(one for one in found if one.items or one.table)


def _bottlenecks(kernel: StudiedKernel) -> Iterator[Section]:
    """Each with its evidence and its fix; what is said where there is none."""
    noise = kernel.fit.noise
    if noise.is_noise:
        chance = (
            f"A small forest of them explains {max(0.0, noise.explained):.0%} of its variance, one of shuffled times "
            f"up to {max(0.0, noise.by_chance):.0%}. What differs between these runs is noise or was not measured."
        )
        few = kernel.fit.runs < _ENOUGH_RUNS
        too_few = (f"{kernel.fit.runs} different runs are few: what matters may not show before {_ENOUGH_RUNS}.",)
        title = "The counters do not tell why these runs differ in time"
        yield Section(title, (chance, *(too_few if few else ())))
    elif not kernel.bottlenecks:
        yield Section("Bottlenecks", ("No pattern of a bottleneck shows in these counters.",))
    for number, one in enumerate(kernel.bottlenecks, 1):
        code = f" ({one.rule})" if one.rule else ""
        title = f"Bottleneck {number}: {one.title}{code}, as {_STRENGTH[one.strength]}"
        yield Section(title, (one.finding, *(f"Evidence: {each}." for each in one.evidence), f"Fix: {one.fix}"))


def _left_out(fit: KernelFit, titles: Titles) -> tuple[str, ...]:
    """Quantities by the reason."""
    by_reason: dict[str, list[str]] = {}
    for name, why in fit.left_out:
        by_reason.setdefault(why, []).append(_title(name, titles))
    return tuple(f"{', '.join(names)}: {why}" for why, names in by_reason.items())


def _importance(fit: KernelFit, titles: Titles) -> Section:
    rows = [("counters", "importance", "rank (90 %)", "time")]
    rows += [_group_row(result, titles) for result in fit.groups[:MOST_GROUPS]]
    notes = [
        "Importance: how much worse times are predicted when this is mixed up between the runs.",
        "It is in parts of how much the times (their logarithms) vary. Rank: in nine of ten forests of resampled runs.",
        f"Chance alone reaches {fit.noise.importance_by_chance:.2g}: what is not above can't be told from it here.",
    ]
    if len(fit.groups) > MOST_GROUPS:
        notes.append(f"Less important ones, not shown: {len(fit.groups) - MOST_GROUPS}.")
    return Section("What the time goes with", tuple(notes), tuple(rows))


def _group_row(result: GroupResult, titles: Titles) -> tuple[str, str, str, str]:
    group, importance = result.group, result.importance
    named = [group.asked, *(name for name in group.members if name != group.asked)]
    words = ", ".join(_title(name, titles) for name in named[:_MOST_NAMED])
    if len(named) > _MOST_NAMED:
        words += f" and {len(named) - _MOST_NAMED} more that go together"
    time = {"rises": "rises with it", "falls": "falls with it", "flat": "hardly changes", "mixed": "now up, now down"}
    low, high = importance.rank_low, importance.rank_high
    undrawn = "not drawn" if result.is_above_chance else "no more than chance"
    return (
        words,
        f"{importance.increase:.3f} ± {importance.error:.3f}",
        f"{low}" if low == high else f"{low} to {high}",
        time[result.curve.direction] if result.curve else undrawn,
    )


def _components(fit: KernelFit, titles: Titles) -> Section:
    rows = [("component", "variance", "with time", "made of")]
    for c, share in enumerate(fit.components.variance):
        loadings = fit.components.loadings[:, c]
        order = np.argsort(-np.abs(loadings), kind="stable")
        telling = [j for j in order if abs(loadings[j]) >= _TELLING_LOADING][:_MOST_NAMED] or [order[0]]
        made_of = ", ".join(f"{'' if loadings[j] > 0 else '-'}{_title(fit.names[j], titles)}" for j in telling)
        rows.append((f"{c + 1}", f"{share:.0%}", f"{fit.components.with_time[c]:+.2f}", made_of))
    note = (
        f"Principal components, rotated (varimax), with {fit.components.kept_variance:.0%} of the counters' variance."
    )
    return Section("What the counters measure together", (note,), tuple(rows))


def _quality(fit: KernelFit) -> Section:
    quality = fit.quality
    rows = [
        ("predicted", "from", "explained variance", "mean error", "runs"),
        (_OUT_OF_BAG, "all counters", _explained(quality.out_of_bag), "", str(fit.runs)),
        (_OUT_OF_BAG, "kept counters", _explained(quality.kept_out_of_bag), "", str(fit.runs)),
        ("a fifth of the runs", "all counters", *_accuracy(quality.test)),
    ]
    model = fit.model
    if model is None:
        why = "No size and no launch was varied: times of other runs can't be predicted."
        return Section("How well times are predicted", (why,), tuple(rows))
    notes = []
    if model.inside is not None:
        rows.append(("sizes between those that were run", "size alone", *_accuracy(model.inside.accuracy)))
        notes.append(f"Sizes between: nine of ten measured times are {_band(model.inside.band)} the predicted one.")
    else:
        notes.append("Too few sizes were run to say how far off times between them are.")
    if model.beyond is not None:
        rows.append(("the largest third, from the others", "size alone", *_accuracy(model.beyond.accuracy)))
        near, far = (2 ** (model.beyond.band.reach * times) for times in (1, MOST_REACH))
        words = f"{_band(model.beyond.band)} it; further out wider, and unknown from {far:.2g} times on."
        notes.append(f"Sizes up to {near:.2g} times the largest: {words}")
    else:
        notes.append("Too few sizes were run to say how far off times beyond them are.")
    return Section("How well times are predicted", tuple(notes), tuple(rows))


def _accuracy(found: Accuracy) -> tuple[str, str, str]:
    return _explained(found.explained), f"{found.mape:.1%}", str(found.runs)


def _explained(share: float) -> str:
    return f"{share:.1%}" if share > 0 else "none"


def _band(band: ErrorBand) -> str:
    digits = 2 if max(-band.low, band.high) > _WIDE else 3
    return f"{2**band.low:.{digits}f} to {2**band.high:.{digits}f} times"


def _counter_models(model: TimeModel, titles: Titles) -> Section:
    counters = [scale for scale in model.scales if not scale.is_given]
    given = ", ".join(scale.name for scale in model.scales if scale.is_given)
    rows = [("counter", "R2", "residual deviance", "terms")]
    rows += [
        (_title(scale.name, titles), f"{found.r2:.3f}", f"{found.deviance:.3g}", str(len(found.terms)))
        for scale, found in zip(counters, model.chain.counters, strict=True)
    ]
    return Section(f"Counters as functions of {given}", (), tuple(rows))


def _title(name: str, titles: Titles) -> str:
    return titles.get(name, name)
