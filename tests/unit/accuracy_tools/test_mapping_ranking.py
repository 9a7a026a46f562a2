"""Mappings of nests beside each other: their prediction, and the table of what was measured. The times are made up."""

from dataclasses import replace
from functools import cache

import pytest
from accuracy.gpu_day.mapping_nests import mapping_nests
from accuracy.gpu_day.mapping_ports import chosen_mappings, in_mapping_named, mapped_ports, recommended_mapping
from accuracy.gpu_day.recorded import RecordedMapping
from accuracy.gpu_day.subjects import at_sizes, subjects
from accuracy.ledger.mapping_ranking import (
    NONE_YET,
    RankedMapping,
    Ranking,
    predicted_s,
    rankings,
    rankings_table,
)
from warplens.analysis.models.nest.evaluate_nest import mappings_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.mapping_time import MappingTime
from warplens.hwprofiles.validation import model_errors
from warplens.server.measure.kernel_times.measured_nest import Device, MeasuredLaunch, Times, Timing

NAMES = ("gemv", "beta_product", "column_sums", "csr")
DEVICE = Device("Imaginary GPU", "9.9", 7, 12000, 12000, 1_500_000, 900_000, 1 << 20)
LAUNCH_INTERVAL_S = 3.517e-6
"""Between two launches on an H100, by its profile."""


@cache
def planned(name: str) -> tuple[NestEvaluation, tuple[RecordedMapping, ...]]:
    """A nest at its first sizes, and its mappings as a kit for an H100 has them."""
    (nest,) = [nest for nest in mapping_nests() if nest.name == name]
    (subject,) = subjects([nest.path], "h100", "gcc")
    there = at_sizes(subject, nest.sizes[0])
    ports = mapped_ports(there, nest.staged).ports
    return there.context.evaluation, tuple(RecordedMapping(port.measured, port.mapping, "h100") for port in ports)


def timed(one: RecordedMapping, seconds: float) -> RecordedMapping:
    times = Times(seconds, seconds, seconds)
    timing = Timing(DEVICE, 5, len(one.measured.launches), times, times, times)
    return replace(one, measured=replace(one.measured, timing=timing))


@pytest.mark.parametrize("name", NAMES)
def test_a_mapping_is_predicted_with_the_launches_that_were_measured(name: str) -> None:
    """What the models say of the ports when they are written has to come again from what is kept of them."""
    evaluation, ports = planned(name)
    assert len({one.mapping for one in ports}) >= 2
    for one in ports:
        mapped = in_mapping_named(evaluation, one.mapping)
        assert mapped is not None
        assert {kernel.prediction.model for kernel in mapped.kernels} == {"resios"}
        between_s = LAUNCH_INTERVAL_S * (sum(kernel.launches for kernel in mapped.kernels) - 1)
        written_s = dict(one.measured.predicted_s)["resios"] + between_s
        assert predicted_s(one) == pytest.approx(written_s, rel=1e-6), one.mapping


def test_another_launch_and_another_gpu_are_another_prediction() -> None:
    one = next(one for one in planned("gemv")[1] if one.mapping == "block1024:j")
    source = next(one for one in planned("gemv")[1] if one.mapping == "source")
    few = replace(
        source, measured=replace(source.measured, launches=(MeasuredLaunch("k", (992, 1, 1), (2, 1, 1), ()),))
    )
    older = replace(one, measured=replace(one.measured, profile="v100"))
    assert predicted_s(few) > 1.5 * predicted_s(source)
    assert predicted_s(older) > 1.5 * predicted_s(one)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_ported_has_the_source_the_recommended_and_each_kind(name: str) -> None:
    evaluation, ports = planned(name)
    names = [one.mapping for one in ports]
    assert {"source", recommended_mapping(evaluation.mappings)} <= set(names)
    assert len(names) == len(set(names)) <= 6
    assert {kind(one) for one in names} == {"source", *(kind(one.name) for one in evaluation.mappings)}


def kind(name: str) -> str:
    return name.partition(":")[0].rstrip("0123456789x")


def test_at_most_six_are_taken_and_those_of_a_kind_lie_far_apart() -> None:
    names = ("parts8:j", "parts32:j", "warp:j", "block64:j", "block128:j", "block1024:j", "parts2:j", "points")
    tried = [MappingTime(name, 1.0 + place, name == "block128:j") for place, name in enumerate(names)]
    assert chosen_mappings(tried) == ("source", "block128:j", "parts8:j", "warp:j", "block64:j", "points")
    assert chosen_mappings(tried[:7])[-2:] == ("block64:j", "parts2:j")
    assert chosen_mappings(()) == ("source",)


def test_a_mapping_that_is_no_longer_tried_is_said_and_left_out() -> None:
    source, *_ = planned("gemv")[1]
    found, stale = rankings([timed(source, 1e-3), timed(replace(source, mapping="warp:q"), 1e-3)])
    assert found == ()
    assert stale == ("gemv.c: the mapping warp:q is no longer tried at its sizes",)


def test_mappings_of_one_nest_at_its_sizes_are_ranked_together() -> None:
    _, ports = planned("gemv")
    made = [timed(one, 1e-4 * (place + 1)) for place, one in enumerate(ports)]
    other = [timed(one, 1e-3) for one in planned("csr")[1]]
    (gemv, csr), stale = rankings([*made, *other, timed(planned("column_sums")[1][0], 1.0)])
    assert stale == ()
    assert (gemv.nest, gemv.gpu, dict(gemv.sizes)) == ("gemv", "h100", {"n": 8192, "m": 8192})
    assert [one.measured_s for one in gemv.mappings] == [1e-4 * (place + 1) for place in range(len(ports))]
    assert gemv.fastest.name.startswith("source")
    assert gemv.lost == pytest.approx(gemv.chosen.measured_s / 1e-4)
    assert csr.lost == 1


def ranking(nest: str, *mappings: tuple[str, float, float]) -> Ranking:
    return Ranking(nest, (("m", 64), ("n", 4096)), "h100", tuple(RankedMapping(*one) for one in mappings))


def test_the_table_says_whether_the_mapping_that_is_predicted_fastest_is() -> None:
    right = ranking("sums", ("source", 3e-4, 2e-4), ("warp:j", 1e-5, 2e-5))
    near = ranking("norm", ("block64:j", 1e-5, 1.04e-5), ("warp:j", 2e-5, 1e-5))
    wrong = ranking("product", ("warp:j", 1e-5, 3e-5), ("parts8:j", 2e-5, 2e-5))
    lines = rankings_table([right, near, wrong]).splitlines()
    assert lines[0].startswith(
        "The mapping that is predicted fastest was the fastest, or within 5 % of it, for 2 of 3 "
    )
    assert lines[0].endswith("it takes 1.16 times as long in the geometric mean, 1.50 times at worst.")
    assert lines[4:] == [
        "| sums | m = 64, n = 4096 | h100 | warp:j | 10.0 µs | 20.0 µs | the fastest |",
        "| sums | m = 64, n = 4096 | h100 | source | 300.0 µs | 200.0 µs |  |",
        "| norm | m = 64, n = 4096 | h100 | block64:j | 10.0 µs | 10.4 µs | within 5 % |",
        "| norm | m = 64, n = 4096 | h100 | warp:j | 20.0 µs | 10.0 µs |  |",
        "| product | m = 64, n = 4096 | h100 | warp:j | 10.0 µs | 30.0 µs | 1.50 times parts8:j |",
        "| product | m = 64, n = 4096 | h100 | parts8:j | 20.0 µs | 20.0 µs |  |",
    ]


def test_without_a_measurement_no_number_is_said() -> None:
    assert rankings_table(()) == NONE_YET
    assert not any(character.isdigit() for character in NONE_YET)


def test_the_recommended_mapping_of_a_nest_is_called_as_its_choice_calls_it() -> None:
    evaluation, _ = planned("gemv")
    assert mappings_of(evaluation, model_errors()).recommended == recommended_mapping(evaluation.mappings)
