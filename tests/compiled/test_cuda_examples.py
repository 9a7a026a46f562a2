"""examples/cuda: what the generator writes today, nothing else; every kind of tile is among them, and right."""

from pathlib import Path

import pytest
from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.examples import FOLDER, WISHES, example_ports
from support.cuda_on_cpu.nvcc import NVCC, nvcc_says
from support.cuda_on_cpu.ports import contexts, ported
from support.cuda_on_cpu.programs import Checked, failures

SIZES = ((0, 0, 0), (1, 1, 1), (5, 3, 2), (75, 70, 37))
NAMES = {
    "convolution": ("height", "width"),
    "dot": ("n",),
    "matmul": ("n", "m", "l"),
    "nbody": ("bodies",),
    "stencil": ("n",),
    "transpose": ("rows", "columns"),
}
LENGTHS = {
    "dot": {"x": "n", "y": "n"},
    "nbody": {"old": "bodies", "p": "bodies"},
    "stencil": {"old": "n * n", "new_": "n * n"},
}


def test_files_are_what_is_written_today() -> None:
    """`make examples` writes them."""
    written = {port.name: port.text for port in example_ports()}
    assert written == {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.cu")}
    for tiled in ("convolution", "matmul", "stencil", "transpose"):
        assert "_tile[" in written[f"{tiled}_{tiled}.cu"]
    assert "_tile[32][32 + 1]" in written["transpose_transpose.cu"]
    assert "__shfl_down_sync" in written["dot_dot.cu"]


def test_examples_compute_what_the_c_does(tmp_path: Path) -> None:
    checked = []
    for name, (function, wish) in WISHES.items():
        case = Case(
            name,
            (FOLDER / f"{name}.c").read_text(encoding="utf-8"),
            tuple(dict(zip(NAMES[name], sizes, strict=False)) for sizes in SIZES),
            function,
            lengths=LENGTHS.get(name, {}),
            fills={"old": "float", "p": "float"} if name == "nbody" else {},
            terms="n" if name == "dot" else "",
        )
        report = analysed(case)
        nests = list(contexts(case, report))
        port = ported(case, report, nests, [wish] * len(nests))
        checked.append(Checked(case, (port,)))
    assert failures(checked, tmp_path) == []
    if NVCC is None:
        pytest.skip("the examples compute the same; nvcc is not installed, so that they were not compiled with it")
    assert nvcc_says(checked, tmp_path) == ""
