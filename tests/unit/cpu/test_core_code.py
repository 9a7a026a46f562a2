"""What a loop's code is taken to be: chains through several values, widths of lanes, remainders, overlap of chains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.c_nests import parsed
from warplens.analysis.cpu.chain_overlap import chains_at_once
from warplens.analysis.cpu.compiler_flags import compilation_of
from warplens.analysis.cpu.lane_widths import LaneWidths, lane_widths
from warplens.analysis.cpu.recurrence import recurrence
from warplens.analysis.cpu.vector_remainder import with_remainder
from warplens.hwprofiles.loader import load_cpu

CPU = load_cpu("desktop")
PLAIN, FUSED = (compilation_of(flags, CPU) for flags in (("-O2",), ("-O2", "-mavx2", "-mfma")))
ADD, MUL = (CPU.timing(op).latency_cycles for op in ("fp64_add", "fp64_mul"))


def chain_cycles(body: str, *, fused: bool = False) -> float:
    source = f"void f(long n, double *a, double *r, double x, double y, int *t) {{ {body} }}\n"
    facts = parsed.facts_of(source)
    loop = facts.nest.root
    (verdict,) = (verdict for verdict in facts.verdicts if verdict.loop == loop.id)
    return recurrence(loop, verdict, {}, CPU, FUSED if fused else PLAIN).cycles


def test_a_chain_through_two_values_takes_the_mean_of_both() -> None:
    # x hands on to y (a product and a sum), y to x (a sum): a round takes two iterations
    both = chain_cycles("for (long i = 0; i < n; i++) { double t = x * 3.0 + 1.0; x = y + 2.0; y = t; } *r = x + y;")
    assert both == pytest.approx((MUL + ADD + ADD) / 2)


def test_a_value_read_two_iterations_later_has_twice_the_time() -> None:
    one = chain_cycles("for (long i = 2; i < n; i++) a[i] = 0.5 * a[i - 1];")
    two = chain_cycles("for (long i = 2; i < n; i++) a[i] = 0.5 * a[i - 2];")
    assert one == pytest.approx(MUL)
    assert two == pytest.approx(MUL / 2)


def test_a_fused_product_is_one_step() -> None:
    horner = "for (long i = 0; i < n; i++) x = x * y + a[i]; *r = x;"
    assert chain_cycles(horner) == pytest.approx(MUL + ADD)
    assert chain_cycles(horner, fused=True) == pytest.approx(CPU.fused_multiply_add_cycles)


def test_what_no_iteration_hands_on_waits_for_nothing() -> None:
    assert chain_cycles("for (long i = 0; i < n; i++) a[i] = x * y;") == 0.0


def widths_of(value: str, types: str = "unsigned char") -> LaneWidths:
    source = (
        f"void f(long n, const {types} *restrict a, {types} *restrict b, int k)"
        f" {{ for (long i = 0; i < n; i++) b[i] = {value}; }}\n"
    )
    return lane_widths(parsed.facts_of(source).nest.root.body, {})


@pytest.mark.parametrize(
    ("value", "bytes_"),
    [
        ("255 - a[i]", 1),  # only the low byte is stored
        ("(a[i] + 3 * a[i + 1]) >> 2", 2),  # 1020 at most
        ("(a[i] * k) >> 7", 2),  # of the product the bits up to the fifteenth are stored
        ("a[i] * 1000 / 300", 4),
        ("(a[i] + a[i + 1]) >> 1", 1),  # an average has an instruction
    ],
)
def test_bytes_are_computed_in_as_few_bytes_as_hold_them(value: str, bytes_: int) -> None:
    (mean,) = widths_of(value).bytes_of.values()
    assert mean == bytes_
    assert widths_of(value).smallest == 1


def test_widening_and_packing_cost_vectors() -> None:
    assert widths_of("255 - a[i]").moved_bytes == 0
    assert widths_of("(a[i] + 3 * a[i + 1]) >> 2").moved_bytes > 0


@given(st.floats(0.01, 4.0), st.floats(1.0, 20.0), st.integers(1, 5000), st.sampled_from((2, 4, 8, 16, 64)))
def test_a_remainder_lies_between_lanes_and_scalars(vector: float, times: float, trips: int, lanes: int) -> None:
    scalar = vector * max(times, lanes)
    found = with_remainder(vector, scalar, trips, lanes, 64)
    assert vector * (1 - 1e-9) <= found <= max(scalar, vector * lanes) * (1 + 1e-9)
    if trips % lanes == 0:
        assert found == pytest.approx(vector)


@given(st.floats(1.0, 1e6), st.floats(0.5, 50.0), st.floats(50.0, 600.0))
def test_longer_loops_overlap_less(trips: float, instructions: float, window: float) -> None:
    here, longer = (chains_at_once(each, instructions, window) for each in (trips, 2 * trips))
    assert here >= longer >= 1.0
