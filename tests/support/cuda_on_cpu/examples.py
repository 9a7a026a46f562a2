"""`make examples`: writes the CUDA files of examples/cuda beside the C that they are ports of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.ports import contexts
from warplens.analysis.ports.cuda.port import CudaFile, cuda_port
from warplens.analysis.ports.fix import AS_PREDICTED, LaunchWish

FOLDER = Path(__file__).parents[3] / "examples" / "cuda"
WISHES = {
    "convolution": ("convolution", LaunchWish((32, 8, 1), (1, 4, 1), ("image",))),
    "dot": ("dot", AS_PREDICTED),
    "matmul": ("matmul", LaunchWish((16, 16, 1), (1, 4, 1), ("a", "b"))),
    "nbody": ("accelerate", LaunchWish((256, 1, 1), (1, 1, 1), ("old",))),
    "stencil": ("stencil", LaunchWish((32, 8, 1), (1, 4, 1), ("old",))),
    "transpose": ("transpose", LaunchWish((32, 8, 1), (1, 4, 1), ("in",))),
}
"""Function and launch by example: those that show what can be written, not those that are predicted best."""


def example_ports() -> Iterator[CudaFile]:
    """The CUDA file of each example, as it is written today."""
    for name, (function, wish) in WISHES.items():
        case = Case(name, (FOLDER / f"{name}.c").read_text(encoding="utf-8"), function=function)
        for _, context in contexts(case, analysed(case)):
            yield cuda_port(context, wish)


if __name__ == "__main__":
    for port in example_ports():
        (FOLDER / port.name).write_text(port.text, encoding="utf-8")
