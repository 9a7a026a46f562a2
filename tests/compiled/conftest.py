"""What is generated is compiled and run: ports, reordered loops, kernels on the CPU, lowered nests."""

from collections.abc import Iterator

import numpy as np
import pytest
from warplens.analysis.engine import offered_fixes
from warplens.analysis.models.launches import launch_space


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("compiled")


@pytest.fixture(scope="module", autouse=True)
def no_offers() -> Iterator[None]:
    """Reports offer no fix: a third of their time, and the tests ask for the fixes that they are about themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(offered_fixes, "FIXES", ())
        yield


@pytest.fixture
def few_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search over launches takes most of the time and says nothing about what a port of directives computes."""
    monkeypatch.setattr(launch_space, "_blocks", lambda _dimensions, _gpu: np.array([(64, 1, 1)], dtype=np.int64))
    monkeypatch.setattr(launch_space, "_outputs", lambda _dimensions: np.array([(1, 1, 1)], dtype=np.int64))
