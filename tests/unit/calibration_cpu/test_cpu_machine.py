"""What Linux states of a CPU, read from a synthetic copy of its files, and as entries of a profile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from warplens.hwprofiles.calibrate.cpu_machine import CpuMachine, StatedCache
from warplens.hwprofiles.calibrate.cpu_stated_entries import stated_entries
from warplens.server.measure.calibration.cpu_machine import this_cpu
from warplens.server.measure.calibration.cpu_profile import profile_id

INFO = "processor : 0\nmodel name\t: Synthetic(R)  CPU 9000\nflags\t\t: fpu sse2 hypervisor\n"


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four threads on two cores; L1 of a core, L3 of both."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    for thread in range(4):
        core = f"{thread % 2},{thread % 2 + 2}"
        _write(tmp_path, f"cpu{thread}/topology/thread_siblings_list", core)
        caches = (
            (0, 1, "Data", "48K", core, "12"),
            (1, 1, "Instruction", "32K", core, "8"),
            (3, 3, "Unified", "32M", "0-3", "16"),
        )
        for index, level, kind, size, sharing, ways in caches:
            at = f"cpu{thread}/cache/index{index}"
            for name, text in (("level", str(level)), ("type", kind), ("size", size), ("shared_cpu_list", sharing),
                               ("ways_of_associativity", ways), ("coherency_line_size", "64")):  # fmt: skip
                _write(tmp_path, f"{at}/{name}", text)
    _write(tmp_path, "cpuinfo", INFO)
    return tmp_path


def _write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text + "\n", encoding="utf-8")


def test_two_threads_of_a_core_are_one_core(system: Path) -> None:
    machine = this_cpu(system, system / "cpuinfo")
    assert (machine.name, machine.core_count, machine.is_virtual) == ("Synthetic(R) CPU 9000", 2, True)
    assert machine.caches == (StatedCache(1, 48 << 10, 12, 64, 1), StatedCache(3, 32 << 20, 16, 64, 2))
    assert [machine.cache_bytes(level) for level in (1, 2, 3)] == [48 << 10, 0, 32 << 20]


def test_only_cores_that_the_process_may_use_count(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 3}, raising=False)
    machine = this_cpu(system, system / "cpuinfo")
    assert machine.core_count == 1
    assert [cache.sharing_cores for cache in machine.caches] == [1, 1]


def test_a_system_that_states_nothing_still_has_a_cpu(tmp_path: Path) -> None:
    machine = this_cpu(tmp_path / "none", tmp_path / "no cpuinfo")
    assert machine.caches == ()
    assert machine.core_count >= 1
    assert machine.name.endswith(" CPU")


def test_what_is_stated_becomes_entries() -> None:
    caches = (StatedCache(1, 49152, 12, 64, 1), StatedCache(3, 1 << 25, 16, 64, 4), StatedCache(4, 1 << 30, 16, 64, 8))
    entries = stated_entries(CpuMachine("synthetic", "x86_64", 8, 4096, False, caches), "2026-01-01")
    assert {key: entry.value for key, entry in entries.items()} == {
        "device.core_count": 8,
        "device.line_bytes": 64,
        "translation.page_bytes": 4096,
        "l1.size_bytes": 49152,
        "l1.ways": 12,
        "l1.shared_by_all_cores": False,
        "l3.size_bytes": 1 << 25,
        "l3.shared_by_all_cores": True,
    }
    assert entries["l3.shared_by_all_cores"].note == "4 of 8 cores share it"


def test_who_shares_a_cache_is_not_said_of_a_single_core() -> None:
    machine = CpuMachine("synthetic", "x86_64", 1, 4096, False, (StatedCache(1, 49152, 12, 64, 1),))
    assert "l1.shared_by_all_cores" not in stated_entries(machine, "2026-01-01")


@pytest.mark.parametrize(("name", "expected"), [("AMD EPYC", "amd-epyc"), ("../../x y", "x-y"), ("", "my-cpu")])
def test_an_id_has_letters_and_digits_only(name: str, expected: str) -> None:
    assert profile_id(name) == expected
