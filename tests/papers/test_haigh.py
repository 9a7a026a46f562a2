"""Worked numbers of A. Haigh, E. McCreath, "Model-driven optimisation ... on GPUs", AusPDC 2015, tables 1 and 2."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.models.haigh.haigh import (
    active_blocks,
    bytes_in_flight,
    cost_s,
    effective_rate,
    estimated_time_s,
    instructions,
    saturating_bytes,
)


@dataclass(frozen=True)
class Device:
    """A column of table 1; `latency_cycles` is the range given."""

    sm_count: int
    clock_hz: float
    bandwidth_bytes_per_s: float
    latency_cycles: tuple[int, int]
    cores_per_sm: int
    registers_per_sm: int
    shared_per_sm_bytes: int
    max_threads_per_sm: int
    max_blocks_per_sm: int

    def blocks(self, threads: int, shared_bytes: float = 0, registers: float = 0) -> float:
        return float(
            active_blocks(
                threads,
                shared_bytes,
                registers,
                max_blocks_per_sm=self.max_blocks_per_sm,
                max_threads_per_sm=self.max_threads_per_sm,
                shared_per_sm_bytes=self.shared_per_sm_bytes,
                registers_per_sm=self.registers_per_sm,
            )
        )

    def saturating(self, latency_cycles: float) -> float:
        return float(saturating_bytes(self.bandwidth_bytes_per_s, self.sm_count, latency_cycles, self.clock_hz))


GTX580 = Device(16, 1564e6, 192.4e9, (400, 600), 32, 32768, 48 * 1024, 1536, 8)
K20 = Device(13, 705e6, 208e9, (200, 400), 192, 65536, 48 * 1024, 2048, 16)


@pytest.mark.parametrize(
    ("device", "threads", "shared", "registers", "blocks"),
    [
        (GTX580, 32, 0, 0, 8),  # blocks per SM
        (GTX580, 256, 0, 0, 6),  # 1536 / 256
        (GTX580, 1024, 0, 0, 1),
        (GTX580, 256, 16 * 1024, 0, 3),  # 48 kB / 16 kB
        (GTX580, 256, 0, 32, 4),  # 32768 / (256 * 32)
        (K20, 256, 0, 0, 8),
        (K20, 32, 0, 0, 16),
        (K20, 1024, 20 * 1024, 0, 2),
        (K20, 1024, 50 * 1024, 0, 0),
    ],
)
def test_active_blocks_are_the_least_of_four_limits(
    device: Device, threads: int, shared: float, registers: float, blocks: float
) -> None:
    assert device.blocks(threads, shared, registers) == blocks


@pytest.mark.parametrize(
    ("device", "threads"), [(GTX580, (769, 1153)), (K20, (1135, 2270))], ids=["table 1: GTX580", "table 1: K20"]
)
def test_saturating_threads(device: Device, threads: tuple[int, int]) -> None:
    # 192.4e9/16 * 400/1564e6 = 3075.4 bytes = 769 threads with a word each, and so on.
    assert tuple(round(device.saturating(latency) / 4) for latency in device.latency_cycles) == threads


def test_k20_needs_two_outputs_per_thread_at_its_longer_latency() -> None:
    def bandwidth(outputs: int) -> float:
        in_flight = bytes_in_flight(256, outputs, K20.blocks(256))
        return float(effective_rate(K20.bandwidth_bytes_per_s, in_flight, K20.saturating(400)))

    assert bandwidth(1) == pytest.approx(208e9 * 4 * 2048 / 9078.0, rel=1e-4)
    assert bandwidth(2) == 208e9


def test_gtx580_reaches_its_bandwidth_from_half_occupancy() -> None:
    for outputs, blocks, share in ((1, 1, 256 / 769), (1, 2, 512 / 769), (2, 2, 1.0), (1, 6, 1.0)):
        achieved = effective_rate(192.4e9, bytes_in_flight(256, outputs, blocks), GTX580.saturating(400))
        assert float(achieved) == pytest.approx(share * 192.4e9, rel=1e-3)


@pytest.mark.parametrize(
    ("bytes_moved", "milliseconds"), [(2 * 4 * 2**20, 0.044), (4 * 2**28, 5.58)], ids=["increment", "dense"]
)
def test_lower_bounds_of_table_2(bytes_moved: float, milliseconds: float) -> None:
    # A million increments, a matrix of 2^28 elements.
    assert 1e3 * float(cost_s(bytes_moved, 192.4e9)) == pytest.approx(milliseconds, abs=5e-3)


def test_five_instructions_per_assignment_over_all_cores() -> None:
    rate = 16 * 32 * 1564e6
    full = cost_s(instructions(2.0**20), effective_rate(rate, 1536, 32 * 18))
    assert float(full) == pytest.approx(5 * 2**20 / rate)
    half = cost_s(instructions(2.0**20), effective_rate(rate, 288, 32 * 18))
    assert float(half) == pytest.approx(2 * float(full))


def test_one_synchronising_block_per_sm_takes_twice_as_long() -> None:
    times = estimated_time_s(3.0, 2.0, np.array([1.0, 1.0, 2.0, 2.0]), np.array([0.0, 1.0, 0.0, 1.0]))
    assert np.array_equal(times, [5.0, 10.0, 5.0, 5.0])


amounts = st.one_of(st.just(0.0), st.floats(1e-3, 1e18))


@given(amounts, amounts, amounts, amounts, st.integers(0, 64))
def test_costs_are_never_negative_or_not_a_number(
    amount: float, maximum: float, in_flight: float, saturating: float, blocks: int
) -> None:
    memory = cost_s(amount, effective_rate(maximum, in_flight, saturating))
    time = float(estimated_time_s(memory, 0.0, blocks, 1.0))
    assert time >= 0
    if amount == 0:
        assert time == 0
    elif maximum and in_flight:
        assert amount / maximum <= time * (1 + 1e-9) < np.inf


@given(amounts, amounts, st.floats(1, 1e6), st.floats(1, 8))
def test_more_in_flight_is_never_slower(amount: float, in_flight: float, saturating: float, factor: float) -> None:
    less = cost_s(amount, effective_rate(1e9, in_flight, saturating))
    more = cost_s(amount, effective_rate(1e9, factor * in_flight, saturating))
    assert more <= less
