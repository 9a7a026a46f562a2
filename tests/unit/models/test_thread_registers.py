from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.c_nests.parsed import only_kernel
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.occupancy import occupancy
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.thread_registers import thread_registers
from warplens.analysis.models.resios.resios import predict
from warplens.hwprofiles.loader import gpu_names, load_gpu


def with_live_values(facts: NestFacts, values: int) -> NestFacts:
    """The first kernel of the nest, with so many values written first and read afterwards."""
    writes = tuple((~value,) for value in range(values))
    reads = tuple((value,) for value in range(values))
    kernel = replace(facts.kernels[0], register_pressure=values, live_values=writes + reads)
    return replace(facts, kernels=(kernel,))


def test_registers_that_fit_are_not_spilled(vecadd: NestFacts) -> None:
    registers = thread_registers(with_live_values(vecadd, 63).kernels[0], load_gpu("gtx460"))
    assert (registers.per_thread, registers.spill_stores, registers.spill_loads) == (63, 0, 0)


def test_values_beyond_the_limit_are_stored_and_read_again(vecadd: NestFacts) -> None:
    registers = thread_registers(with_live_values(vecadd, 70).kernels[0], load_gpu("gtx460"))
    assert registers.per_thread == registers.limit == 63
    assert registers.spill_stores >= 7
    assert registers.spill_loads >= 7


def test_spills_cost_time_and_are_a_hotspot_of_no_access(vecadd: NestFacts) -> None:
    gpu, launch, sizes = load_gpu("gtx460"), LaunchConfig((128, 1, 1)), {"n": 100_000}
    fitting = predict(SizedKernel(with_live_values(vecadd, 63).kernels[0], sizes), launch, gpu)
    spilling = predict(SizedKernel(with_live_values(vecadd, 300).kernels[0], sizes), launch, gpu)
    assert spilling.spills_per_thread > 400
    assert spilling.time_s > fitting.time_s
    assert spilling.bytes_moved > 2 * fitting.bytes_moved
    assert any(spot.access is None for spot in spilling.hotspots)
    assert all(spot.access is not None for spot in fitting.hotspots)


MATRIX_PRODUCT = (
    "void f(int n, const float *restrict a, const float *restrict b, float *restrict c) {"
    " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
    " for (int k = 0; k < n; k++) s += a[k*n+i] * b[k*n+j]; c[i*n+j] = s; } }"
)


@pytest.mark.parametrize(
    ("outputs", "gpu", "ptxas"),
    [
        ((8, 8, 1), "rtx2080ti", 96),
        ((8, 8, 1), "a100", 96),
        ((16, 8, 1), "rtx2080ti", 168),
        ((16, 10, 1), "rtx2080ti", 254),
        ((16, 16, 1), "rtx2080ti", 255),
    ],
)
def test_registers_of_a_matrix_product_are_those_of_ptxas(
    facts_of: Callable[[str], NestFacts], outputs: tuple[int, int, int], gpu: str, ptxas: int
) -> None:
    """Reported by ptxas of CUDA 13 for sm_75 and sm_80, without launch bounds; only 16 x 16 spills (42 words)."""
    registers = thread_registers(facts_of(MATRIX_PRODUCT).kernels[0], load_gpu(gpu), outputs)
    assert abs(registers.per_thread - ptxas) <= 1
    assert registers.spill_stores == registers.spill_loads == (40 if outputs == (16, 16, 1) else 0)


def test_kernels_of_the_k20_have_the_registers_that_were_counted_there(vecadd: NestFacts, matmul: NestFacts) -> None:
    """gpuperfpredict counts 8 to 10 for the vector sum and 17 to 27 for the matrix product."""
    k20 = load_gpu("k20")
    assert 8 <= thread_registers(vecadd.kernels[0], k20).per_thread <= 12  # its counter has 64 bits here
    assert 16 <= thread_registers(matmul.kernels[0], k20).per_thread <= 27


@given(
    needed=st.integers(1, 255),
    more=st.integers(0, 300),
    name=st.sampled_from(sorted(gpu_names())),
    threads=st.integers(1, 1024),
)
def test_loads_in_flight_cost_no_resident_warps(needed: int, more: int, name: str, threads: int) -> None:
    gpu = load_gpu(name)
    needed = min(needed, gpu.occupancy.registers_max_per_thread)
    kernel = replace(
        _kernel(), register_pressure=needed, live_by_axes=((needed,),), live_together_by_axes=((needed + more,),)
    )
    taken = thread_registers(kernel, gpu).per_thread
    assert needed <= taken <= max(needed, min(needed + more, gpu.occupancy.registers_max_per_thread))
    assert occupancy(gpu, threads, taken, 0).warps_per_sm == occupancy(gpu, threads, needed, 0).warps_per_sm


@cache
def _kernel() -> Kernel:
    return only_kernel(MATRIX_PRODUCT)


@pytest.mark.parametrize(("outputs", "ptxas", "slots"), [(8, 94, 0), (16, 255, 42)])
def test_outputs_take_turns_with_registers_that_nothing_waits_for_all_of(
    facts_of: Callable[[str], NestFacts], outputs: int, ptxas: int, slots: int
) -> None:
    """`c = alpha * s + beta * c` behind the loop is done output by output (ptxas of CUDA 13 for sm_75)."""
    source = MATRIX_PRODUCT.replace("c[i*n+j] = s", "c[i*n+j] = 2.5f * s + 1.5f * c[i*n+j]")
    registers = thread_registers(facts_of(source).kernels[0], load_gpu("rtx2080ti"), (outputs, outputs, 1))
    assert abs(registers.per_thread - ptxas) <= 2
    assert abs(registers.spill_stores - slots) <= 6


@pytest.mark.parametrize(
    ("outputs", "slots", "stores"),
    [
        ((16, 16), 66, 98),
        ((16, 15), 38, 52),
        ((32, 8), 52, 75),
        ((20, 13), 60, 94),
        ((18, 16), 102, 167),
        ((12, 20), 38, 54),
    ],
)
def test_loads_of_a_loop_that_the_source_unrolls_are_spilled_too(
    facts_of: Callable[[str], NestFacts], outputs: tuple[int, int], slots: int, stores: int
) -> None:
    """Counted in what ptxas of CUDA 13 makes for sm_75; the code stores and reads as often."""
    once = "s += a[k*n+i] * b[k*n+j];"
    twice = f"{{ {once} {once.replace('k*n', '(k+1)*n')} }}"
    source = MATRIX_PRODUCT.replace("k++", "k += 2").replace(once, twice)
    registers = thread_registers(facts_of(source).kernels[0], load_gpu("rtx2080ti"), (*outputs, 1))
    assert registers.spill_loads == registers.spill_stores
    assert 1 <= registers.spill_slots / slots <= 1.7
    assert 1 <= registers.spill_stores / stores <= 1.85
