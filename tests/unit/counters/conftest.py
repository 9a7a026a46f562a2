from __future__ import annotations

import numpy as np
import pytest
from support.measured_kernel_file import measured_matmul
from unit.counters import made_up_runs
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.fitting.fit_kernel import fit_kernel
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.engine.counter_study import study_kernel
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.hwprofiles.loader import load_gpu


@pytest.fixture(scope="session")
def conflict_fit() -> KernelFit:
    return fit_kernel(made_up_runs.conflict_bound(np.random.default_rng(1)), made_up_runs.VOCABULARY)


@pytest.fixture(scope="session")
def size_fit() -> KernelFit:
    return fit_kernel(made_up_runs.size_driven(np.random.default_rng(2)), made_up_runs.VOCABULARY)


@pytest.fixture(scope="session")
def noise_fit() -> KernelFit:
    return fit_kernel(made_up_runs.pure_noise(np.random.default_rng(3)), made_up_runs.VOCABULARY)


@pytest.fixture(scope="session")
def matmul() -> StudiedKernel:
    """Of the made-up matrix multiplication on a K20."""
    return study_kernel(measured_matmul(), counter_vocabulary().metrics, load_gpu("k20"))
