"""Where this machine has cuBLAS and cuSPARSE: beside nvcc, in CUDA's usual folder, or in packages of Python."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

VARIABLE = "GPU_DAY_LIBRARIES"
"""Folders with colons between them, which the programs that open libraries read."""


def library_folders() -> str:
    """Folders that are there and may have them, nearest first; empty where there is none."""
    nvcc = shutil.which("nvcc")
    homes = [Path(nvcc).resolve().parents[1]] if nvcc else []
    homes += [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    homes.append(Path("/usr/local/cuda"))
    found = [home / "lib64" for home in homes]
    spec = find_spec("nvidia")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        found += sorted(Path(place).glob("*/lib"))
    return ":".join(dict.fromkeys(str(folder) for folder in found if folder.is_dir()))
