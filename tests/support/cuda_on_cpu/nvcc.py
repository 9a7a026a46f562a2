"""Compiles CUDA files with nvcc, every warning an error."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from support.cuda_on_cpu.programs import Checked, cuda_unit

ARCHITECTURES = ("sm_75", "sm_80", "sm_90")
NVCC = shutil.which("nvcc")


def nvcc_says(cases: Sequence[Checked], folder: Path) -> str:
    """What nvcc has against the ports, in one file, for all architectures; empty where it is content."""
    (folder / "ports.cu").write_text(cuda_unit(cases), encoding="utf-8")
    targets = [f"-gencode=arch={arch.replace('sm', 'compute')},code={arch}" for arch in ARCHITECTURES]
    command = [
        str(NVCC),
        "-c",
        "-std=c++17",
        "--Werror",
        "all-warnings",
        "-Xcompiler",
        "-Wall,-Wextra",
        "--threads",
        "2",
    ]
    command += [*targets, "ports.cu", "-o", "ports_nvcc.o"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = (ran.stdout + ran.stderr).strip()
    return said if ran.returncode or re.search(r"\b(warning|error)\b", said, re.IGNORECASE) else ""
