"""The ledger as markdown."""

from __future__ import annotations

from collections.abc import Sequence

from accuracy.ledger.ledger import Ledger, WorkSweep
from accuracy.ledger.mapping_ranking import rankings_table
from accuracy.ledger.measured_programs import programs_table
from accuracy.ledger.measurement import Extent
from accuracy.ledger.own_counts import counts_table
from accuracy.ledger.own_runs import own_table
from accuracy.ledger.targets import targets
from accuracy.real_c.tables import table

BEGIN = "<!-- ledger: begin, written by tests/accuracy/ledger/report.py -->"
END = "<!-- ledger: end -->"


def tables(ledger: Ledger) -> str:
    """All tables, between the markers."""
    parts = [
        "### Targets",
        _targets(ledger),
        "### Block choice",
        _block_choice(ledger),
        "### Work per thread",
        *(_work(model, sweeps) for model, sweeps in ledger.work.items() if sweeps),
        "### Our own runs",
        own_table(ledger.own),
        "### Counts of our own runs",
        counts_table(),
        *(["### Kernels by hand and libraries", programs] if (programs := programs_table(ledger.days)) else []),
        "### Mappings of nests",
        rankings_table(ledger.mappings),
        "### Registers and shared memory",
        _registers(ledger),
        f"Measured, but without a profile: {', '.join(ledger.missing) or 'none'}.",
        f"Measured, but changed since: {'; '.join(ledger.stale) or 'none'}.",
    ]
    return "\n\n".join([BEGIN, *parts, END])


def _targets(ledger: Ledger) -> str:
    by_text: dict[str, dict[str, str]] = {}
    for target in targets(ledger):
        by_text.setdefault(target.text, {})[target.model] = target.value if target.is_met else f"**{target.value}**"
    models = list(ledger.time)
    return table(
        ["target", *models],
        [[text, *(values.get(model, "-") for model in models)] for text, values in by_text.items()],
    )


def _block_choice(ledger: Ledger) -> str:
    models = list(ledger.blocks)
    subjects = list(ledger.blocks[models[0]])
    rows: list[list[object]] = []
    for subject in subjects:
        first = ledger.blocks[models[0]][subject]
        rows.append(
            [
                *subject,
                first.groups,
                *(_pair(ledger.blocks[m][subject].mean, ledger.blocks[m][subject].worst) for m in models),
                _pair(first.always_256_mean, first.always_256_worst),
            ]
        )
    whole = ledger.all_blocks[models[0]]
    rows.append(
        [
            "all",
            "",
            whole.groups,
            *(_pair(ledger.all_blocks[m].mean, ledger.all_blocks[m].worst) for m in models),
            _pair(whole.always_256_mean, whole.always_256_worst),
        ]
    )
    return table(["kernel", "GPU", "groups", *models, "always 256"], rows, 2)


def _work(model: str, sweeps: Sequence[WorkSweep]) -> str:
    rows = [_sweep(sweep) for sweep in sweeps]
    head = ["kernel", "GPU", "staged", "best", model, "rel", "one output", "rank"]
    return table(head, rows, 3)


def _sweep(sweep: WorkSweep) -> list[object]:
    result = sweep.result
    return [
        sweep.kernel,
        sweep.gpu,
        " ".join(sweep.staged),
        _extent(result.best),
        _extent(result.recommended),
        _number(result.rel),
        _number(result.single),
        _number(result.rank),
    ]


def _registers(ledger: Ledger) -> str:
    rows: list[list[object]] = [
        [
            kind,
            arch,
            found.registers.count,
            _number(found.registers.ratio),
            _number(found.registers.within),
            _number(found.warps.ratio),
            _number(found.warps.within),
            _number(None if found.shared is None else found.shared.ratio),
            _number(None if found.shared is None else found.shared.within),
            found.spilling,
            found.spilling_predicted,
        ]
        for (kind, arch), found in ledger.registers.items()
    ]
    head = ["launches", "architecture", "kernels", "registers", "within", "warps", "within", "shared bytes", "within"]
    return table([*head, "spill in ptxas", "predicted to"], rows, 2)


def _pair(mean: float | None, worst: float | None) -> str:
    return f"{_number(mean)} ({_number(worst)})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _extent(extent: Extent) -> str:
    x, y, z = extent
    return f"{x} x {y}" if z == 1 else f"{x} x {y} x {z}"
