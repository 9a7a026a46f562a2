from __future__ import annotations

from dataclasses import replace

import pytest
from support.nest_invariants import violations
from warplens.analysis.ir.dump import dump
from warplens.analysis.ir.expression import Access, Constant, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Assign, Exit, Loop, LoopNest, ScalarObject
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import DOUBLE, INT

ITERATOR, LIMIT = Polynomial.symbol("i"), Polynomial.symbol("n")
ACCESS = Access(NodeId(1), "a", DOUBLE, (ScalarRef("i", INT),), (ITERATOR,), (None,), 8)
STORE = Assign(NodeId(2), ACCESS, "", Constant(1.0, DOUBLE))
ROOT = Loop(NodeId(0), "i", INT, Polynomial(()), (LIMIT,), 1, (STORE,), declares_iterator=True)
NEST = LoopNest(
    ROOT,
    (ArrayObject("a", DOUBLE, 8, (None,), "parameter", is_pointer=True),),
    (ScalarObject("i", INT, "body", used_after=False), ScalarObject("n", INT, "parameter", used_after=False)),
    ("n",),
)


def with_body(*statements: object) -> LoopNest:
    return replace(NEST, root=replace(ROOT, body=statements))


BROKEN = {
    "root": replace(NEST, root=replace(ROOT, id=NodeId(3))),
    "not unique": with_body(STORE, STORE),
    "used twice": with_body(replace(STORE, target=replace(ACCESS, id=NodeId(2)))),
    "different length": with_body(replace(STORE, target=replace(ACCESS, extents=()))),
    "array a is not declared": replace(NEST, arrays=()),
    "scalar i is not declared": replace(NEST, scalars=NEST.scalars[1:]),
    "uses n": replace(NEST, parameters=()),
    "no loop": with_body(Exit(NodeId(5), "break", NodeId(9))),
    "step 0": replace(NEST, root=replace(ROOT, step=0)),
    "not sorted": replace(NEST, parameters=("n", "m")),
}


def test_sound_nest() -> None:
    assert violations(NEST) == ()


@pytest.mark.parametrize(("message", "nest"), BROKEN.items(), ids=BROKEN.keys())
def test_broken_nest(message: str, nest: LoopNest) -> None:
    assert any(message in violation for violation in violations(nest))


def test_dump() -> None:
    assert dump(NEST).splitlines() == [
        "array a[?]: double (parameter, pointer)",
        "scalar i: int (body)",
        "scalar n: int (parameter)",
        "parameters n",
        "0: for int i = 0; < n; +1",
        "  2: a[i]@1 = 1.0",
    ]
