"""Measured runs of kernels, fitted and told in words: what `warplens counters` and the editor show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from warplens.analysis.advice.bottlenecks import Driver, bottlenecks
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.counter_table import CounterTable
from warplens.analysis.counters.fitting.fit_kernel import fit_kernel
from warplens.analysis.counters.hardware import Ranking
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.counters.levels import levels_of
from warplens.analysis.counters.metric import Metric
from warplens.analysis.gpu.machine.gpu import Gpu


def study_kernel(table: CounterTable, vocabulary: Mapping[str, Metric], gpu: Gpu | None) -> StudiedKernel:
    """Of a table with runs of one kernel on one GPU. Raises TooFewRunsError."""
    levels, remarks = levels_of(table, gpu)
    fit = fit_kernel(table, vocabulary)
    fit = replace(fit, remarks=(*fit.remarks, *remarks))
    titles = {name: metric.title.lower() for name, metric in vocabulary.items()}
    return StudiedKernel(
        fit,
        fit.gpus[0],
        gpu.id if gpu else None,
        tuple(levels.values()),
        bottlenecks(levels, tuple(drivers(fit)), titles),
        table,
    )


def drivers(fit: KernelFit) -> Iterable[Driver]:
    """Every counter of the groups that the time hangs on, each with the share of its group."""
    whole = sum(max(0.0, result.importance.increase) for result in fit.groups) or 1.0
    for result in fit.groups:
        if not result.is_above_chance or result.curve is None:
            continue
        group = result.group
        for name in group.members:
            others = tuple(other for other in group.members if other != name)
            direction = _direction(fit, result.beside_size or result.curve.direction, group.asked, name)
            share = result.importance.increase / whole
            yield Driver(name, share, direction, result.beside_size is None, others, group.asked)


def _direction(fit: KernelFit, direction: str, asked: str, name: str) -> str:
    """Of a member that goes against the one that was asked, the other way round."""
    if name == asked or direction not in {"rises", "falls"}:
        return direction
    loadings = fit.components.loadings
    together = float(loadings[fit.names.index(asked)] @ loadings[fit.names.index(name)])
    if together >= 0:
        return direction
    return "falls" if direction == "rises" else "rises"


def ranking_of(fit: KernelFit) -> Ranking:
    """Every counter of a group has the group's importance: GPUs may group the same counters differently."""
    counters = {scale.name for scale in fit.scales if scale.role == "counter"}
    found = [(name, result) for result in fit.groups for name in result.group.members if name in counters]
    return Ranking(
        {name: result.importance.increase for name, result in found},
        frozenset(name for name, result in found if result.is_above_chance),
    )
