"""What is said to be written without a gap has none, counted out; and rows, planes and pixels are found."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT
from warplens.analysis.workload.accesses.dense_writes import are_dense

SIZES = {"n": 3, "m": 4}
BOUNDS = [*(Polynomial.constant(k) for k in range(1, 5)), *(Polynomial.symbol(name) for name in SIZES)]
STRIDES = [*BOUNDS, *(-b for b in BOUNDS), Polynomial.symbol("n") * Polynomial.symbol("m"), Polynomial.symbol("m") * 2]


@st.composite
def boxes(draw) -> tuple[list[Polynomial], list[Loop]]:
    """One or two subscripts of up to three loops in steps of 1, -1 or 2, each loop from 0 or 1."""
    names = "ijk"[: draw(st.integers(1, 3))]
    loops = [
        loop_of(
            name, draw(st.sampled_from(BOUNDS)), draw(st.sampled_from([0, 0, 1])), draw(st.sampled_from([1, 1, -1, 2]))
        )
        for name in names
    ]
    indices = []
    for _ in range(draw(st.integers(1, 2))):
        index = Polynomial.constant(draw(st.integers(0, 2)))
        for name in names:
            if draw(st.booleans()):
                index = index + Polynomial.symbol(name) * draw(st.sampled_from(STRIDES))
        indices.append(index)
    return indices, loops


def loop_of(name: str, bound: Polynomial, first: int, step: int) -> Loop:
    start, limit = Polynomial.constant(first), bound + first
    if step < 0:
        start, limit = limit - 1, start - 1
    return Loop(NodeId(ord(name)), name, INT, start, (limit,), step, ())


def written(indices: list[Polynomial], loops: list[Loop]) -> set[tuple[int, ...]]:
    ranges = [
        range(loop.start.evaluate(SIZES), loop.limits[0].evaluate(SIZES), loop.step) for loop in loops if loop.start
    ]
    names = [loop.iterator for loop in loops]
    return {
        tuple(index.evaluate({**SIZES, **dict(zip(names, point, strict=True))}) for index in indices)
        for point in product(*ranges)
    }


@given(boxes())
def test_a_dense_write_leaves_no_element_of_its_box_out(box: tuple[list[Polynomial], list[Loop]]) -> None:
    indices, loops = box
    if not are_dense(indices, loops):
        return
    found = written(indices, loops)
    ends = [(min(values), max(values)) for values in zip(*found, strict=True)]
    assert found == set(product(*(range(low, high + 1) for low, high in ends)))


def test_rows_pixels_and_planes_are_dense_and_what_leaves_a_border_is_not() -> None:
    i, j, k, n, m = map(Polynomial.symbol, "ijknm")
    loops = [loop_of("i", n, 0, 1), loop_of("j", m, 0, -1), loop_of("k", Polynomial.constant(3), 0, 1)]
    for dense in ([i * m * 3 + j * 3 + k], [i, j * 3 + k], [i * m + j], [k * n * m + i * m + j], [i, j, k], [i + k]):
        assert are_dense(dense, loops), dense
    for holes in ([i * m * 4 + j * 4 + k], [i * m * 3 + j * 3], [i * n + j], [i, i + j], [i + i * j], [None]):
        assert not are_dense(holes, loops), holes
    assert not are_dense([i * m + j], [loop_of("i", n, 0, 1), loop_of("j", m - 1, 0, 1)])
