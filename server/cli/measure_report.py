"""What `warplens measure` shows: measured beside predicted, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text
from warplens.analysis.ports.fix import LaunchWish
from warplens.analysis.text.quantities import bytes_text, count_text, time_text
from warplens.server.cli.layout import print_indented, print_list, print_table
from warplens.server.measure.kernel_times.measure_nest import Outcome
from warplens.server.measure.kernel_times.measured_nest import JSON_VERSION, MeasuredNest, as_json
from warplens.server.render.amounts import plural
from warplens.server.render.measured_times import launch_text, launches_text
from warplens.server.render.model_names import model_name


def measured_as_json(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """One object: what was measured, and what was refused."""
    return {
        "version": JSON_VERSION,
        "measured": [as_json(outcome.measured) for outcome in outcomes if outcome.measured is not None],
        "refused": [
            {"launch": _wish_text(outcome.wish), "reason": outcome.refusal}
            for outcome in outcomes
            if outcome.measured is None
        ],
    }


def print_measured(console: Console, where: str, outcomes: Sequence[Outcome]) -> None:
    """A table for each set of sizes, then what is to be said of the results."""
    measured = [outcome.measured for outcome in outcomes if outcome.measured is not None]
    for sizes, group in groupby(measured, key=lambda one: one.sizes):
        found = list(group)
        timing = found[0].timing
        device = "on the CPU, without times" if timing is None else f"on {timing.device.name}"
        at = f", {', '.join(f'{name} = {size}' for name, size in sizes)}" if sizes else ""
        head = Text.assemble((f"{where}:", "cyan"), (f" {found[0].function}()", "bold"))
        print_indented(console, head, Text(f" {device}{at}"), 2)
        print_table(console, _table(found), 4, set(range(1, 8)))
        print_list(console, "Result", [*_checks(found), *_notes(found)], 2)
    refused = [f"{_wish_text(o.wish)}: {o.refusal}" for o in outcomes if o.measured is None]
    print_list(console, "Refused", refused, 2)


def _table(found: Sequence[MeasuredNest]) -> tuple[tuple[str, ...], ...]:
    models = [model for model, _ in found[0].predicted_s]
    head = ("launch", "kernels", *(model_name(model) for model in models), "copies in", "out")
    return (head, *(_row(one, models) for one in found))


def _row(one: MeasuredNest, models: Sequence[str]) -> tuple[str, ...]:
    predicted = dict(one.predicted_s)
    if one.timing is None:
        times = [time_text(predicted[model]) for model in models]
        return launches_text(one.launches), "", *times, "", ""
    median_s = one.timing.kernels.median_s
    times = [f"{time_text(predicted[m])}{_ratio(predicted[m], median_s)}" for m in models]
    copies = (one.timing.copies_in.median_s, one.timing.copies_out.median_s)
    return launches_text(one.launches), time_text(median_s), *times, *(time_text(each) for each in copies)


def _ratio(predicted_s: float, measured_s: float) -> str:
    return f" (x {predicted_s / measured_s:.2f})" if measured_s > 0 else ""


def _checks(found: Sequence[MeasuredNest]) -> list[str]:
    wrong = [one for one in found if one.check.differing]
    said = [
        f"WRONG with {launches_text(one.launches)}: {count_text(one.check.differing)} of "
        f"{plural(one.check.compared, 'number')} differ, first {one.check.difference}"
        for one in wrong
    ]
    if not wrong:
        largest = max(one.check.largest_relative_error for one in found)
        by_rounding = max(one.check.by_rounding for one in found)
        allowed = found[0].check.tolerance
        said.append(
            f"All {plural(found[0].check.compared, 'number')} of the result are those of the C "
            f"(gcc -O2, {time_text(found[0].reference_s)} on one core); largest relative error {largest:.1e} of "
            f"{allowed:.1e} allowed{_cancelled(by_rounding)}"
        )
    return said


def _cancelled(count: int) -> str:
    if not count:
        return ""
    return f"; {plural(count, 'number')} more left by larger ones that cancelled, within the rounding errors of those"


def _notes(found: Sequence[MeasuredNest]) -> list[str]:
    one = found[0]
    if one.timing is None:
        return ["The port ran on the CPU: its result is checked, its times say nothing about a GPU."]
    runs = plural(one.timing.runs, "run")
    notes = [f"Median of {runs}; predicted for the profile {one.profile}, x is predicted / measured."]
    if one.data_bytes <= one.timing.device.l2_bytes:
        cleared = "was cleared before each run" if one.is_cold else "was not cleared"
        notes.append(
            f"The data ({bytes_text(one.data_bytes)}) fits into the L2 ({bytes_text(one.timing.device.l2_bytes)}), "
            f"which {cleared}."
        )
    return notes


def _wish_text(wish: LaunchWish) -> str:
    return launch_text(wish.block, wish.outputs_per_thread, wish.shared or ()) or "the launch predicted best"
