"""Measurements on GPUs: kept in a file, read for the nests that they are of, shown beside what is predicted.

The numbers here are made up; nothing of them is data.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from warplens.server.measure.kernel_times.measured_file import (
    MEASURED_NAME,
    MeasuredFileError,
    add_measured,
    load_measured,
    measured_for,
)
from warplens.server.measure.kernel_times.measured_nest import (
    Check,
    Device,
    MeasuredLaunch,
    MeasuredNest,
    Times,
    Timing,
    as_json,
    from_json,
    nest_digest,
)
from warplens.server.render.measured_times import timing_rows
from warplens.server.settings.settings import Settings
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.job import AnalysisJob, NestAnswer
from warplens.server.worker.packing import unpack

SOURCE = """void add(int n, float *restrict c, const float *restrict a)
{
    // warplens: n = 4096
    for (int i = 0; i < n; i++)
        c[i] = a[i] + 1;
}
"""
DEVICE = Device("Imaginary GPU", "9.9", 7, 12000, 12000, 1_500_000, 900_000, 1 << 20)


def made_up(path: str, nest: str, median_s: float = 2e-3, block: int = 128, n: int = 4096) -> MeasuredNest:
    times = Times(median_s, median_s / 2, 2 * median_s)
    return MeasuredNest(
        path=path, function="add", line=4, nest=nest, sizes=(("n", n),),
        launches=(MeasuredLaunch("add_kernel", (block, 1, 1), (1, 1, 1), ()),), is_cold=True, data_bytes=32768,
        check=Check(4096, 0, 1e-8, 1e-6), reference_s=1e-2, profile="a100",
        predicted_s=(("resios", 1e-3), ("mwp_cwp", 1e-3), ("gpuperf", 1e-3), ("haigh", 1e-3)),
        predicted_copies_s=(1e-4, 1e-4), versions=(("warplens", "0"), ("nvcc", "none")), date="2026-01-31",
        timing=Timing(DEVICE, 20, 1, times, times, times),
    )  # fmt: skip


def nest_of(folder: Path, source: str = SOURCE) -> NestAnswer:
    """The file's one nest as the server's worker answers it."""
    path = folder / "add.c"
    path.write_text(source)
    answer = analyse_document(AnalysisJob(str(path), source, Settings(), (str(folder),)), Remembered())
    assert answer.config_problems == ()
    ((nest,),) = [function.nests for function in answer.functions]
    return nest


def digest_of(nest: NestAnswer) -> str:
    return nest_digest(unpack(nest.packed).facts.nest)


def test_a_measurement_survives_its_json() -> None:
    one = made_up("add.c", "0123")
    for each in (
        one,
        replace(one, timing=None),
        replace(one, check=replace(one.check, differing=3, difference="c, 7")),
    ):
        assert from_json(json.loads(json.dumps(as_json(each)))) == each


def test_a_later_measurement_replaces_the_one_of_the_same_launch(tmp_path: Path) -> None:
    path = str(tmp_path / "add.c")
    add_measured(tmp_path, [made_up(path, "0123"), made_up(path, "0123", block=64)])
    stored = add_measured(tmp_path, [made_up(path, "0123", 5e-3), made_up(path, "0123", n=8192)])
    assert stored == tmp_path / MEASURED_NAME
    found = load_measured(stored)
    assert [(one.path, one.launches[0].block[0], one.sizes[0][1]) for one in found] == [
        ("add.c", 64, 4096), ("add.c", 128, 4096), ("add.c", 128, 8192),
    ]  # fmt: skip
    assert found[1].timing is not None
    assert found[1].timing.kernels.median_s == 5e-3


def test_the_nest_has_what_was_measured_of_it_until_it_is_edited(tmp_path: Path) -> None:
    before = nest_of(tmp_path)
    assert before.timings == ()
    digest = digest_of(before)
    slow, fast = made_up(str(tmp_path / "add.c"), digest), made_up(str(tmp_path / "add.c"), digest, 1.5e-3, 256)
    add_measured(tmp_path, [slow, fast, made_up(str(tmp_path / "other.c"), digest)])
    measured = nest_of(tmp_path)
    assert [one.launches[0].block[0] for one in measured.timings] == [128, 256]
    moved = nest_of(tmp_path, "/* a line above */\n\n" + SOURCE)
    assert len(moved.timings) == 2, "text that moved is the same nest"
    assert nest_of(tmp_path, SOURCE.replace("+ 1", "+ 2")).timings == ()

    ((name, text),) = timing_rows(measured.timings, unpack(measured.packed))
    assert name == "measured on"
    assert text.startswith("Imaginary GPU: 1.5 ms, block 256, predicted 1 ms (0.67 of it, ")
    elsewhere = nest_of(tmp_path, SOURCE.replace("4096", "100"))
    ((_, text),) = timing_rows(elsewhere.timings, unpack(elsewhere.packed))
    assert "at n = 4096" in text, "other sizes than those in force are said"


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ('"median": 0.002', '"median": NaN'),
        ('"median": 0.002', '"median": -1'),
        ('"reference_s": 0.01', '"reference_s": 1e999'),
        ('"line": 4', '"line": Infinity'),
        ('"line": 4', f'"line": {"9" * 5000}'),
        ('"Imaginary GPU"', '"A GPU\\n\\n# of lines"'),
        ('"add_kernel"', f'"{"k" * 300}"'),
    ],
)
def test_hostile_values_are_no_measurements(was: str, becomes: str, tmp_path: Path) -> None:
    text = json.dumps({"version": 1, "measured": [as_json(made_up("add.c", "0123"))]})
    assert was in text
    path = tmp_path / MEASURED_NAME
    path.parent.mkdir()
    path.write_text(text.replace(was, becomes, 1))
    found, (problem,) = measured_for(tmp_path / "add.c", (tmp_path,))
    assert found == ()
    assert "measure again" in problem.message


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"version": 2, "measured": []}', '{"version": 1, "measured": [{}]}', '{"version": 1, "measured": [7]}'],
)
def test_a_file_that_is_no_measurements_is_said(text: str, tmp_path: Path) -> None:
    path = tmp_path / MEASURED_NAME
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(MeasuredFileError, match="measure again"):
        load_measured(path)
    found, problems = measured_for(tmp_path / "add.c", (tmp_path,))
    assert found == ()
    assert ["not read" in problem.message for problem in problems] == [True]
