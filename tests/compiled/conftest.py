"""What is generated is compiled and run: ports, reordered loops, kernels on the CPU, lowered nests."""

from collections.abc import Iterator

import pytest
from warplens.analysis.engine import offered_fixes


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("compiled")


@pytest.fixture(scope="module", autouse=True)
def no_offers() -> Iterator[None]:
    """Reports offer no fix: a third of their time, and the tests ask for the fixes that they are about themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(offered_fixes, "FIXES", ())
        yield
