"""Which arrays a block may collect in shared memory: those of which it writes a box without gaps, and nothing else."""

from itertools import product

import numpy as np
import pytest
from support.c_nests import parsed
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import tiles_of
from warplens.analysis.gpu.staging.collected_arrays import collected_arrays
from warplens.analysis.gpu.staging.staged_regions import staged_regions
from warplens.hwprofiles.loader import load_gpu

N = 50
HEAD = "void f(int n, float *restrict b, const float *restrict a)"
ROWS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
COLLECTED = {
    "transpose": (f"{ROWS} b[j*n+i] = a[i*n+j];", lambda i, j: {(j, i)}),
    "columns from the last": (f"{ROWS} b[(n-1-j)*n+i] = a[i*n+j];", lambda i, j: {(N - 1 - j, i)}),
    "three numbers each": (
        "for (int i = 0; i < n; i++) { b[3*i+1] = a[i]; b[3*i] = a[i] + 1; b[3*i+2] = 0; }",
        lambda i, _: {(3 * i,), (3 * i + 1,), (3 * i + 2,)},
    ),
    "two at a time": (
        "for (int i = 0; i < n; i += 2) { b[i] = a[i]; b[i+1] = 0; }",
        lambda i, _: {(2 * i,), (2 * i + 1,)},
    ),
}
NOT_COLLECTED = {
    "side by side": f"{ROWS} b[i*n+j] = a[j*n+i];",
    "read, too": f"{ROWS} b[j*n+i] = b[j*n+i] + a[i*n+j];",
    "a gap": "for (int i = 0; i < n; i++) { b[3*i] = a[i]; b[3*i+2] = a[i]; }",
    "one of them twice": "for (int i = 0; i < n; i++) { b[2*i] = a[i]; b[2*i+1] = 0; b[2*i+1] = a[i]; }",
    "under a condition": f"{ROWS} if (a[i*n+j] > 0) b[j*n+i] = a[i*n+j];",
    "a triangle": "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) b[j*n+i] = a[i*n+j];",
    "every second row": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j += 2) b[j*n+i] = a[i*n+j];",
    "in a loop": "for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) b[i*n+k] = a[k];",
}


def sized(body: str) -> SizedKernel:
    kernel = parsed.facts_of(f"{HEAD} {{ {body} }}").kernels[0]
    return SizedKernel.of(kernel, {"n": N})


@pytest.mark.parametrize("name", COLLECTED)
@pytest.mark.parametrize("block", [(8, 4, 1), (32, 1, 1), (5, 3, 1)])
@pytest.mark.parametrize("outputs", [(1, 1, 1), (2, 3, 1)])
def test_the_box_is_what_a_block_writes(name: str, block, outputs) -> None:
    body, written = COLLECTED[name]
    kernel = sized(body)
    assert list(collected_arrays(kernel)) == ["b"]
    if len(kernel.kernel.grid) == 1:
        block, outputs = (block[0], 1, 1), (outputs[0], 1, 1)
    tiles = tiles_of(np.array([block]), np.array([outputs]), kernel.iterations, 32)
    region = staged_regions(kernel, ["b"], tiles, load_gpu("a100"))["b"]
    along_x, along_y = (min(*pair) for pair in zip(tiles.tile[0][:2].tolist(), kernel.iterations, strict=False))
    # x is the loop along which the array is read side by side: j, where there are two.
    elements = set()
    for x, y in product(range(along_x), range(along_y)):
        elements |= written(y, x) if len(kernel.kernel.grid) > 1 else written(x, 0)
    box = [{element[dimension] for element in elements} for dimension in range(region.box.widths.shape[1])]
    assert [max(values) - min(values) + 1 for values in box] == region.box.widths[0].astype(int).tolist()
    assert len(elements) == int(region.elements[0])
    assert region.is_written


@pytest.mark.parametrize("name", NOT_COLLECTED)
def test_others_are_written_as_they_come(name: str) -> None:
    assert collected_arrays(sized(NOT_COLLECTED[name])) == {}
