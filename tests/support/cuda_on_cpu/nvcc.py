"""Compiles CUDA files with nvcc, every warning an error."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from support.cuda_on_cpu.programs import Checked, cuda_unit

OPTIMISED_FOR = "sm_80"
ARCHITECTURES = ("sm_75", "sm_90")
NVCC = shutil.which("nvcc")
_WARNINGS = ("-std=c++17", "--Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra")


def nvcc_says(cases: Sequence[Checked], folder: Path) -> str:
    """What nvcc has against the ports, in one file, for all architectures; empty where it is content.

    For one of them they are optimised, which is most of what nvcc does and says nothing new for the others.
    """
    (folder / "ports.cu").write_text(cuda_unit(cases), encoding="utf-8")
    others = [_target(arch) for arch in ARCHITECTURES]
    return "".join(
        (
            _said(["-c", _target(OPTIMISED_FOR)], folder),
            _said(["--fatbin", *others, "-Xcicc", "-O0", "-Xptxas", "-O0"], folder),
        )
    )


def _target(architecture: str) -> str:
    return f"-gencode=arch={architecture.replace('sm', 'compute')},code={architecture}"


def _said(options: Sequence[str], folder: Path) -> str:
    command = [str(NVCC), *_WARNINGS, *options, "ports.cu", "-o", "ports_nvcc.o"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = (ran.stdout + ran.stderr).strip()
    return said if ran.returncode or re.search(r"\b(warning|error)\b", said, re.IGNORECASE) else ""
