"""The search has a defined answer for kernels and machines that lack what models divide by."""

from collections.abc import Callable
from dataclasses import replace
from math import isfinite

import numpy as np
import pytest
from support.c_nests.parsed import only_kernel
from support.examples import is_nightly
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import BasicBlock
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.work_of_launches import kernel_work
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.launches.launch_space import launch_space
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.hwprofiles.loader import gpu_names, load_gpu

NESTS = {
    "stores only": "for (int i = 0; i < n; i++) c[i] = 1;",
    "copies only": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i*n+j] = a[i*n+j];",
    "reads in rows": "for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < n; k++) s += a[i*n+k]; c[i]=s; }",
    "gathers": "for (int i = 0; i < n; i++) c[i] = a[d[i]] * b[i];",
    "stencil": "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) c[i*n+j] = a[i*n+j-1] + a[(i-1)*n+j] + b[j];",
}


def kernel_of(body: str, n: int) -> Kernel:
    source = (
        "void f(int n, const float *restrict a, const float *restrict b, float *restrict c, const int *restrict d) "
        f"{{ {body} }}"
    )
    return kernel_at(only_kernel(source), sizes_of(n))


def sizes_of(n: int) -> dict[str, int]:
    """Values of the nests' parameters; the gathered array has `n` elements too."""
    return {"n": n, "elements of a": n}


def assert_answers(kernel: Kernel, n: int, gpu: Gpu, model: str) -> None:
    sizes = sizes_of(n)
    work = kernel_work(SizedKernel(kernel, sizes), launch_space(SizedKernel(kernel, sizes), gpu), gpu)
    times = COST_MODELS[model].times_s(work)
    assert np.isfinite(times).all()
    assert (times >= 0).all()
    found = search(SizedKernel(kernel, sizes), gpu, model, LaunchConfig((256, 1, 1)), "default", 3)
    assert found.ranked
    assert all(isfinite(entry.time_s) and 0 < entry.occupancy <= 1 for entry in found.ranked)
    assert found.current is not None
    assert isfinite(found.current_slowdown)
    assert all(entry.launch.threads_per_block % gpu.warp_size_threads == 0 for entry in found.ranked)


@pytest.mark.parametrize("model", COST_MODELS)
@pytest.mark.long
@pytest.mark.parametrize("gpu", gpu_names())
def test_every_machine(gpu: str, model: str) -> None:
    """Every GPU with every model, every nest with both; all three together in `make nightly`."""
    at = gpu_names().index(gpu) + list(COST_MODELS).index(model)
    for name in ("gathers", "stencil") if is_nightly() else (("gathers", "stencil")[at % 2],):
        assert_answers(kernel_of(NESTS[name], 1000), 1000, load_gpu(gpu), model)


def without_caches(gpu: Gpu) -> Gpu:
    nothing = {"size_bytes": 0, "bandwidth_bytes_per_s": 0.0}
    return replace(gpu, l1=replace(gpu.l1, **nothing), l2=replace(gpu.l2, **nothing))


def few_registers(gpu: Gpu) -> Gpu:
    return replace(gpu, occupancy=replace(gpu.occupancy, registers_max_per_thread=4))


def hardly_any_shared_memory(gpu: Gpu) -> Gpu:
    return replace(gpu, occupancy=replace(gpu.occupancy, shared_per_block_bytes=64, shared_per_sm_bytes=64))


@pytest.mark.parametrize("model", COST_MODELS)
@pytest.mark.parametrize("without", [without_caches, few_registers, hardly_any_shared_memory])
def test_machines_that_lack_something(without: Callable[[Gpu], Gpu], model: str) -> None:
    for body in NESTS.values():
        assert_answers(kernel_of(body, 300), 300, without(load_gpu("k20")), model)


@pytest.mark.parametrize("model", COST_MODELS)
@pytest.mark.parametrize("kept", ["nothing", "arithmetic", "memory"])
def test_kernels_without_memory_or_arithmetic(kept: str, model: str) -> None:
    kernel = kernel_of("for (int i = 0; i < n; i++) c[i] = a[i] * b[i] + 2;", 10**5)
    block = kernel.program[0]
    assert isinstance(block, BasicBlock)
    is_wanted = {"nothing": (), "arithmetic": (False,), "memory": (True,)}[kept]
    instructions = tuple(
        replace(instruction, operands=())
        for instruction in block.instructions
        if (instruction.access is not None) in is_wanted
    )
    accesses = kernel.accesses if kept == "memory" else ()
    kernel = replace(kernel, program=(replace(block, instructions=instructions),), accesses=accesses)
    assert_answers(kernel, 10**5, load_gpu("rtx2080ti"), model)
