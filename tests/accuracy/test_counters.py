"""Measured runs: matrix multiplication at unseen sizes is predicted as well as the paper says, tables are complete."""

from __future__ import annotations

import pytest
from accuracy.counters.evaluate import studied
from accuracy.counters.report import BEGIN, DOCUMENT, END
from accuracy.counters.runs import GPUS, PUBLISHED, cases, own, published

pytestmark = pytest.mark.long

PAPERS_EXPLAINED = 0.98
"""Madougou et al., matrix multiplication: explained variance at sizes the forest has not seen."""


def rows() -> dict[tuple[str, str], list[str]]:
    """Of the tables of fits on the GPU of the runs, by kernel and GPU."""
    text = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    tables = [part.partition("held out")[0] for part in text.split("On the GPU of the runs")[1:]]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for table in tables
        for line in table.splitlines()
        if line.startswith("|") and "---" not in line and not line.startswith("| kernel ")
    ]
    return {(one[0], one[1]): one[2:] for one in cells}


def test_unseen_sizes_of_matrix_multiplication() -> None:
    """On the GPU where they are furthest off, as the table has them; on the others the table has to say so."""
    study = studied("matMul_gpu_sharedmem", "GTX-980")
    assert study.fit.model is not None
    assert study.fit.model.inside is not None
    found = study.fit.model.inside.accuracy
    assert found.runs > 200
    assert found.explained >= PAPERS_EXPLAINED
    assert not study.fit.noise.is_noise
    said = {gpu: float(rows()["matMul_gpu_sharedmem", gpu][2].rstrip("%")) for gpu in PUBLISHED.values()}
    assert said["gtx980"] == pytest.approx(100 * found.explained, abs=0.5)
    assert min(said.values()) >= 100 * PAPERS_EXPLAINED


def test_uncoalesced_matrix_multiplication_is_called_that() -> None:
    study = studied("matMul_gpu_uncoalesced", "Tesla-K20")
    assert study.bottlenecks[0].rule == "WL201"
    assert study.bottlenecks[0].strength == "level and time"


def test_all_runs_are_read_and_every_case_has_its_row() -> None:
    assert (len(published().runs), len(published().metrics)) == (3586, 75)
    assert (len(own().runs), len(own().metrics), own().remarks) == (1008, 71, ())
    assert {(kernel, GPUS[gpu]) for kernel, gpu in cases()} == rows().keys()
