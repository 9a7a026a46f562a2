"""A measured kernel beside the nest that it is linked to: measured and predicted times, and what holds it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.advice.measured_runs import MeasuredRuns
from warplens.analysis.text.quantities import extent_text, time_text
from warplens.server.measure.counters.asked_sizes import number_text
from warplens.server.measure.counters.linked_kernel import LinkedKernel
from warplens.server.measure.counters.static_job import StaticTimes
from warplens.server.render.card import Section
from warplens.server.render.columns import Table

_LEAST_RATIO = 0.1
_NOT_YET = StaticTimes((), notes=("What is predicted for these runs is being worked out: hover once more.",))
_MOST_KERNELS = 2


def kernel_sections(
    kernels: Sequence[LinkedKernel], static: Sequence[StaticTimes], profile: str
) -> tuple[Section, ...]:
    """One for each kernel, that on the GPU with this profile first; of more than two only the names.

    `static` are the predictions for their runs, empty until they are made.
    """
    found = list(zip(kernels, static or (_NOT_YET,) * len(kernels), strict=True))
    found.sort(key=lambda pair: pair[0].profile != profile)
    sections = [
        Section(f"Measured kernel {kernel.kernel} on {kernel.gpu}", _items(kernel, times), _table(kernel, times))
        for kernel, times in found[:_MOST_KERNELS]
    ]
    more = []
    if rest := ", ".join(kernel.gpu for kernel, _ in found[_MOST_KERNELS:]):
        more.append(f"It was measured on {rest} too.")
    if kernels and kernels[0].by == "name":
        more.append(f"Linked by its name; `// warplens: kernel = {kernels[0].kernel}` above the loop says so for good.")
    sections[-1:] = [replace(last, items=(*last.items, *more)) for last in sections[-1:]]
    return tuple(sections)


def _table(kernel: LinkedKernel, static: StaticTimes) -> Table:
    names = sorted({name for one in kernel.measured for name, _ in one.problem})
    with_static = any(time is not None for time in static.times_s)
    head = (*names, "block", "measured", *(("predicted", "predicted / measured") if with_static else ()))
    times = static.times_s if with_static else (None,) * len(kernel.measured)
    return (head, *(_row(one, names, time, head) for one, time in zip(kernel.measured, times, strict=True)))


def _row(one: MeasuredRuns, names: Sequence[str], predicted_s: float | None, head: Sequence[str]) -> tuple[str, ...]:
    sizes = dict(one.problem)
    row = [
        *(number_text(sizes[name]) if name in sizes else "" for name in names),
        extent_text(one.block) if one.block else "",
        time_text(one.time_s),
    ]
    if predicted_s is not None:
        row += [time_text(predicted_s), _ratio(predicted_s / one.time_s)]
    return (*row, *[""] * (len(head) - len(row)))


def _items(kernel: LinkedKernel, static: StaticTimes) -> tuple[str, ...]:
    items = [_bottleneck(kernel)]
    ratios = sorted(
        time / one.time_s for time, one in zip(static.times_s, kernel.measured, strict=False) if time is not None
    )
    if ratios:
        off = f"{_ratio(ratios[0])} to {_ratio(ratios[-1])} times" if len(ratios) > 1 else f"{_ratio(ratios[0])} times"
        items.append(f"What is predicted from the C ({static.source}) is {off} what was measured here.")
    items += static.notes
    if kernel.mape_inside is not None:
        items.append(
            f"The kernel's own model ({kernel.model}), of {kernel.runs} runs, is off by {kernel.mape_inside:.1%} on "
            "average between these sizes; `warplens counters predict` asks it for others."
        )
    return tuple(items)


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= _LEAST_RATIO else f"{ratio:.2g}"


def _bottleneck(kernel: LinkedKernel) -> str:
    if kernel.is_noise:
        return "Its counters say nothing about its time: what differs between the runs is noise or was not measured."
    if not kernel.bottleneck:
        return "No pattern of a bottleneck shows in its counters."
    code = f" ({kernel.rule})" if kernel.rule else ""
    return f"First bottleneck by its counters: {kernel.bottleneck}{code}. {kernel.evidence}."
