"""Loops of which people asked what a GPU would do: what is known of each must be what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isclose
from pathlib import Path

import pytest
from warplens.analysis.engine.report import NestReport
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import break_even
from warplens.server.render.break_even_text import break_even_rows

FOLDER = Path(__file__).parents[2] / "fixtures" / "asked"
MIB = 1 << 20


@dataclass(frozen=True)
class Truth:
    """Of one function's only nest: verdicts and average trip counts of its loops in order, MiB moved in and out."""

    verdicts: str
    trips: tuple[float, ...] = ()
    moved_mib: tuple[float, float] | None = None
    bound_by: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)


FILES: dict[str, dict[str, Truth]] = {
    "clamped_stencil": {
        "clamped": Truth("parallel parallel parallel", (256, 256, 256), (128, 64), "memory bandwidth"),
        "inner": Truth("parallel parallel parallel", (254, 254, 254), None, "memory bandwidth"),
    },
    "csr_iterated": {
        "smooth_rounds": Truth("carried parallel reduction parallel", (25, 14000, 132, 14000), (21.3, 0.21)),
    },
    "said_element": {"scale_cells": Truth("parallel", (64,))},
    "redblack_split": {"sweep_red": Truth("reduction reduction", (1024, 512), (28, 2.01), "memory bandwidth")},
    "rowptr_conv": {
        "laplace_mask": Truth("parallel parallel reduction reduction", (510, 510, 3, 3), (2, 1.98)),
        "euler_step": Truth("parallel parallel", (510, 510), (3.97, 1.98), "memory bandwidth"),
    },
    "few_outer": {"contract": Truth("parallel parallel reduction reduction", (24, 24, 1_000_000, 30), (228.9, 0.004))},
    "time_column": {"advect": Truth("carried parallel reduction", (1999, 2000, 1999), (30.5, 61))},
    "bitonic": {"bitonic": Truth("unknown unknown parallel", (20, 10.5, 1 << 20), (4, 4))},
    "kmeans": {
        "assign": Truth("reduction reduction reduction", (1_000_000, 32, 16), (64.85, 3.81)),
        "accumulate": Truth("reduction parallel", (1_000_000, 16), None, "atomic updates"),
    },
    "mask_default": {"laplace_mask": Truth("parallel parallel reduction reduction", (1022, 1022, 3, 3), (8, 7.97))},
    "elimination": {
        # The 8 MiB stay in L2 from step to step; a step takes more than its start.
        "eliminate": Truth("carried parallel parallel", (1023, 512, 2050 / 3), (16, 7.99), "memory bandwidth"),
        "eliminate_in_place": Truth("carried parallel parallel", (1023, 512, 2047 / 3), (8, 7.98)),
    },
    "escape_forms": {
        "by_break": Truth("parallel parallel unknown", (1080, 1920, 1000), (0, 7.91), "computation"),
        "by_do": Truth("parallel parallel unknown", (1080, 1920, 1000), (0, 7.91), "computation"),
    },
    "struct_rows": {
        # Blocks of 64 threads along k have three at work each, too few to wait for memory beside each other.
        "drift": Truth("parallel parallel", (1 << 20, 3), (48, 48), "memory latency"),
        "energy": Truth("reduction reduction", (1 << 20, 3), (48, 0)),
    },
    "redblack_forms": {
        "by_step": Truth("parallel parallel", (4094, 2047), (64, 64), "memory bandwidth"),
        "by_test": Truth("parallel parallel", (4094, 4094), (64, 64), "memory bandwidth"),
    },
    "border_tests": {
        "skip_border": Truth("parallel parallel", (2048, 2048), (32, 16), "memory bandwidth"),
        "clear_border": Truth("parallel parallel", (2048, 2048), (32, 16), "memory bandwidth"),
        "taps_inside": Truth("parallel parallel reduction", (2048, 2048, 5), (16, 16)),
        "by_id": Truth("parallel", (1 << 22,), (32, 16), "memory bandwidth"),
    },
    "skip_pivot": {"all_pairs_skip": Truth("unknown parallel parallel", (2000, 2000, 2000), (30.5, 30.5))},
}
ALIKE = {  # functions that do the same work, and by what factor their predicted times may differ
    "clamped_stencil": ("clamped", "inner", 1.3),
    "escape_forms": ("by_break", "by_do", 1.05),
}
WITHOUT_GUESS = {"border_tests", "redblack_forms", "clamped_stencil"}
"""No condition of these is a matter of data."""
VARIED = ("rowptr_conv", "mask_default", "elimination", "csr_iterated")


def kernels_s(evaluation: NestEvaluation) -> float:
    return sum(each.prediction.time_s * each.launches for each in evaluation.kernels)


def nests_of(analyse_c, name: str) -> dict[str, NestReport]:
    report = analyse_c((FOLDER / f"{name}.c").read_text(encoding="utf-8"))
    return {function.name: nest for function in report.functions for nest in function.nests}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("few_launches")
def test_what_is_known_of_a_loop_is_said(name: str, analyse_c) -> None:
    nests = nests_of(analyse_c, name)
    assert nests.keys() == FILES[name].keys()
    for function, truth in FILES[name].items():
        evaluation = nests[function].evaluation
        assert evaluation is not None
        facts, sizes = evaluation.facts, evaluation.known_sizes
        assert " ".join(verdict.kind for verdict in facts.verdicts) == truth.verdicts
        trips = [float(facts.trip_count(loop.id).average.evaluate(sizes)) for loop in loops_of(facts.nest)]
        assert trips == pytest.approx(truth.trips, rel=1e-3)
        if truth.moved_mib is not None:
            moved = [sum(float(t.in_bytes.evaluate(sizes)) for t in facts.transfers),
                     sum(float(t.out_bytes.evaluate(sizes)) for t in facts.transfers)]  # fmt: skip
            assert [each / MIB for each in moved] == pytest.approx(truth.moved_mib, rel=0.02, abs=0.01)
        if truth.bound_by:
            assert evaluation.kernels[0].prediction.bound_by == truth.bound_by
        guesses = [a.text for a in evaluation.assumptions if "half the time" in a.text]
        assert not guesses or name not in WITHOUT_GUESS
    if name in ALIKE:
        one, other, most = ALIKE[name]
        first, second = (nests[function].evaluation for function in (one, other))
        assert first is not None
        assert second is not None
        assert 1 / most <= kernels_s(first) / kernels_s(second) <= most


@pytest.mark.parametrize("name", VARIED)
@pytest.mark.usefixtures("few_launches")
def test_no_view_of_a_nest_contradicts_another(name: str, analyse_c) -> None:
    """The speedups of a lens and the break-even behind them, at the sizes in force."""
    for nest in nests_of(analyse_c, name).values():
        evaluation = nest.evaluation
        assert evaluation is not None
        assert evaluation.offload is not None
        found = break_even(evaluation)
        assert found is not None
        offload, (row, *_) = evaluation.offload, break_even_rows(found, 1)
        for wins in found.wins:
            gpu_s = offload.resident_s if wins.data == "resident" else offload.cold_s
            cpu_s = offload.one_core_s if wins.cores == "one core" else offload.all_cores_s
            if wins.size is not None and found.current >= wins.size:
                assert gpu_s < cpu_s
            elif wins.cores == "one core" and gpu_s < cpu_s and not isclose(gpu_s, cpu_s):
                assert "also at" in row[1] or "only at some" in row[1]
