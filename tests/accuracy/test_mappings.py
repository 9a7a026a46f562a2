"""Mappings of one nest are ranked as an H100 ranks them, by times that nothing was tuned on."""

from collections import defaultdict
from functools import cache
from math import exp, log

import pytest
from accuracy.gpu_day.recorded import recorded_days, recorded_mappings
from accuracy.ledger.mapping_ranking import AS_FAST, Ranking, rankings
from accuracy.measured_mappings import MeasuredMapping, measured, predicted_s
from warplens.hwprofiles.loader import load_gpu

MEASURED = "nvidia_h100_80gb_hbm3.jsonl.gz"


def by_case() -> dict[tuple[str, tuple[tuple[str, int], ...]], list[MeasuredMapping]]:
    """Measured mappings of each program at each size."""
    found = defaultdict(list)
    for one in measured(MEASURED):
        found[one.program, one.sizes].append(one)
    return found


def test_the_mapping_that_is_predicted_fastest_is_about_the_fastest() -> None:
    gpu, cases = load_gpu("h100"), by_case()
    lost = {}
    for case, mappings in cases.items():
        chosen = min(mappings, key=lambda one: predicted_s(one, gpu))
        lost[case] = chosen.time_s / min(one.time_s for one in mappings)
    assert len(lost) >= 15
    assert max(lost.values()) < 1.6, lost
    assert sum(factor == 1 for factor in lost.values()) >= 0.85 * len(lost), lost


def test_times_of_teams_are_as_near_as_those_of_other_kernels() -> None:
    """A warp or a block per row; the measured sums in parts end with atomic operations, not with a second kernel."""
    gpu = load_gpu("h100")
    teams = [one for one in measured(MEASURED) if one.variant in {"warp per row", "block per row"}]
    ratios = [predicted_s(one, gpu) / one.time_s for one in teams]
    assert len(ratios) >= 20
    assert exp(sum(abs(log(ratio)) for ratio in ratios) / len(ratios)) < 1.45
    # Too fast are blocks that are fewer than multiprocessors, with a million elements each.
    far = [ratio for ratio in ratios if not 1 / 2.5 < ratio < 2.5]
    assert len(far) <= 1
    assert all(1 / 3.5 < ratio < 3.5 for ratio in ratios)


@cache
def ranked() -> tuple[Ranking, ...]:
    """Ports of nests in several mappings, of all days with a GPU."""
    found, stale = rankings(one for day in recorded_days() for one in recorded_mappings(day))
    assert not stale, stale
    if not found:
        pytest.skip("no mapping of a nest was timed beside another one yet: docs/gpu-day.md")
    return found


@pytest.mark.long
def test_of_a_nests_ports_the_one_that_is_predicted_fastest_is_about_the_fastest() -> None:
    lost = {(one.nest, one.sizes, one.gpu): one.lost for one in ranked()}
    assert max(lost.values()) < 1.6, lost
    assert sum(factor <= AS_FAST for factor in lost.values()) >= 0.85 * len(lost), lost
