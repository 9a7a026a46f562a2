"""For which GPUs a kit is built: machine code for an A100 and an H100, and PTX that drivers compile for others."""

from __future__ import annotations

CODE = ("80", "90")
PTX = "75"
"""The oldest that CUDA 13 builds for: what runs it is any GPU from then on."""
RUNTIME_FOLDER = "lib"
"""Where the kit has CUDA's runtime, so that each of its hundreds of ports does not hold a copy."""


def target_flags() -> tuple[str, ...]:
    """Options of nvcc."""
    code = tuple(f"-gencode=arch=compute_{one},code=sm_{one}" for one in CODE)
    return (*code, f"-gencode=arch=compute_{PTX},code=compute_{PTX}")


def shared_runtime_flags(depth: int) -> tuple[str, ...]:
    """Options for a library or program that lies `depth` folders below the kit's own and finds the runtime there."""
    up = "/".join([".."] * depth)
    return "--cudart", "shared", "-Xlinker", f"-rpath=$ORIGIN/{up}/{RUNTIME_FOLDER}", "-Xlinker", "-s"
