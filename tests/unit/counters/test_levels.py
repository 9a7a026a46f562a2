"""How high counters are where a kernel takes long."""

from __future__ import annotations

import numpy as np
import pytest
from unit.counters import made_up_runs
from warplens.analysis.counters.levels import levels_of
from warplens.hwprofiles.loader import load_gpu

TIMES = np.array([1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3])


def test_the_longest_third_decides() -> None:
    occupancy = np.array([0.9, 0.9, 0.9, 0.9, 0.2, 0.3])
    found = levels_of(made_up_runs.table(TIMES, {"achieved_occupancy": occupancy}), None)[0]["achieved_occupancy"]
    assert (found.value, found.low, found.high) == (0.25, 0.2, 0.9)


def test_what_the_profiler_gave_comes_before_what_is_computed() -> None:
    columns = {
        "global_load_transactions_per_request": np.full(6, 7.0),
        "global_load_transactions": np.full(6, 100.0),
        "global_load_requests": np.full(6, 10.0),
    }
    found = levels_of(made_up_runs.table(TIMES, columns), None)[0]["global_load_transactions_per_request"]
    assert (found.value, found.source) == (7, "global_load_transactions_per_request")
    del columns["global_load_transactions_per_request"]
    found = levels_of(made_up_runs.table(TIMES, columns), None)[0]["global_load_transactions_per_request"]
    assert (found.value, found.source) == (10, "global_load_transactions / global_load_requests")


def test_shares_of_a_gpus_rates_need_its_profile() -> None:
    gpu = load_gpu("k20")
    moved = 0.4 * TIMES * gpu.dram.bandwidth_bytes_per_s
    table = made_up_runs.table(TIMES, {"dram_read_bytes": moved, "dram_write_bytes": moved / 4})
    assert levels_of(table, gpu)[0]["dram_share"].value == pytest.approx(0.5)
    assert "dram_share" not in levels_of(table, None)[0]


def test_idle_is_said_only_where_both_units_were_measured() -> None:
    gpu = load_gpu("k20")
    cycles = TIMES * gpu.clock_hz * gpu.sm_count * gpu.issue_warps_per_cycle_per_sm
    columns = {"dram_utilization": np.full(6, 0.3), "instructions_issued": 0.2 * cycles}
    assert levels_of(made_up_runs.table(TIMES, columns), gpu)[0]["idle_share"].value == pytest.approx(0.7)
    del columns["dram_utilization"]
    assert "idle_share" not in levels_of(made_up_runs.table(TIMES, columns), gpu)[0]


def test_an_efficiency_of_zero_is_no_request() -> None:
    found = levels_of(made_up_runs.table(TIMES, {"shared_efficiency": np.zeros(6)}), None)[0]
    assert "shared_efficiency" not in found


def test_nothing_divided_by_nothing_is_no_level() -> None:
    columns = {"divergent_branches": np.zeros(6), "branches": np.zeros(6)}
    assert "divergent_branch_share" not in levels_of(made_up_runs.table(TIMES, columns), None)[0]


def test_conflicts_of_stores_count_where_loads_have_none() -> None:
    columns = {
        "shared_load_bank_conflicts": np.zeros(6),
        "shared_load_requests": np.full(6, 100.0),
        "shared_store_bank_conflicts": np.full(6, 3100.0),
        "shared_store_requests": np.full(6, 100.0),
    }
    found = levels_of(made_up_runs.table(TIMES, columns), None)[0]["shared_conflicts_per_request"]
    assert found.value == 15.5
    only_stores = {name: column for name, column in columns.items() if "store" in name}
    found = levels_of(made_up_runs.table(TIMES, only_stores), None)[0]["shared_conflicts_per_request"]
    assert (found.value, found.source) == (31, "shared_store_bank_conflicts / shared_store_requests")


def test_what_no_gpu_reaches_is_no_level_and_that_is_said() -> None:
    """An event that counts on one multiprocessor beside one that counts on all."""
    columns = {"shared_load_bank_conflicts": np.full(6, 5e4), "shared_load_requests": np.full(6, 100.0)}
    found, (remark,) = levels_of(made_up_runs.table(TIMES, columns), None)
    assert "shared_conflicts_per_request" not in found
    assert remark.startswith("not used, as no GPU reaches it: 500 for shared_load_bank_conflicts")


def test_a_word_that_all_threads_read_wastes_nothing_that_could_be_saved() -> None:
    """A broadcast is one transaction of 32 bytes for 4: efficiency of an eighth, and none the better for any layout."""
    columns = {
        "global_load_efficiency": np.full(6, 0.125),
        "global_load_transactions": np.full(6, 100.0),
        "global_load_requests": np.full(6, 100.0),
    }
    assert "global_load_efficiency" not in levels_of(made_up_runs.table(TIMES, columns), None)[0]
    columns["global_load_transactions"] *= 32
    assert levels_of(made_up_runs.table(TIMES, columns), None)[0]["global_load_efficiency"].value == 0.125


def test_memory_is_as_busy_as_its_busiest_part() -> None:
    columns = {name: np.full(6, share) for name, share in (("dram_utilization", 0.1), ("l2_utilization", 0.3))}
    assert levels_of(made_up_runs.table(TIMES, columns), None)[0]["memory_share"].value == 0.3
    del columns["l2_utilization"]
    assert "memory_share" not in levels_of(made_up_runs.table(TIMES, columns), None)[0]
