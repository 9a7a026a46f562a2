from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.made_once import made_once
from support.measured_kernel_file import measured_matmul
from unit.counters import made_up_runs
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.fitting.fit_kernel import fit_kernel
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.engine.counter_study import study_kernel
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.hwprofiles.loader import load_gpu

FittedOnce = Callable[[str, Callable[[], Any]], Any]


@pytest.fixture(scope="session")
def fitted_once(tmp_path_factory: pytest.TempPathFactory) -> FittedOnce:
    """`fitted_once(name, fit)`: what `fit` returns in the first process that asks."""

    def found(name: str, fit: Callable[[], Any]) -> Any:
        def make(folder: Path) -> str:
            (folder / "fit.pickle").write_bytes(pickle.dumps(fit()))
            return ""

        folder, _ = made_once(f"counters_{name}", make, tmp_path_factory)
        return pickle.loads((folder / "fit.pickle").read_bytes())

    return found


@pytest.fixture(scope="session")
def conflict_fit(fitted_once: FittedOnce) -> KernelFit:
    table = made_up_runs.conflict_bound(np.random.default_rng(1))
    return fitted_once("conflicts", lambda: fit_kernel(table, made_up_runs.VOCABULARY))


@pytest.fixture(scope="session")
def size_fit(fitted_once: FittedOnce) -> KernelFit:
    table = made_up_runs.size_driven(np.random.default_rng(2))
    return fitted_once("sizes", lambda: fit_kernel(table, made_up_runs.VOCABULARY))


@pytest.fixture(scope="session")
def noise_fit(fitted_once: FittedOnce) -> KernelFit:
    table = made_up_runs.pure_noise(np.random.default_rng(3))
    return fitted_once("noise", lambda: fit_kernel(table, made_up_runs.VOCABULARY))


@pytest.fixture(scope="session")
def matmul(fitted_once: FittedOnce) -> StudiedKernel:
    """Of the made-up matrix multiplication on a K20."""
    return fitted_once("matmul", lambda: study_kernel(measured_matmul(), counter_vocabulary().metrics, load_gpu("k20")))
