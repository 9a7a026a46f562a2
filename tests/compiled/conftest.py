"""What is generated is compiled and run: ports, reordered loops, kernels on the CPU, lowered nests."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("compiled")
