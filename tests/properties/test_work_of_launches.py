"""The work of many launches at once equals that of each alone: any kernel, GPU, size, block, outputs and staging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests import parsed
from support.examples import examples
from support.one_launch.kernel_on_gpu import OneLaunch, kernel_on_gpu
from support.one_launch.shared_memory import choice_of, shared_opportunities
from support.one_launch.shared_region import padded_regions, shared_regions
from support.one_launch.work_of_launch import work_of
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.launch.launches import Launches
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.gpu.staging.box_movement import read_only_arrays
from warplens.analysis.models.launch_work.counted_launches import count_launches
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, counted_on_gpu
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu as counted_alone
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.work_of_launches import kernel_work, work_of_launches
from warplens.hwprofiles.loader import load_gpu

pytestmark = pytest.mark.long

HEADS = "int n, const float *restrict a, const float *restrict b, float *restrict c, const int *restrict k"
SOURCES = {
    "vector addition": "for (int i = 0; i < n; i++) c[i] = a[i] + b[i];",
    "every third": "for (int i = 0; i < n; i++) c[3*i] = a[7*i+5] + b[n-i];",
    "matrix addition": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i*n+j] = a[i*n+j] + b[i*n+j];",
    "swapped": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[j*n+i] = a[j*n+i] + b[i*n+j];",
    "matrix product": """for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;
 for (int t = 0; t < n; t++) s += a[i*n+t] * b[t*n+j]; c[i*n+j] = s; }""",
    "five points": """for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++)
 c[i*n+j] = a[i*n+j] + a[(i-1)*n+j] + a[(i+1)*n+j] + a[i*n+j-1] + a[i*n+j+1];""",
    "seven points": """for (int h = 1; h < n-1; h++) for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++)
 c[(h*n+i)*n+j] = a[(h*n+i)*n+j] + a[((h-1)*n+i)*n+j] + a[((h+1)*n+i)*n+j] + a[(h*n+i-1)*n+j] + a[(h*n+i+1)*n+j-1];""",
    "convolution": """for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) { float s = 0;
 for (int i = 0; i < 15; i++) for (int j = 0; j < 15; j++) s += a[(y+i)*(n+14)+x+j] * b[i*15+j]; c[y*n+x] = s; }""",
    "transpose": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[j*n+i] = a[i*n+j];",
    "pixels": """for (int i = 0; i < n; i++) { float s = a[3*i] + a[3*i+1] + a[3*i+2];
 c[3*i] = s; c[3*i+1] = s * b[i]; c[3*i+2] = s; }""",
    "dot product": "float s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; c[0] = s;",
    "gather": "for (int i = 0; i < n; i++) c[i] = a[k[i]];",
    "gathered rows": """for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i*n+j] = a[k[i]*n+j] + b[k[j]];""",
    "histogram": "for (int i = 0; i < n; i++) c[k[i]] += a[i];",
    "triangle": """for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j <= i; j++) s += a[i*n+j] * b[j];
 c[i] = s; }""",
    "divergent": "for (int i = 0; i < n; i++) { if (a[i] > 0) c[i] = b[i] * 2 + 1; else c[i] = 0.5f; }",
    "steps": "for (int s = 0; s < 9; s++) for (int i = 0; i < n; i++) c[i] = c[i] * 0.5f + a[i];",
    "rows in order": """for (int s = 1; s < 9; s++) for (int i = 0; i < n; i++)
 c[s*n+i] = c[(s-1)*n+i] * 0.5f + a[s*n+i];""",
    "own table": """for (int i = 0; i < n; i++) { float t[4]; for (int j = 0; j < 4; j++) t[j] = a[4*i+j];
 float s = 0; for (int j = 0; j < 4; j++) s += t[j] * b[j]; c[i] = s; }""",
    "all pairs": """for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;
 for (int t = 0; t < 20; t++) { float d = a[i*20+t] - b[j*20+t]; s += d * d; } c[i*n+j] = s; }""",
}
OTHERS = {
    "members": """struct p { float x, y, z; }; void f(int n, const struct p *restrict a, struct p *restrict c) {
 for (int i = 0; i < n; i++) { c[i].x = a[i].y; c[i].z = a[i].z * 2; } }""",
    "sparse rows": """void f(int n, const int *restrict r, const int *restrict k, const double *restrict v,
 const double *restrict x, double *restrict y) { for (int i = 0; i < n; i++) { double s = 0;
 for (int t = r[i]; t < r[i+1]; t++) s += v[t] * x[k[t]]; y[i] = s; } }""",
    "columns from the last": """void f(int n, const float *restrict a, float *restrict c) {
 for (int i = n - 1; i >= 0; i--) for (int j = n - 1; j >= 0; j--) c[i*n+j] = a[(n-1-i)*n+j] + a[(n-i)*n+j]; }""",
    "bytes": """void f(int n, const unsigned char *restrict a, unsigned char *restrict c) {
 for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i*n+j] = a[i*n+n-j] + a[i*n+n-j+1]; }""",
    "doubles": """void f(int n, const double *restrict a, const double *restrict b, double *restrict c) {
 for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0;
 for (int t = 0; t < n; t++) s += a[i*n+t] * b[j*n+t]; c[i*n+j] = s; } }""",
}
GPUS = ("k20", "rtx2080ti", "a100", "gtx580", "gtx280", "mi250x", "h100")
SIZES = (0, 1, 5, 31, 37, 64, 100, 1000, 1024, 4097, 2**20, 2**40)
ROUNDED = ("sectors_per_request", "lines_per_request", "l2_sectors_per_request", "dram_sectors_per_request")


@cache
def facts_of(name: str) -> NestFacts:
    source = OTHERS.get(name) or f"void f({HEADS}) {{ {SOURCES[name]} }}"
    return parsed.facts_of(source)


def kernel_of(name: str) -> Kernel:
    return facts_of(name).kernels[0]


def sizes_of(name: str, n: int) -> dict[str, int]:
    """`n`, and as much of every array whose extent the program does not tell."""
    return dict.fromkeys(facts_of(name).parameters, n) | {"n": n}


@cache
def gpu_of(name: str, few_registers: bool = False) -> Gpu:
    gpu = load_gpu(name)
    return replace(gpu, occupancy=replace(gpu.occupancy, registers_max_per_thread=14)) if few_registers else gpu


def stageable(kernel: Kernel, sizes: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(region.accesses[0].access.array for region in shared_regions(kernel, (32, 1, 1), sizes))


def launch_of(launches: Launches, row: int, kernel: Kernel, sizes: Mapping[str, int], gpu: Gpu) -> LaunchConfig:
    block, outputs = tuple(launches.block[row].tolist()), tuple(launches.outputs_per_thread[row].tolist())
    staged = {array for array, chosen in zip(launches.arrays, launches.staged[row], strict=True) if chosen}
    choices = (
        choice_of(region, 0.0, 0.0)
        for region in padded_regions(kernel, block, sizes, gpu, outputs)
        if region.accesses[0].access.array in staged
    )
    return LaunchConfig(block, tuple(choices), outputs)


def is_worth(launch: LaunchConfig, wanted: set[str], kernel: Kernel, sizes: Mapping[str, int], gpu: Gpu) -> bool:
    """Whether all that a launch wants to stage would be offered."""
    offered = shared_opportunities(kernel, launch.block, sizes, gpu, launch.outputs_per_thread)
    is_offered = wanted <= {choice.array for choice in offered}
    return is_offered and launch.shared_bytes_per_block <= min(gpu.occupancy.shared_per_block_bytes, 48 * 1024)


def assert_rows_equal(together: KernelWork, alone: KernelWork, row: int) -> None:
    for field in fields(KernelWork):
        if field.name in {"sized", "gpu", "launches", "is_launchable"}:
            continue
        some, one = np.asarray(getattr(together, field.name)), np.asarray(getattr(alone, field.name))
        if field.name == "is_store":
            np.testing.assert_array_equal(some, one)
            continue
        # What is rounded to nine digits after the point may be rounded either way.
        tolerance = 2e-9 if field.name in ROUNDED else 0.0
        np.testing.assert_allclose(some[row], one[0], rtol=1e-9, atol=tolerance, err_msg=field.name)


def assert_choices_equal(found: tuple[SharedChoice, ...], launch: LaunchConfig, case: OneLaunch) -> None:
    """What many launches together stage is what the GPU's shared memory is offered for one."""
    offered = shared_opportunities(case.kernel, launch.block, case.sizes, case.gpu, launch.outputs_per_thread)
    wanted = {choice.array: choice for choice in offered if choice.array in {each.array for each in launch.shared}}
    assert {choice.array for choice in found} == wanted.keys()
    for choice in found:
        for field in fields(SharedChoice):
            ours, theirs = (getattr(each, field.name) for each in (choice, wanted[choice.array]))
            assert ours == (pytest.approx(theirs) if isinstance(theirs, float) else theirs)


def assert_costs_equal(found: KernelOnGpu, case: OneLaunch) -> None:
    """Counts and words of each access, registers and occupancy."""
    assert found.registers == case.registers
    assert found.occupancy == case.occupancy
    for ours, theirs in zip(found.costs, case.costs, strict=True):
        for field in fields(AccessCost):
            one, other = getattr(ours, field.name), getattr(theirs, field.name)
            assert one == (pytest.approx(other, rel=1e-9, abs=2e-9) if isinstance(other, float) else other), field.name


@st.composite
def some_launches(draw: st.DrawFn, dimensions: int, arrays: tuple[str, ...]) -> Launches:
    """Blocks of any shape up to a little more than a GPU takes, not only those that anybody would try."""
    number = draw(st.integers(1, 6))
    extents = st.sampled_from([1, 2, 3, 4, 7, 8, 16, 24, 32, 33, 64, 96, 128, 256, 1024])
    outputs = st.sampled_from([1, 1, 1, 2, 3, 4, 8, 16])
    shapes = []
    for _ in range(number):
        shape = [draw(extents) for _ in range(dimensions)] + [1] * (3 - dimensions)
        while np.prod(shape) > 2048:
            shape[shape.index(max(shape))] //= 2
        shapes.append(shape)
    each = [[draw(outputs) for _ in range(dimensions)] + [1] * (3 - dimensions) for _ in range(number)]
    staged = [[draw(st.booleans()) for _ in arrays] for _ in range(number)]
    return Launches(
        np.array(shapes, dtype=np.int64),
        np.array(each, dtype=np.int64),
        arrays,
        np.array(staged, dtype=np.bool_).reshape(number, len(arrays)),
    )


@pytest.mark.parametrize("name", [*SOURCES, *OTHERS])
@settings(max_examples=examples(25))
@given(data=st.data(), gpu=st.sampled_from(GPUS), n=st.sampled_from(SIZES), few_registers=st.booleans())
def test_launches_together_are_each_alone(
    name: str, data: st.DataObject, gpu: str, n: int, few_registers: bool
) -> None:
    kernel, sizes, machine = kernel_of(name), sizes_of(name, n), gpu_of(gpu, few_registers)
    launches = data.draw(some_launches(len(kernel.grid), stageable(kernel, sizes)))
    sized = SizedKernel(kernel, sizes)
    counted = count_launches(sized, launches, machine)
    together = work_of_launches(counted)
    for row in range(len(launches)):
        launch = launch_of(launches, row, kernel, sizes, machine)
        case = kernel_on_gpu(kernel, launch, sizes, machine)
        alone = work_of(case)
        assert_rows_equal(together, alone, row)
        wanted = {array for array, staged in zip(launches.arrays, launches.staged[row], strict=True) if staged}
        is_possible = bool(alone.is_launchable[0]) and is_worth(launch, wanted, kernel, sizes, machine)
        assert bool(together.is_launchable[row]) == is_possible
        if is_possible:
            assert_choices_equal(counted.launch(row).shared, launch, case)
        assert_costs_equal(counted_alone(sized, launch, machine), case)
        if together.is_launchable[row] or not wanted:
            assert_costs_equal(counted_on_gpu(counted.row(row), counted.launch(row)), case)


def test_an_array_without_a_region_can_not_be_staged() -> None:
    kernel, sizes = kernel_of("gather"), sizes_of("gather", 1000)
    assert "a" in read_only_arrays(kernel)
    launches = Launches(
        np.array([[256, 1, 1]] * 2), np.ones((2, 3), dtype=np.int64), ("a",), np.array([[False], [True]])
    )
    assert kernel_work(SizedKernel(kernel, sizes), launches, gpu_of("a100")).is_launchable.tolist() == [True, False]


def test_no_launches_are_no_rows() -> None:
    none = Launches(np.zeros((0, 3), dtype=np.int64), np.zeros((0, 3), dtype=np.int64), (), np.zeros((0, 0), np.bool_))
    work = kernel_work(SizedKernel(kernel_of("matrix product"), {"n": 64}), none, gpu_of("a100"))
    assert work.blocks.shape == (0,)
    assert work.sectors_per_request.shape == (0, 3)
