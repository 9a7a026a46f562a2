"""A studied kernel in words and tables: what the terminal and the page both show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from warplens.analysis.advice.quantities import time_text
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.drivers import GroupResult
from warplens.analysis.counters.error_band import ErrorBand
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.counters.time_model import Accuracy, TimeModel
from warplens.server.render.card import Section

Titles = Mapping[str, str]
MOST_GROUPS = 10
_MOST_NAMED = 4
_TELLING_LOADING = 0.5
_STRENGTH = {
    "level and time": "its counters are high and the time goes with them",
    "level": "its counters are high (that the time goes with them does not show)",
    "time": "the time goes with its counters (which are not remarkably high)",
}


def heading(kernel: StudiedKernel) -> str:
    """What was measured, in one line."""
    fit = kernel.fit
    where = f"{kernel.gpu} (profile {kernel.profile})" if kernel.profile else f"{kernel.gpu} (no profile of this GPU)"
    sizes = [
        f"{scale.name} {float(scale.back(np.array(low))):g} to {float(scale.back(np.array(high))):g}"
        for scale, (low, high) in zip(fit.model.scales, fit.model.ranges, strict=False)
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
            f"A forest of them explains {max(0.0, noise.explained):.0%} of its variance, one of shuffled times up to "
            f"{max(0.0, noise.by_chance):.0%}. What differs between these runs is noise or was not measured."
        )
        yield Section("The counters say nothing about the time", (chance,))
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
    rows = [("counters", "importance", "rank, 9 of 10", "time")]
    rows += [_group_row(result, titles) for result in fit.groups[:MOST_GROUPS]]
    notes = [
        "Importance: how much worse times are predicted with this shuffled, in variances of the logarithm of the time.",
        f"A shuffled counter reaches {fit.noise.importance_by_chance:.2g}: what is not above that says nothing.",
    ]
    if len(fit.groups) > MOST_GROUPS:
        notes.append(f"{len(fit.groups) - MOST_GROUPS} more are less important.")
    return Section("What the time goes with", tuple(notes), tuple(rows))


def _group_row(result: GroupResult, titles: Titles) -> tuple[str, str, str, str]:
    group, importance = result.group, result.importance
    named = [group.asked, *(name for name in group.members if name != group.asked)]
    words = ", ".join(_title(name, titles) for name in named[:_MOST_NAMED])
    if len(named) > _MOST_NAMED:
        words += f" and {len(named) - _MOST_NAMED} more that go together"
    time = {"rises": "rises with it", "falls": "falls with it", "flat": "stays", "mixed": "now up, now down"}
    return (
        words,
        f"{importance.increase:.3f} ± {importance.error:.3f}",
        f"{importance.rank_low} to {importance.rank_high}",
        time[result.curve.direction] if result.curve else "" if result.is_above_chance else "no more than chance",
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
        ("logarithm of the time, out of bag", "all counters", f"{quality.out_of_bag:.1%}", "", str(fit.runs)),
        ("logarithm of the time, out of bag", "kept counters", f"{quality.kept_out_of_bag:.1%}", "", str(fit.runs)),
        ("a fifth of the runs", "all counters", *_accuracy(quality.test)),
    ]
    model = fit.model
    if model is None:
        why = "No size and no launch was varied: times of other runs can't be predicted."
        return Section("How well times are predicted", (why,), tuple(rows))
    rows.append(("sizes between those that were run", "size alone", *_accuracy(model.inside_accuracy)))
    notes = [f"Sizes between: nine of ten measured times are {_band(model.inside)} the predicted one."]
    if model.beyond is not None and model.beyond_accuracy is not None:
        rows.append(("the largest third, from the others", "size alone", *_accuracy(model.beyond_accuracy)))
        factor = 2**model.beyond.reach
        notes.append(f"Sizes up to {factor:.2g} times the largest: {_band(model.beyond)} it; further out wider.")
    else:
        notes.append("Too few sizes were run to say how far off times beyond them are.")
    return Section("How well times are predicted", tuple(notes), tuple(rows))


def _accuracy(found: Accuracy) -> tuple[str, str, str]:
    return f"{found.explained:.1%}", f"{found.mape:.1%}", str(found.runs)


def _band(band: ErrorBand) -> str:
    return f"{2**band.low:.2f} to {2**band.high:.2f} times"


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
