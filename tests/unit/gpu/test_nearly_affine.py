"""Subscripts that iterators and sizes decide and no polynomial has: what requests and caches see of them."""

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.facts.computed_index import Level
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.gpu.staging.staged_regions import stageable_arrays
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu

N = 1 << 20


def sized(body: str, **sizes: int) -> SizedKernel:
    source = (
        "void f(int n, int w, int h, float s, const float *restrict a, const int *restrict t, float *restrict c) {"
        f" for (int i = 0; i < n; i++) {{ {body} }} }}"
    )
    return SizedKernel.of(
        only_kernel(source), {"n": N, "w": 1024, "h": 1024, "elements of a": N, "elements of t": N, **sizes}
    )


def of_array(kernel: SizedKernel, array: str) -> list[AccessFacts]:
    return [facts for facts in kernel.kernel.accesses if facts.access.array == array]


def strides(kernel: SizedKernel) -> list[list[str]]:
    return [[str(stride) for _, stride in facts.stride_bytes] for facts in of_array(kernel, "a")]


def costs(kernel: SizedKernel, array: str = "a") -> list[AccessCost]:
    found = kernel_on_gpu(kernel, LaunchConfig((256, 1, 1)), load_gpu("a100")).costs
    return [c for facts, c in zip(kernel.kernel.accesses, found, strict=True) if facts.access.array == array]


@pytest.mark.parametrize(
    "body",
    [
        "int y = i / w, x = i % w; c[i] = a[(y + 1) % h * w + x];",
        "c[i] = a[i < 3 ? 0 : i - 3];",
        "int k = i + 5; if (k >= n) k = n - 1; c[i] = a[k];",
        "int k = i - 7; if (k < 0) k = 0; else if (k > n - 9) k = n - 9; c[i] = a[k];",
        "int r = (i + 1) % w - 1, q = (i + 1) / w; if (r < 0) { r = w - 1; q = q - 1; } c[i] = a[q * w + r];",
        "int k = (int)(3.0f * s) + i / w; if (k > h - 1) k = h - 1; c[i] = a[k * w + i % w];",
    ],
)
def test_what_is_affine_but_for_borders_is_read_in_a_row(body: str) -> None:
    kernel = sized(body)
    assert strides(kernel) == [["4"]]
    (cost,) = costs(kernel)
    assert cost.lines <= 2
    assert cost.sectors <= 5
    assert cost.dram_sectors <= 5


def test_neighbours_of_a_grid_in_one_loop_are_one_stencil() -> None:
    kernel = sized(
        "int y = i / w, x = i % w;"
        "c[i] = a[i] + a[y * w + (x + 1) % w] + a[(y + 1) % h * w + x] + a[(h + y - 1) % h * w + x];"
    )
    offsets = sorted(walk.offset_bytes for walk in kernel.walks if walk.facts.access.array == "a")
    assert offsets == [-4096, 0, 4, 4096]
    assert sum(group.walks[0].facts.access.array == "a" for group in kernel.groups) == 1


def test_a_row_that_starts_anew_has_two_strides() -> None:
    (facts,) = of_array(sized("c[i] = a[i % 32 * 64 + i / 32];"), "a")
    levels = (Level(256, 1, 32), Level(4, 32))
    assert facts.levels == ((facts.loops[0], levels),)
    (facts,) = of_array(sized("c[i] = a[i / 4];"), "a")
    assert facts.levels == ((facts.loops[0], (Level(4, 4),)),)


def test_a_quotient_by_four_is_one_sector_of_eight_quotients() -> None:
    (cost,) = costs(sized("c[i] = a[i / 4];"))
    assert cost.sectors == pytest.approx(1.0)


def test_bits_that_are_inserted_are_two_strides() -> None:
    (facts,) = of_array(sized("c[i] = a[((i >> 4) << 5) | (i & 15)];", **{"elements of a": 2 * N}), "a")
    assert facts.levels == ((facts.loops[0], (Level(4, 1, 16), Level(128, 16))),)


def test_a_scaled_subscript_moves_by_its_average() -> None:
    assert strides(sized("c[i] = a[(int)(0.5f * i)];")) == [["2"]]
    assert strides(sized("c[i] = a[(int)(i * s)];")) == [["4"]]


def test_only_iterations_that_make_the_access_are_looked_at() -> None:
    kernel = sized("int k = -1; if (i % 2 == 0) k = i + 1; if (k != -1) c[i] = a[k];")
    assert strides(kernel) == [["4"]]


def test_data_that_rows_have_in_common_leaves_them_rows() -> None:
    kernel = sized("int y = i / w, x = i % w; c[i] = a[t[y] * w + x];")
    assert strides(kernel) == [["4"]]
    assert len([group for group in kernel.groups if group.walks[0].facts.access.array == "a"]) == 1


@pytest.mark.parametrize(
    "body", ["c[i] = a[t[i]];", "c[i] = a[t[i] * i % w];", "c[i] = a[(i * 2654435761u) % 1048576u];"]
)
def test_what_data_or_a_hash_decides_stays_gathered(body: str) -> None:
    (facts,) = of_array(sized(body), "a")
    assert facts.is_gathered
    assert not facts.is_approximate


def test_the_access_itself_stays_and_is_not_staged() -> None:
    kernel = sized(
        "int k = i + 5; if (k >= n) k = n - 1; float u = 0; for (int j = 0; j < 64; j++) u += a[k + j]; c[i] = u;"
    )
    (facts,) = of_array(kernel, "a")
    assert facts.is_approximate
    assert facts.access.indices == (None,)
    assert "a" in stageable_arrays(kernel)
    assert shared_opportunities(kernel, (256, 1, 1), load_gpu("a100")) == ()


def test_a_gather_in_a_table_touches_no_more_than_the_table() -> None:
    source = (
        "void f(int n, const unsigned char *restrict k, const unsigned char a[256], unsigned char *restrict c) {"
        " for (int i = 0; i < n; i++) c[i] = a[k[i]]; }"
    )
    (cost,) = costs(SizedKernel.of(only_kernel(source), {"n": N}))
    assert cost.sectors == pytest.approx(8 * (1 - (7 / 8) ** 32))
    assert cost.lines == pytest.approx(2.0)


def test_a_stride_that_only_the_sizes_tell_leaves_gaps_in_the_array() -> None:
    kernel = sized("c[i] = a[w * i];", w=32)
    (walk,) = (walk for walk in kernel.walks if walk.facts.access.array == "a")
    assert walk.whole_bytes == 4 * (32 * (N - 1) + 1)
