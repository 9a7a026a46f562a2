"""The commonest nests are mapped as an expert maps them: predicted near the time that their bytes or operations take.

The experts' times are those of an A100 by 1.4 TB/s or its peak rates, for the mapping that the case names; starting the
kernels is no part of them.
"""

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.resios.kernel_time import predict_kernel
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.workload.loops.derived_symbols import extend_sizes
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors

MATVEC = """void f(const float a[{n}][{n}], const float x[{n}], float y[{n}]) {{
    for (int i = 0; i < {n}; i++) {{
        float s = 0.0f;
        for (int j = 0; j < {n}; j++) s += a[i][j] * x[j];
        y[i] = s;
    }}
}}"""
COLUMNS = """void f(const float a[1200][1400], const float x[1200], float y[1400]) {
    for (int i = 0; i < 1200; i++)
        for (int j = 0; j < 1400; j++) y[j] += a[i][j] * x[i];
}"""
SOFTMAX = """float expf(float);
void f(float y[256][768], const float x[256][768]) {
    for (int i = 0; i < 256; i++) {
        float m = x[i][0];
        for (int j = 1; j < 768; j++) if (x[i][j] > m) m = x[i][j];
        float s = 0.0f;
        for (int j = 0; j < 768; j++) { y[i][j] = expf(x[i][j] - m); s += y[i][j]; }
        for (int j = 0; j < 768; j++) y[i][j] /= s;
    }
}"""
NORM = """float sqrtf(float);
void f(float y[256][768], const float x[256][768], const float w[768], const float b[768]) {
    for (int i = 0; i < 256; i++) {
        float m = 0.0f, v = 0.0f;
        for (int j = 0; j < 768; j++) m += x[i][j];
        m /= 768;
        for (int j = 0; j < 768; j++) { float d = x[i][j] - m; v += d * d; }
        float r = 1.0f / sqrtf(v / 768 + 1e-5f);
        for (int j = 0; j < 768; j++) y[i][j] = (x[i][j] - m) * r * w[j] + b[j];
    }
}"""
SCALED = """void f(const float w[512], const float x[512][512], float y[512][512]) {
    for (int i = 0; i < 512; i++) {
        float s = w[i];
        for (int j = 0; j < 512; j++) y[i][j] = s * x[i][j];
    }
}"""
PRODUCT = """void f(double alpha, double beta, double c[1000][1100], double a[1000][1200], double b[1200][1100]) {
    for (int i = 0; i < 1000; i++) {
        for (int j = 0; j < 1100; j++) c[i][j] *= beta;
        for (int k = 0; k < 1200; k++)
            for (int j = 0; j < 1100; j++) c[i][j] += alpha * a[i][k] * b[k][j];
    }
}"""
SOLVER = """double left[15][64][64][64], right[5][64][64][64];
void f(void) {
    for (int c = 3; c < 5; c++) {
        int n = (c - 2) * 5;
        for (int i = 0; i < 60; i++)
            for (int j = 1; j < 63; j++)
                for (int k = 1; k < 63; k++) {
                    double f = 1.0 / left[n + 2][i][j][k];
                    right[c][i][j][k] = f * right[c][i][j][k];
                    right[c][i + 1][j][k] = right[c][i + 1][j][k] - left[n + 1][i + 1][j][k] * right[c][i][j][k];
                }
    }
}"""
FILLS = """void f(int n, float y[n][n], const float x[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) y[i][j] = 2 * x[i][j];
}"""
LONG = """void f(const double a[24][1000000], const double b[24][1000000], double c[24][24]) {
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            double s = 0.0;
            for (int k = 0; k < 1000000; k++) s += a[i][k] * b[j][k];
            c[i][j] = s;
        }
}"""
HEADS = """float expf(float);
void f(float y[32][128], float s[32][2048], const float q[32][128], const float k[2048][32][128],
       const float v[2048][32][128]) {
    for (int h = 0; h < 32; h++) {
        for (int t = 0; t < 2048; t++) {
            float e = 0.0f;
            for (int i = 0; i < 128; i++) e += q[h][i] * k[t][h][i];
            s[h][t] = e;
        }
        float m = s[h][0], z = 0.0f;
        for (int t = 1; t < 2048; t++) if (s[h][t] > m) m = s[h][t];
        for (int t = 0; t < 2048; t++) { s[h][t] = expf(s[h][t] - m); z += s[h][t]; }
        for (int t = 0; t < 2048; t++) s[h][t] /= z;
        for (int i = 0; i < 128; i++) y[h][i] = 0.0f;
        for (int t = 0; t < 2048; t++)
            for (int i = 0; i < 128; i++) y[h][i] += s[h][t] * v[t][h][i];
    }
}"""
TILES = """void f(float c[2048][2048], const float a[2048][2048], const float b[2048][2048]) {
    for (int it = 0; it < 2048; it += 32)
        for (int kt = 0; kt < 2048; kt += 32)
            for (int jt = 0; jt < 2048; jt += 32)
                for (int i = it; i < it + 32; i++)
                    for (int k = kt; k < kt + 32; k++)
                        for (int j = jt; j < jt + 32; j++) c[i][j] += a[i][k] * b[k][j];
}"""
TILED_TRANSPOSE = """void f(int n, double b[n][n], const double a[n][n]) {
    for (int it = 0; it < n; it += 32)
        for (int jt = 0; jt < n; jt += 32)
            for (int i = it; i < (n < it + 32 ? n : it + 32); i++)
                for (int j = jt; j < (n < jt + 32 ? n : jt + 32); j++) b[j][i] = a[i][j];
}"""

FACTORS = """void f(double a[{n}][{n}]) {{
    for (int i = 0; i < {n}; i++) {{
        for (int j = 0; j < i; j++) {{
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }}
        for (int j = i; j < {n}; j++)
            for (int k = 0; k < i; k++) a[i][j] -= a[i][k] * a[k][j];
    }}
}}"""


def evaluated(source: str, **sizes: int) -> NestEvaluation:
    """The nest on an A100."""
    return evaluate_nest(facts_of(source), sizes, load_gpu("a100"), load_cpu("server"), model_errors())


@pytest.mark.parametrize(
    ("source", "expert_s"),
    [
        pytest.param(MATVEC.format(n=1024), 4e-6, id="matrix-vector"),
        pytest.param(MATVEC.format(n=4096), 48e-6, id="large matrix-vector"),
        pytest.param(COLUMNS, 10e-6, id="column sums"),
        pytest.param(SOFTMAX, 3.5e-6, id="softmax"),
        pytest.param(NORM, 3.5e-6, id="layer norm"),
        pytest.param(SCALED, 2e-6, id="a scalar before the inner loop"),
        pytest.param(PRODUCT, 0.4e-3, id="a product with a loop beside it"),
        pytest.param(LONG, 0.5e-3, id="a long sum of few outputs"),
        pytest.param(HEADS, 60e-6, id="heads of attention"),
        pytest.param(TILES, 1.2e-3, id="a product that is tiled for caches"),
    ],
)
def test_a_mapping_takes_about_an_experts_time(source: str, expert_s: float) -> None:
    found = evaluated(source)
    assert found.offload is not None
    starts_s = sum(dict(kernel.prediction.breakdown_s)["launch overhead"] for kernel in found.kernels)
    assert starts_s >= len(found.kernels) * found.gpu.kernel_start_s
    assert expert_s / 2.2 < found.offload.kernels_s - starts_s < 2 * expert_s


@pytest.mark.parametrize(
    "source", [MATVEC.format(n=1024), COLUMNS, SOFTMAX, NORM, SCALED, PRODUCT, SOLVER, LONG, HEADS]
)
def test_the_recommended_mapping_is_the_fastest_but_for_what_a_simpler_one_is_worth(source: str) -> None:
    found = evaluated(source)
    assert found.mapped is not None
    assert found.offload is not None
    assert found.in_source_order.offload is not None
    own_s = found.in_source_order.offload.kernels_s
    assert found.offload.kernels_s < own_s / 1.1
    assert found.mappings
    least_s = min(one.time_s for one in found.mappings)
    assert found.offload.kernels_s + found.offload.launch_overhead_s < 1.3 * least_s


def test_few_outer_iterations_are_never_all_the_threads() -> None:
    """Two threads that run a solver of 60 planes: what the loops spell out, and what nobody wants."""
    found = evaluated(SOLVER)
    assert found.in_source_order.kernels[0].prediction.threads == 2
    assert sum(kernel.prediction.threads for kernel in found.kernels) >= 62 * 62
    assert found.offload is not None
    assert found.offload.kernels_s < 0.4e-3


def test_a_nest_that_fills_the_gpu_stays_in_its_own_order() -> None:
    found = evaluated(FILLS, n=4096)
    assert found.mapped is None
    assert found.in_source_order is found
    assert found.mappings == ()


@pytest.mark.parametrize("outputs", [1, 2, 8, 32])
def test_the_points_of_tiles_move_with_their_tile(outputs: int) -> None:
    """Threads with several outputs along the tiles read and write all elements all the same."""
    n, gpu = 4096, load_gpu("a100")
    kernel = evaluated(TILED_TRANSPOSE, n=n).in_source_order.kernels[0]
    sized = SizedKernel.of(kernel.kernel, extend_sizes({"n": n}, facts_of(TILED_TRANSPOSE).nest))
    launch = LaunchConfig((32, 4, 1), (), (1, outputs, 1))
    moved_bytes = 2 * n * n * 8
    assert predict_kernel(kernel_on_gpu(sized, launch, gpu)).time_s > 0.9 * moved_bytes / gpu.dram.bandwidth_bytes_per_s


@pytest.mark.parametrize(("n", "keeps"), [(2000, True), (4000, False)])
def test_l2_keeps_what_all_launches_touch_parts_of(n: int, keeps: bool) -> None:
    """32 MB of 40 stay there, so that the steps of a factorisation are not bound by device memory; 128 MB do not."""
    found = evaluated(FACTORS.format(n=n))
    update = max(found.kernels, key=lambda each: each.prediction.time_s)
    moved_bytes = 2 * 8 * update.prediction.threads
    at_dram_s = moved_bytes / found.gpu.dram.bandwidth_bytes_per_s
    assert (update.prediction.time_s < 0.7 * at_dram_s) == keeps
