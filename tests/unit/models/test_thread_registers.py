from dataclasses import replace

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch import LaunchConfig
from warplens.analysis.models.resios import predict
from warplens.analysis.models.thread_registers import thread_registers
from warplens.hwprofiles.loader import load_gpu


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
    fitting = predict(with_live_values(vecadd, 63).kernels[0], launch, sizes, gpu)
    spilling = predict(with_live_values(vecadd, 300).kernels[0], launch, sizes, gpu)
    assert spilling.spills_per_thread > 400
    assert spilling.time_s > fitting.time_s
    assert any(spot.access is None for spot in spilling.hotspots)
    assert all(spot.access is not None for spot in fitting.hotspots)
