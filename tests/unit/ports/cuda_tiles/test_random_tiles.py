"""Random nests: every read finds its element in the tile, and no fill reads what the nest does not touch."""

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.cuda_tiles.block_fills import BlockCase
from support.examples import examples
from warplens.analysis.gpu.staging.box_movement import read_only_arrays
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.tiles import plan_tiles

HEADERS = {
    "i": [
        "int i = 0; i < n; i++",
        "int i = 1; i < n - 1; i++",
        "int i = n - 1; i >= 0; i--",
        "int i = 2; i < n; i += 3",
    ],
    "j": [
        "int j = 0; j < m; j++",
        "int j = 2; j <= m; j++",
        "int j = m; j > 0; j--",
        "int j = 0; j <= i; j++",
        "int j = i; j < m; j++",
        "int j = m; j >= i; j--",
    ],
    "k": ["int k = 0; k < p; k++", "int k = 3; k < p; k += 2", "int k = p; k >= 1; k--", "int k = 0; k < 21; k++"],
    "u": ["int u = 0; u < 3; u++", "int u = -1; u <= 1; u++", "int u = k; u < k + 2; u++", "int u = i; u < i + 3; u++"],
}


@dataclass(frozen=True)
class Case:
    source: str
    block: tuple[int, int, int]
    outputs: tuple[int, int, int]
    sizes: dict[str, int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    dimensions = draw(st.integers(1, 3))
    loops = ["i"] + ["j"] * draw(st.booleans())
    inner = [name for name in ("k", "u") if draw(st.booleans())]
    if "k" not in inner:
        inner = [name for name in inner if name != "u" or draw(st.booleans())]
    headers = {name: draw(st.sampled_from(HEADERS[name])) for name in (*loops, *inner)}
    if "k" not in inner and "u" in inner:
        headers["u"] = draw(st.sampled_from([*HEADERS["u"][:2], HEADERS["u"][3]]))
    reads = []
    for _ in range(draw(st.integers(1, 4))):
        subscripts = []
        for _ in range(dimensions):
            names = draw(st.lists(st.sampled_from([*loops, *inner]), max_size=2, unique=True))
            terms = [f"{draw(st.sampled_from([1, 1, 1, 2, -1]))} * {name}" for name in names]
            subscripts.append(" + ".join([*terms, str(30 + draw(st.integers(-2, 2)))]))
        reads.append("x" + "".join(f"[{s}]" for s in subscripts))
    shape = "".join(f"[{'restrict ' if d == 0 else ''}{160 - d}]" for d in range(dimensions))
    body = f"s += {' + '.join(reads)};"
    for name in reversed(inner):
        body = f"for ({headers[name]}) {{ {body} }}"
    store = "y[i][j] = s;" if "j" in loops else "y[i][0] = s;"
    body = f"float s = 0; {body} {store}"
    for name in reversed(loops):
        body = f"for ({headers[name]}) {{ {body} }}"
    source = f"void work(int n, int m, int p, float y[restrict][99], const float x{shape}) {{ {body} }}"
    block = draw(st.sampled_from([(4, 2, 1), (3, 1, 1), (8, 1, 1), (2, 4, 1), (5, 3, 1), (1, 4, 1)]))
    outputs = draw(st.sampled_from([(1, 1, 1), (1, 1, 1), (2, 1, 1), (1, 2, 1)]))
    if "j" not in loops:
        block, outputs = (block[0], 1, 1), (outputs[0], 1, 1)
    sizes = {name: draw(st.integers(0 if name == "p" else 3, 9)) for name in "nmp"}
    return Case(source, block, outputs, sizes)


@pytest.mark.long
@given(case=cases())
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_every_read_finds_its_element(case: Case, analyse_c) -> None:
    (function,) = analyse_c(case.source).functions
    evaluation = function.nests[0].evaluation
    assume(evaluation.kernels)
    kernel, nest = evaluation.kernels[0].kernel, evaluation.facts.nest
    assume("x" in read_only_arrays(kernel))
    sizes = {**dict(evaluation.sizes), **case.sizes}
    try:
        tiles = plan_tiles(nest, kernel, case.block, case.outputs, ("x",), sizes, evaluation.gpu)
    except PortRefusedError:
        return
    blocks = BlockCase(nest, kernel, case.block, case.outputs, sizes)
    for tile in tiles:
        blocks.check(tile)
