"""What is generated is compiled and run: ports, reordered loops, kernels on the CPU, lowered nests."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("compiled")


@pytest.fixture(scope="module", autouse=True)
def only_what_is_asked_for(no_offers: None) -> None:
    """The tests ask for the fixes that they are about themselves."""
