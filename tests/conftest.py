"""What several folders of tests need: C text to a report, as the command line does it."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from support.compiler_output import compiler_output
from support.forked import starts_as_forks
from warplens.analysis.api import analyse
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine import offered_fixes
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.progress import Progress
from warplens.analysis.engine.report import Report
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.models.launches import launch_space
from warplens.analysis.program.program import Program
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.worker.child import collect_seldom

# Every answer is worked out: what a test before, or another run, kept of the same text would hide what this one does.
os.environ["WARPLENS_CACHE"] = ""

# No test is judged by how long it takes: machines differ, and are busy. `examples` has the numbers of other profiles.
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("check", _ANY_MACHINE, max_examples=20)
settings.register_profile("test", _ANY_MACHINE, max_examples=50)
settings.register_profile("nightly", _ANY_MACHINE, max_examples=1000)
settings.load_profile("test")

# As the analysis process does: Python's own thresholds make a quarter of the time of all tests collecting.
collect_seldom()

AnalyseC = Callable[..., Report]
_UNHEARD = Progress()

gpu_by_name: Callable[[str], Gpu] = cache(load_gpu)
cpu_by_name: Callable[[str], Cpu] = cache(load_cpu)


def _analyse_c(
    source: str,
    gpu: str = "a100",
    cpu: str = "server",
    options: AnalysisOptions | None = None,
    memo: Memo | None = None,
    progress: Progress = _UNHEARD,
    program: Program | None = None,
) -> Report:
    """Report on C text that the system's compiler preprocesses; a new memo unless one is given."""
    return analyse(
        source,
        compiler_output("main.c", source),
        gpu_by_name(gpu),
        cpu_by_name(cpu),
        options or AnalysisOptions(),
        Memo() if memo is None else memo,
        progress,
        program,
    )


def pytest_collection_finish() -> None:
    """No garbage is looked for among ten thousand tests."""
    collect_seldom()


@pytest.fixture(autouse=True)
def _forks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Processes of Warplens are forks, but of tests with the mark `cold_start`."""
    with nullcontext() if request.node.get_closest_marker("cold_start") else starts_as_forks():
        yield


@pytest.fixture(scope="session")
def analyse_c() -> AnalyseC:
    """`analyse_c(source, gpu=..., cpu=..., options=..., memo=..., progress=...) -> Report`."""
    return _analyse_c


@pytest.fixture(scope="module")
def no_offers() -> Iterator[None]:
    """Reports offer no fix, which is a third of their time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(offered_fixes, "FIXES", ())
        yield


@contextmanager
def _one_launch() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch_space, "_blocks", lambda _dimensions, _gpu: np.array([(64, 1, 1)], dtype=np.int64))
        patch.setattr(launch_space, "_outputs", lambda _dimensions: np.array([(1, 1, 1)], dtype=np.int64))
        yield


@pytest.fixture
def few_launches() -> Iterator[None]:
    """The search over launches takes most of the time and says nothing about what a port of directives computes."""
    with _one_launch():
        yield


@pytest.fixture(scope="module")
def few_launches_in_module() -> Iterator[None]:
    """As `few_launches`, for what a module analyses once too."""
    with _one_launch():
        yield
