"""CUDA ports compute what the C does, bit for bit, in several launches and orders of threads; nvcc has nothing to say.

Kernels run on the CPU, where races, accesses beyond allocations, divergent barriers and values that nothing has written
are found (support/cuda_on_cpu/); `python -m support.cuda_on_cpu.campaign` runs thousands of other nests.
"""

from pathlib import Path

import pytest
from support.cuda_on_cpu.campaign import Written, check_all
from support.cuda_on_cpu.corpus.all import CORPUS
from support.cuda_on_cpu.mapped_ports import mapped_ports, stepped_ports
from support.cuda_on_cpu.nvcc import NVCC, nvcc_says
from support.cuda_on_cpu.ports import ports
from support.cuda_on_cpu.programs import Checked
from support.cuda_on_cpu.random_imperfect import random_imperfect
from support.cuda_on_cpu.random_kernels import random_cases
from support.cuda_on_cpu.random_stencils import random_stencils
from support.cuda_on_cpu.random_tiles import random_tiles
from support.cuda_on_cpu.random_transposes import random_transposes
from support.cuda_on_cpu.random_triangles import random_triangles
from support.examples import is_nightly

PARTS = 4
NESTS = 50 if is_nightly() else 30
STENCILS = 40 if is_nightly() else 12
IMPERFECT = 200 if is_nightly() else 30
TRIANGLES = 300 if is_nightly() else 40
TILES = 150 if is_nightly() else 15
TRANSPOSES = 60 if is_nightly() else 12
MOST_PORTS = 99 if is_nightly() else 3
"""Of each nest of the corpus, in launches that differ from nest to nest."""
REFUSED = {
    "any": "several iterations may set",
    "flag_that_stays_five": "becomes 0 or 1 only where",
    "histogram_of_bytes": "a GPU has no atomic operation for that",
    "histogram_of_largest": "in a way that no atomic operation does",
    "last_value_afterwards": "may be used",
    "openmp_value_after_a_loop_that_a_guard_lets_run": "may be used",
    "openmp_values_after_two_loops": "may be used",
    "position_of_the_largest": "goes with the maximum of a loop",
    "search_in_the_body": "how far `x[(i + k) % n]` reaches",
    "text_of_each_iteration": "a string",
    "value_of_the_iterator_afterwards": "may be used",
}
"""Nests of the corpus that have no port, and why; every other one has."""


@pytest.mark.parametrize("part", range(PARTS))
def test_ports_of_the_corpus_compute_the_same(part: int, tmp_path: Path) -> None:
    outcome = check_all(CORPUS[part::PARTS], tmp_path, most_ports=MOST_PORTS)
    assert outcome.defects == []
    assert outcome.failures == []
    ported = {checked.case.name for checked in outcome.ported}
    for refused in outcome.refused:
        if refused.case not in ported:
            assert REFUSED.get(refused.case, "this nest shall have a port") in refused.reason, refused.case
    if NVCC is None:
        pytest.skip("the ports compute the same; nvcc is not installed, so that they were not compiled with it")
    assert nvcc_says([Checked(one.case, one.ports[-1:]) for one in outcome.ported], tmp_path) == ""


@pytest.mark.parametrize("start", [0, 50, 100] if is_nightly() else [0])
def test_ports_of_random_nests_compute_the_same(start: int, tmp_path: Path) -> None:
    outcome = check_all(random_cases(range(start, start + NESTS)), tmp_path, most_ports=2, cases_in_c_unit=NESTS)
    assert outcome.defects == []
    assert outcome.failures == []
    assert len(outcome.ported) >= NESTS * 3 // 5, outcome.reasons()


def test_ports_of_random_stencils_compute_the_same(tmp_path: Path) -> None:
    outcome = check_all(random_stencils(range(STENCILS)), tmp_path, most_ports=2, cases_in_c_unit=STENCILS)
    assert outcome.defects == []
    assert outcome.failures == []
    assert len(outcome.ported) >= STENCILS * 3 // 4, outcome.reasons()


@pytest.mark.parametrize("part", range(PARTS))
def test_ports_of_the_corpus_in_mappings_compute_the_same(part: int, tmp_path: Path) -> None:
    most = 99 if is_nightly() else 1
    outcome = check_all(CORPUS[part::PARTS], tmp_path, most_ports=most, written=mapped_ports)
    assert outcome.defects == []
    assert outcome.failures == []
    assert len(outcome.ported) >= 10, outcome.reasons()
    if NVCC is None:
        pytest.skip("the ports compute the same; nvcc is not installed, so that they were not compiled with it")
    assert nvcc_says([Checked(one.case, one.ports[-1:]) for one in outcome.ported], tmp_path) == ""


def test_ports_of_random_imperfect_nests_in_mappings_compute_the_same(tmp_path: Path) -> None:
    cases = random_imperfect(range(IMPERFECT))
    outcome = check_all(cases, tmp_path, most_ports=2, cases_in_c_unit=IMPERFECT, written=mapped_ports)
    assert outcome.defects == []
    assert outcome.failures == []
    assert len(outcome.ported) >= IMPERFECT * 2 // 3, outcome.reasons()


@pytest.mark.parametrize("written", [ports, mapped_ports], ids=["launches", "mappings"])
def test_ports_of_random_tiled_nests_compute_the_same(written: Written, tmp_path: Path) -> None:
    outcome = check_all(random_tiles(range(TILES)), tmp_path, most_ports=2, cases_in_c_unit=TILES, written=written)
    assert outcome.defects == []
    assert outcome.failures == []
    assert len(outcome.ported) >= TILES * 9 // 10, outcome.reasons()


def test_ports_of_random_sums_in_steps_compute_the_same(tmp_path: Path) -> None:
    outcome = check_all(random_triangles(range(TRIANGLES)), tmp_path, cases_in_c_unit=TRIANGLES, written=stepped_ports)
    assert outcome.defects == []
    assert outcome.failures == []
    assert set(outcome.reasons()) <= {"it has no other mapping"}
    assert len(outcome.ported) >= TRIANGLES // 10


def test_ports_of_random_transposes_compute_the_same(tmp_path: Path) -> None:
    cases = random_transposes(range(TRANSPOSES))
    outcome = check_all(cases, tmp_path, most_ports=5, cases_in_c_unit=TRANSPOSES)
    assert outcome.defects == []
    assert outcome.failures == []
    assert len(outcome.ported) >= TRANSPOSES * 3 // 4, outcome.reasons()
    texts = [text for checked in outcome.ported for port in checked.ports for text in port.cuda]
    for tile in ("y_tile", "x_tile"):
        assert sum("__shared__" in text and tile in text for text in texts) >= TRANSPOSES // 3, tile
    if NVCC is None:
        pytest.skip("the ports compute the same; nvcc is not installed, so that they were not compiled with it")
    assert nvcc_says(list(outcome.ported), tmp_path) == ""
