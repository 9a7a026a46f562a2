"""Branches on iterators: how often threads and warps take them, where divisions and choices lead to the condition."""

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.facts.program import Branch
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel


def branch(body: str) -> Branch:
    source = (
        "void f(int n, int w, float s, const float *restrict a, float *restrict c) {"
        f" for (int i = 0; i < n; i++) {{ {body} }} }}"
    )
    kernel = SizedKernel.of(only_kernel(source), {"n": 1 << 20, "w": 1024}).kernel
    (found,) = (region for region in kernel.program if isinstance(region, Branch))
    return found


def test_a_border_divides_few_warps() -> None:
    found = branch("if (i % w == 0) c[i] = 1;")
    assert found.divergent
    assert float(found.then_share) == pytest.approx(1 / 1024, abs=1e-4)
    assert found.warp_shares[0] == pytest.approx(1 / 32, abs=0.02)
    assert found.warp_shares[1] == 1.0


@pytest.mark.parametrize(
    ("condition", "share"),
    [("i % w == w - 1", 1 / 1024), ("i % w > 0 && i % w < w - 1", 1 - 2 / 1024), ("(i + 7) % w >= 512", 0.5)],
)
def test_places_in_a_row_of_any_length_are_counted(condition: str, share: float) -> None:
    assert float(branch(f"if ({condition}) c[i] = 1;").then_share) == pytest.approx(share, abs=1e-4)


def test_every_tenth_row_is_nearly_a_tenth() -> None:
    assert float(branch("if (i / w % 10 == 3) c[i] = 1;").then_share) == pytest.approx(0.1, abs=0.04)


def test_a_condition_that_changes_within_warps_divides_them_all() -> None:
    assert branch("if (i % 2 == 0) c[i] = 1; else c[i] = 2;").warp_shares == (1.0, 1.0)


def test_a_condition_that_is_the_same_in_a_warp_divides_none() -> None:
    found = branch("if (i / 64 % 4 == 0) c[i] = 1; else c[i] = 2;")
    assert found.warp_shares == pytest.approx((0.25, 0.75), abs=0.08)


def test_a_choice_before_the_condition_is_followed() -> None:
    found = branch("int k = i % 4 != 3 ? i : -1; int m = k + 1; if (m > 0) c[i] = 1;")
    assert float(found.then_share) == pytest.approx(0.75, abs=0.03)


def test_data_divides_every_warp_half_the_time() -> None:
    found = branch("if (a[i] > 0) c[i] = 1; else c[i] = 2;")
    assert (float(found.then_share), found.warp_shares) == (0.5, (1.0, 1.0))
    assert float(branch("if (i * s > 3.0f) c[i] = 1;").then_share) == 0.5


def test_both_sides_that_store_one_element_write_it_once() -> None:
    source = (
        "void f(int n, const float *restrict a, float *restrict c) {"
        " for (int i = 0; i < n; i++) { if (a[i] > 0) c[i] = 1; else c[i] = 2; } }"
    )
    sized = SizedKernel.of(only_kernel(source), {"n": 1 << 20})
    stores = [facts.access.id for facts in sized.kernel.accesses if facts.is_write]
    assert [sized.executions[store] for store in stores] == [1.0, 0.0]
    assert [sized.requests[store] for store in stores] == [1.0, 0.0]
