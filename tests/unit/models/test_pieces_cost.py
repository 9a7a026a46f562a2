"""What wraps, clamps and parities cost: what their pieces cost, not what a gather does."""

from __future__ import annotations

import pytest
from warplens.analysis.models.results.evaluation import NestEvaluation

AXIS = "for (int {name} = {first}; {name} < {last}; {name}++) "
GRID = "".join(AXIS.replace("{name}", name) for name in "zyx")
CLAMPED = (
    "void clamped(float *out, const float *in, const float *heat) { "
    + GRID.format(first=0, last=256)
    + " { int c = x + y * 256 + z * 65536; int w = (x == 0) ? c : c - 1; int e = (x == 255) ? c : c + 1;"
    " int n = (y == 0) ? c : c - 256; int s = (y == 255) ? c : c + 256;"
    " int b = (z == 0) ? c : c - 65536; int t = (z == 255) ? c : c + 65536;"
    " out[c] = 0.4f * in[c] + 0.1f * (in[w] + in[e] + in[n] + in[s] + in[b] + in[t]) + heat[c]; } }"
)
INNER = (
    "void inner(float *out, const float *in, const float *heat) { "
    + GRID.format(first=1, last=255)
    + " { int c = x + y * 256 + z * 65536; out[c] = 0.4f * in[c] + 0.1f * (in[c - 1] + in[c + 1] + in[c - 256]"
    " + in[c + 256] + in[c - 65536] + in[c + 65536]) + heat[c]; } }"
)


def evaluation_of(analyse_c, source: str) -> NestEvaluation:
    (function,) = analyse_c(source).functions
    (nest,) = function.nests
    return nest.evaluation


def test_clamped_neighbours_cost_what_neighbours_cost(analyse_c) -> None:
    """r01_clamped_stencil.c: both move the same bytes; 4.4 times apart before."""
    clamped, inner = (evaluation_of(analyse_c, source) for source in (CLAMPED, INNER))
    ratio = clamped.kernels[0].prediction.time_s / inner.kernels[0].prediction.time_s
    assert 1 / 1.3 < ratio < 1.3
    assert clamped.offload.bytes_in == 2 * 256**3 * 4
    assert not any(facts.is_gathered for facts in clamped.kernels[0].kernel.accesses)


def test_a_coloured_sweep_moves_whole_arrays(analyse_c) -> None:
    """u02_redblack_split.c: six coefficient arrays of 4 MiB, every other element and so all their sectors."""
    arrays = ", ".join(f"const float *restrict {name}" for name in ("ap", "aw", "rhs"))
    source = (
        f"float sweep({arrays}, float *restrict red) {{ float norm = 0.0f;"
        " for (int c = 1; c < 1025; ++c) for (int r = 1; r < 513; ++r) {"
        " int cell = 2 * r - (c % 2) - 1 + 1024 * (c - 1);"
        " float v = (rhs[cell] + aw[cell]) / ap[cell]; red[c * 514 + r] = v; norm += v * v; } return norm; }"
    )
    evaluation = evaluation_of(analyse_c, source)
    moved = {transfer.array: transfer.in_bytes.evaluate({}) for transfer in evaluation.facts.transfers}
    assert [moved[name] for name in ("ap", "aw", "rhs")] == [4 << 20] * 3
    sectors = [cost.sectors for cost in evaluation.kernels[0].prediction.costs if cost.stride_bytes == 8]
    assert sectors == pytest.approx([8.0] * 3)
    written = sum(transfer.out_bytes.evaluate({}) for transfer in evaluation.facts.transfers)
    assert evaluation.offload.bytes_out == written + 4  # a sum comes back too
